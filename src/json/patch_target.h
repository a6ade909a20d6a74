/*
 * The place that the path of a JSON patch operation names. Private to this folder.
 *
 * Errors are ERROR_INVALID with the message of evanphx/json-patch, the library of the Kubernetes
 * API server. The caller adds the context of its operation in front.
 */
#pragma once

#include "json/patch_tree.h"

/* A container, and the name of a member or element in it. */
struct patch_target {
    struct patch_node *node; /* NULL when the path leads nowhere */
    struct str key;
};

/* Follows a path. Text in front of the first slash is ignored, as in the library. */
struct patch_target patch_target_follow(struct patch_tree *tree, struct str path);

/* NULL in *ret_slot for an absent member, which is no error; an absent element is one. */
MUST_USE struct error *patch_target_find(struct patch_tree *tree, struct patch_target target,
                                         struct patch_slot **ret_slot);

/* Replaces or adds a member, inserts an element. */
MUST_USE struct error *patch_target_add(struct patch_tree *tree, struct patch_target target,
                                        struct patch_slot content);

MUST_USE struct error *patch_target_remove(struct patch_tree *tree, struct patch_target target);
