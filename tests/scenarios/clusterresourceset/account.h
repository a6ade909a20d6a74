/*
 * Who the controllers are: the account of deploy/kustomize/base, with its roles, on a server.
 *
 * What deploy/ grants is what the scenarios run with, so a request that it does not cover fails
 * them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"

#define ACCOUNT_NAMESPACE "corset-system"
#define ACCOUNT_NAME      "corset"

/* Asks the server as its admin; fails the test unless it succeeds. The answer lives until the next.
 */
typedef struct str account_call_fn(void *data, const char *method, const char *target,
                                   const char *body);

/* One verb of one rule of role.yaml. Texts are in an arena. */
struct account_right {
    size_t document, rule, verb_index;
    bool is_last; /* of its rule */
    struct str role, group, resource, url, verb;
};

/* The n-th right of deploy's roles, from 0; false when there are fewer. */
bool account_right(size_t n, struct arena *arena, struct account_right *ret_right);

/* Namespace, account, roles and their bindings; less one right, unless that is NULL. */
void account_make(account_call_fn *call, void *data, const struct account_right *missing);

/* A token of a ServiceAccount of that namespace, good for years. */
void account_token(account_call_fn *call, void *data, const char *name, struct buf *token);
