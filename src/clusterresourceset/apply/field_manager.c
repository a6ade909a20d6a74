#include "clusterresourceset/apply/field_manager.h"

#include <string.h>

#include "base/owned.h"
#include "base/sha256.h"
#include "json/json.h"

#define PREFIX     "corset:"
#define KEPT       111 /* bytes of a name that is too long */
#define HASH_LEN   16
#define CAUSE      STR("FieldManagerConflict")
#define CAUSE_TEXT STR("conflict with \"")

struct str field_manager_of_set(struct arena *arena, struct key set)
{
    uint8_t digest[SHA256_LEN];
    char hex[SHA256_HEX_LEN + 1];
    const struct str whole =
        arena_print(arena, PREFIX "%.*s/%.*s", STR_ARG(set.namespace), STR_ARG(set.name));
    if (whole.len <= FIELD_MANAGER_MAX)
        return whole;
    sha256_of(whole, digest);
    sha256_hex(digest, hex);
    return arena_print(arena, "%.*s~%.*s", KEPT, whole.ptr, HASH_LEN, hex);
}

bool field_manager_set(struct str manager, struct str *ret_set)
{
    *ret_set = STR("");
    if (!str_starts_with(manager, STR(PREFIX)))
        return false;
    *ret_set = str_skip(manager, strlen(PREFIX));
    return true;
}

bool field_manager_is_conflict(const struct error *err)
{
    return error_is(err, ERROR_CONFLICT) && err->details &&
           str_contains(str_from_c(err->details), CAUSE);
}

/* The manager in 'conflict with "corset:ns/s" using v1'; empty if there is none. */
static struct str manager_of_cause(const struct json_value *cause)
{
    struct str message = json_to_str(json_get(cause, STR("message"))), manager = {0};
    if (!str_eq(json_to_str(json_get(cause, STR("reason"))), CAUSE) ||
        !str_starts_with(message, CAUSE_TEXT))
        return manager;
    message = str_skip(message, CAUSE_TEXT.len);
    str_cut(&message, '"', &manager);
    return manager;
}

struct str field_manager_conflicting_set(const struct error *err, struct arena *arena)
{
    OWNED(json_doc) doc = NULL;
    struct str set;
    if (!field_manager_is_conflict(err))
        return STR("");
    error_free(json_read(str_from_c(err->details), &doc));
    const struct json_value *cause;
    JSON_FOREACH (key, cause, json_get(json_doc_root(doc), STR("causes")))
        if (field_manager_set(manager_of_cause(cause), &set))
            return arena_str(arena, set);
    return STR("");
}
