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
    char hash[HASH_LEN + 1];
    const struct str whole =
        arena_print(arena, PREFIX "%.*s/%.*s", STR_ARG(set.namespace), STR_ARG(set.name));
    if (whole.len <= FIELD_MANAGER_MAX)
        return whole;
    sha256_start(whole, HASH_LEN, hash);
    return arena_print(arena, "%.*s~%s", KEPT, whole.ptr, hash);
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

const struct field_manager_conflict *field_manager_conflicts(const struct error *err,
                                                             struct arena *arena, size_t *ret_count)
{
    struct json_doc *doc = NULL;
    const struct json_value *cause;
    *ret_count = 0;
    if (!field_manager_is_conflict(err))
        return NULL;
    OWNED(error) other = json_read(str_from_c(err->details), &doc);
    if (other)
        return NULL;
    json_doc_hold(arena, doc);
    const struct json_value *causes = json_get(json_doc_root(doc), STR("causes"));
    struct field_manager_conflict *conflicts =
        arena_alloc_array(arena, json_count(causes), sizeof(*conflicts));
    JSON_FOREACH (key, cause, causes) {
        const struct str manager = manager_of_cause(cause);
        if (manager.len)
            conflicts[(*ret_count)++] = (struct field_manager_conflict){
                json_to_str(json_get(cause, STR("field"))), manager};
    }
    return conflicts;
}

struct str field_manager_conflicting_set(const struct error *err, struct arena *arena)
{
    size_t count;
    struct str set;
    const struct field_manager_conflict *conflicts = field_manager_conflicts(err, arena, &count);
    for (size_t i = 0; i < count; i++)
        if (field_manager_set(conflicts[i].manager, &set))
            return set;
    return STR("");
}

/* What is in brackets: 'name="a"' and 'port=80,protocol="TCP"' become 'a' and '80,TCP'. */
static void write_item_key(struct str key, struct buf *out)
{
    bool is_name = str_find_char(key, '=') != STR_NONE, is_quoted = false;
    for (size_t i = 0; i < key.len; i++) {
        const char c = key.ptr[i];
        if (is_name) {
            is_name = c != '=';
        } else if (c == '"') {
            is_quoted = !is_quoted;
        } else {
            is_name = c == ',' && !is_quoted;
            buf_add_char(out, c);
        }
    }
}

void field_manager_conflict_write(const struct field_manager_conflict *conflict, bool is_secret,
                                  struct buf *out)
{
    struct str rest = conflict->field, part, key, set;
    if (str_starts_with(rest, STR(".")))
        rest = str_skip(rest, 1);
    while (str_cut(&rest, '[', &part)) {
        buf_add(out, part);
        buf_add_char(out, '[');
        str_cut(&rest, ']', &key);
        if (is_secret)
            buf_add(out, STR("…"));
        else
            write_item_key(key, out);
        buf_add_char(out, ']');
    }
    buf_add(out, part);
    if (field_manager_set(conflict->manager, &set))
        buf_print(out, " owned by ClusterResourceSet %.*s", STR_ARG(set));
    else
        buf_print(out, " owned by %.*s", STR_ARG(conflict->manager));
}
