/*
 * HorizontalPodAutoscalers in two versions: they are stored in autoscaling/v2 and served in
 * autoscaling/v1, too. What v1 has no members for is in annotations there, so that an object which
 * is read and written in v1 loses nothing.
 */
#pragma once

#include "apiserver/registry/kind.h"

/* Whether it is autoscaling/v1, or either version. */
bool kind_autoscaler_is_v1(const struct kind *kind);
bool kind_autoscaler_is_any(const struct kind *kind);

/* An object of autoscaling/v2 in v1, and an object of v1 in autoscaling/v2. */
MUST_USE struct error *kind_autoscaler_to_v1(const struct json_value *object,
                                             struct json_doc **ret_doc);
MUST_USE struct error *kind_autoscaler_to_v2(const struct json_value *object,
                                             struct json_doc **ret_doc);

/* An object of v1 as it is stored: in autoscaling/v2, with the defaults of that version. */
MUST_USE struct error *kind_autoscaler_to_storage(const struct json_value *object,
                                                  struct json_doc **ret_doc);
