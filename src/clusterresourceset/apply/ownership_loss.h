/*
 * Which fields a set lost to others, and who has them now, by the managedFields of an object.
 *
 * Two copies of an object are compared: the live one, and the one that an apply of the set's
 * manifest leaves. What is in our entry of the second and not in that of the first was lost. Pure.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/str.h"
#include "clusterresourceset/types/delivery_policy.h"

/*
 * ownership_loss_write() is for people, the first fields of many:
 *
 *     spec.replicas changed by kubectl, data.k removed and 3 more
 *
 * live is NULL for an object that is gone: "deleted". Keys of list items are values of the object:
 * of what must stay secret they are left out.
 */
struct ownership_loss {
    const struct object *live, *applied;
    struct str manager;
    const struct delivery_policy_texts *ignored; /* paths that do not count; NULL: none */
    bool is_secret;
};

void ownership_loss_write(const struct ownership_loss *loss, struct buf *out);

/*
 * What would go from the applied object if the set adopted these managers: fields of theirs that
 * the set does not apply and nobody else owns. live and ignored do not count. Nothing is written if
 * there are none.
 *
 *     data.old, data.older and 3 more
 */
void ownership_loss_write_adopted(const struct ownership_loss *loss,
                                  const struct delivery_policy_texts *adopt, struct buf *out);
