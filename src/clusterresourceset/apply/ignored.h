/*
 * Fields that others may change, by the rules of a DeliveryPolicy (`ignore`).
 *
 * Paths are JSON pointers; a part that is * stands for every element of a list. What the object in
 * the cluster has there takes the place of what the manifest says: leaving the field out instead
 * would reset it where nobody else owns it. Items of a list are found again by their keys, as
 * managedFields name them; a list without keys is taken as a whole. Fields that the manifest does
 * not name are not added. Pure.
 */
#pragma once

#include <stdint.h>

#include "apimachinery/gvk.h"
#include "apimachinery/key.h"
#include "apimachinery/object.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/error.h"
#include "clusterresourceset/types/delivery_policy.h"

/* The paths of all rules that match an object; in the arena. */
struct delivery_policy_texts ignored_paths(const struct delivery_policy *policy, struct gvk gvk,
                                           struct key key, struct arena *arena);

/* A number that is another one for other rules. */
uint64_t ignored_hash(const struct delivery_policy *policy);

/*
 * The manifest with what the live object has at the paths, and with its resourceVersion: a change
 * in between is a conflict.
 */
MUST_USE struct error *ignored_keep(const struct object *manifest, const struct object *live,
                                    const struct delivery_policy_texts *paths,
                                    struct object **ret_object);

/* Fields as managedFields list them (fieldsV1), without those at the paths. */
void ignored_write_fields(const struct json_value *fields,
                          const struct delivery_policy_texts *paths, struct buf *out);
