/*
 * The state of kind_builtin_prepare(), and its functions by kind. Private to this folder.
 *
 * A prepare function reads prepare->object and records changes in prepare->edit. It does not see
 * its own changes or those of others.
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

/* Finishes a value; it lives in the arena of the write. NULL when it exceeds the limit of
 * documents. */
const struct json_value *prepare_value(struct prepare *prepare, struct json_builder *builder);

/* What the server sets or keeps, by kind and operation; see the table in kind_prepare.c. */
prepare_fn prepare_secret;
prepare_fn prepare_namespace_create;
prepare_fn prepare_namespace_update;
prepare_fn prepare_service_account;
prepare_fn prepare_service;
prepare_fn prepare_pod_create;
prepare_fn prepare_pod_status;
prepare_fn prepare_job_create;
prepare_fn prepare_controller_status;
prepare_fn prepare_stateful_set;
prepare_fn prepare_daemon_set_create;
prepare_fn prepare_daemon_set_status;
prepare_fn prepare_daemon_set_update;
prepare_fn prepare_claim;
prepare_fn prepare_volume_create;
prepare_fn prepare_volume_status;
prepare_fn prepare_endpoint_slice;
prepare_fn prepare_certificate_create;
prepare_fn prepare_certificate_status;
