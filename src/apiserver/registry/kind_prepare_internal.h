/*
 * One object on its way through kind_builtin_prepare(). Private to this folder.
 */
#pragma once

#include "apiserver/registry/kind_builtin.h"
#include "json/edit.h"
#include "json/path.h"

struct prepare {
    const struct kind *kind;
    const struct kind_write *write;
    const struct json_value *object;
    struct json_edit edit;
};

typedef void prepare_fn(struct prepare *prepare);

/* A value that lives as long as the write; NULL when it is too large, which is very large. */
const struct json_value *prepare_value(struct prepare *prepare, struct json_builder *builder);

/* Generated fields of each kind. */
prepare_fn prepare_secret;
prepare_fn prepare_namespace_create;
prepare_fn prepare_namespace_update;
prepare_fn prepare_service_create;
prepare_fn prepare_service_update;
prepare_fn prepare_pod_create;
prepare_fn prepare_job_create;
prepare_fn prepare_daemon_set_create;
prepare_fn prepare_daemon_set_update;
prepare_fn prepare_claim_create;
