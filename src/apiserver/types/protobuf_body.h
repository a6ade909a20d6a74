/*
 * Request bodies of type application/vnd.kubernetes.protobuf, as kubectl sends them from 1.32 on.
 *
 * A body is four bytes of magic and an envelope that names apiVersion and kind and holds the
 * object. The result is the JSON that a client would have sent instead: values that are zero and
 * cannot be told from absent ones are left out, fields that the tables do not know as well. Answers
 * may always be JSON, so there is no writer.
 */
#pragma once

#include "json/json.h"

/* Whether the body starts with the magic. */
bool protobuf_body_has_magic(struct str body);

/*
 * ERROR_BAD_REQUEST for bytes that are no such body. ERROR_UNSUPPORTED_MEDIA_TYPE for a kind that
 * is not taken as protobuf, custom resources above all.
 */
MUST_USE struct error *protobuf_body_read(struct str body, struct json_doc **ret_doc);
