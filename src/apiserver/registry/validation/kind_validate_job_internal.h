/*
 * What the rules for the spec of a Job share with those for its status. Private to
 * kind_validate_job*.c.
 */
#pragma once

#include "apiserver/registry/validation/kind_validate_internal.h"

/* An absent number is 0. */
int64_t job_number(const struct json_value *object, const char *member);

/* Whether the spec of a Job has the completion mode Indexed. */
bool job_is_indexed(const struct json_value *spec);

/* Whether the status of a Job has a condition of this type and with this status. */
bool job_has_condition(const struct json_value *status, const char *type, const char *value);

/*
 * Reads a list of indexes, "0-2,5", that are below the number of completions and in increasing
 * order. Returns what is wrong with it, in the arena, or an empty text.
 */
struct str job_indexes_check(struct arena *arena, struct str text, int64_t completions,
                             int64_t *ret_total);

/* The first index that two lists have in common, or -1. Parts that are malformed are skipped. */
int64_t job_indexes_overlap(struct str one, struct str other, int64_t completions);

validate_fn validate_pod_failure_policy, validate_success_policy;
