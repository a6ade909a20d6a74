/*
 * The rows of kind_builtin_default(): what a type says about members that are absent. Private to
 * this folder.
 *
 * Types are named, not pointed to: most are private to builtin/. A row holds wherever its type
 * occurs, in a pod as in the template of a deployment, unless it names a root.
 */
#pragma once

#include "apiserver/types/go_types.h"
#include "json/builder.h"
#include "json/json.h"

/* What a computed default may look at besides its object. */
struct default_scope {
    const char *root;  /* name of the kind's type */
    bool host_network; /* of the pod spec around */
};

/* Writes a value, or nothing and says false. */
typedef bool default_fn(const struct default_scope *scope, const struct json_value *object,
                        struct json_builder *out);

enum default_form {
    DEFAULT_STRING,
    DEFAULT_NUMBER,
    DEFAULT_BOOL,
    DEFAULT_STRUCT,   /* an empty one, filled by the rows of its type */
    DEFAULT_COMPUTED, /* by a function, if absent */
    DEFAULT_MERGED,   /* by a function, even if present */
};

struct default_row {
    const char *type, *member;
    enum default_form form;
    const char *text;
    int64_t number; /* also 1 and 0 for a truth */
    default_fn *compute;
    const char *root;          /* only below this kind; NULL for any */
    const char *when, *equals; /* only if this member has, or gets, this text; NULL: always */
};

/* All of them; those of a type stand together. */
const struct default_row *default_rows(size_t *ret_count);

/* The functions the rows name. */
default_fn default_account_name;
default_fn default_account;
default_fn default_pull_policy;
default_fn default_volume_pull_policy;
default_fn default_empty_dir;
default_fn default_host_port;
default_fn default_requests;
default_fn default_target_port;
default_fn default_external_traffic_policy;
default_fn default_limit;
default_fn default_limit_request;
default_fn default_allocatable;
default_fn default_rc_selector;
default_fn default_completions;
default_fn default_backoff_limit;
default_fn default_pod_replacement_policy;
default_fn default_lifecycle_modes;
default_fn default_policy_types;
default_fn default_metrics;
default_fn default_scale_up;
default_fn default_scale_down;
