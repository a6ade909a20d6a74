/*
 * Who owns which fields of an object, as its metadata.managedFields say.
 *
 * A set owns what the entry of its field manager with the operation Apply lists. Its digest says
 * whether anything left that entry, or came to it. Pure.
 */
#pragma once

#include <stdbool.h>

#include "apimachinery/object.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "clusterresourceset/types/delivery_policy.h"

#define OWNERSHIP_DIGEST_LEN 16 /* hexadecimal digits */

/*
 * The digest of the fields that the manager has applied, without those at ignored paths (NULL:
 * none); empty: it has no entry. It is another one for other paths: what was recorded by other
 * rules cannot be compared.
 */
struct str ownership_digest(const struct object *object, struct str manager,
                            const struct delivery_policy_texts *ignored,
                            char text[static OWNERSHIP_DIGEST_LEN + 1]);

/* The fields (fieldsV1) that the manager has applied; NULL: it has no entry. Borrowed. */
const struct json_value *ownership_fields(const struct object *object, struct str manager);

/*
 * Whether a manager in the list owns something of the object by updates or patches. The server's
 * "before-first-apply", which stands for whoever wrote an object without managedFields, counts as
 * one of the list.
 */
bool ownership_is_adoptable(const struct object *object, const struct delivery_policy_texts *adopt);

/* Whether the entry is of one of these managers, and by updates or patches. */
bool ownership_is_adopted(const struct json_value *entry,
                          const struct delivery_policy_texts *adopt);

/* The fields of our entry together with those of the entries that are adopted. */
MUST_USE struct error *ownership_join(const struct object *object, struct str manager,
                                      const struct delivery_policy_texts *adopt,
                                      struct json_doc **ret_fields);

/*
 * Writes a JSON patch that turns the entries of these managers into one of ours. The patch names
 * the version of the object: a change in between is a conflict. Entries of another apiVersion than
 * ours stay, since their fields have other names.
 */
MUST_USE struct error *ownership_adopt(const struct object *object, struct str manager,
                                       const struct delivery_policy_texts *adopt,
                                       struct buf *patch);
