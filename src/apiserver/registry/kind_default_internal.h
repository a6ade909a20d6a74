/*
 * The rows of kind_builtin_default(): defaults of absent members, by type. Private to this folder.
 *
 * A row applies wherever its type occurs, to the spec of a Pod as well as to that in the template
 * of a Deployment, unless it names a root. Rows name their type by text, because most types are
 * private to the folder types/.
 */
#pragma once

#include "apiserver/types/go_types.h"
#include "json/builder.h"
#include "json/json.h"

/* What a computed default may use besides the object that has the member. */
struct default_scope {
    const char *root;               /* name of the type of the whole object */
    const struct json_value *whole; /* the object itself, before it gets defaults */
    bool host_network;              /* hostNetwork of the enclosing pod spec */
};

/* Writes one value, or writes nothing and returns false. */
typedef bool default_fn(const struct default_scope *scope, const struct json_value *object,
                        struct json_builder *out);

enum default_form {
    DEFAULT_STRING,
    DEFAULT_NUMBER,
    DEFAULT_BOOL,
    DEFAULT_STRUCT,   /* an empty struct, which the rows of its own type fill */
    DEFAULT_COMPUTED, /* a function computes an absent value */
    DEFAULT_MERGED,   /* a function computes the value even if there is one */
    DEFAULT_NOTHING,  /* absent, even if there is a value */
};

struct default_row {
    const char *type, *member;
    enum default_form form;
    const char *text;
    int64_t number; /* of DEFAULT_NUMBER; 1 or 0 of DEFAULT_BOOL */
    default_fn *compute;
    const char *root;          /* only in objects of this type; NULL for any */
    const char *when, *equals; /* only if this member has, or gets, this text; NULL: always */
};

/* All rows. The rows of one type are contiguous. */
const struct default_row *default_rows(size_t *ret_count);

/* The functions that the rows name; see kind_default_compute.c. */
default_fn default_account_name;
default_fn default_account;
default_fn default_pull_policy;
default_fn default_volume_pull_policy;
default_fn default_empty_dir;
default_fn default_host_port;
default_fn default_period;
default_fn default_pod_resources; /* in kind_default_resources.c */
default_fn default_requests;
default_fn default_target_port;
default_fn default_external_traffic_policy;
default_fn default_ingress_mode;
default_fn default_rolling_update;
default_fn default_pod_range;
default_fn default_pod_ranges;
default_fn default_limit;
default_fn default_limit_request;
default_fn default_allocatable;
default_fn default_rc_selector;
default_fn default_completions;
default_fn default_backoff_limit;
default_fn default_pod_replacement_policy;
default_fn default_lifecycle_modes;
default_fn default_policy_types;
default_fn default_metric; /* one element of default_metrics */
default_fn default_metrics;
default_fn default_scale_up;
default_fn default_scale_down;
