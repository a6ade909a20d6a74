/*
 * Where an operation of a JSON patch works. Private to this folder.
 *
 * Errors are ERROR_INVALID in the words of the library that the Kubernetes API server uses; the
 * operation puts its own words in front.
 */
#pragma once

#include "json/patch_tree.h"

/* A container, and the name of something in it. */
struct patch_target {
    struct patch_node *node; /* NULL when the way there is missing */
    struct str key;
};

/* Follows a path. What stands in front of its first slash does not count, as in the library. */
struct patch_target patch_target_follow(struct patch_tree *tree, struct str path);

/* NULL in *ret_slot for an absent member, which is no error; an absent element is one. */
MUST_USE struct error *patch_target_find(struct patch_tree *tree, struct patch_target target,
                                         struct patch_slot **ret_slot);

/* Replaces or adds a member, inserts an element. */
MUST_USE struct error *patch_target_add(struct patch_tree *tree, struct patch_target target,
                                        struct patch_slot content);

MUST_USE struct error *patch_target_remove(struct patch_tree *tree, struct patch_target target);
