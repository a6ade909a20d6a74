/*
 * The status of definitions. Upstream three controllers write it a moment after a change; here one
 * function does.
 *
 *     accept_names()      acceptedNames and NamesAccepted
 * pkg/controller/status/naming_controller.go set_established()   Established
 * pkg/controller/establish set_terminating()   Terminating
 * pkg/controller/finalizer/crd_finalizer.go
 *
 * A name that another definition of the group uses is not accepted: the old accepted name stays,
 * and NamesAccepted becomes False with the reason of the last conflict.
 */
#include "apimachinery/condition.h"
#include "apiserver/crd/definition_internal.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

/* The state of one pass over the names of a definition. */
struct names {
    const struct json_value *wanted, *accepted;
    definition_name_taken_fn *taken;
    void *data;
    struct json_builder *out; /* the new acceptedNames */
    struct arena *arena;
    struct condition condition; /* NamesAccepted; of several conflicts it has the last */
};

static bool is_free(const struct names *names, struct str name, bool is_kind)
{
    return !names->taken || !names->taken(names->data, name, is_kind);
}

static void set_conflict(struct names *names, const char *reason, struct str message)
{
    names->condition.status = CONDITION_FALSE;
    names->condition.reason = str_from_c(reason);
    names->condition.message = message;
}

/*
 * Accepts one name, unless it is new and taken. `always` writes an empty name too, as Go does for
 * members without omitempty.
 */
static void accept_name(struct names *names, const char *member, bool is_kind, bool always,
                        const char *conflict)
{
    const struct str wanted = json_path_str(names->wanted, member);
    const struct str accepted = json_path_str(names->accepted, member);
    struct str result = wanted;
    if (!str_eq(wanted, accepted) && !is_free(names, wanted, is_kind)) {
        result = accepted;
        set_conflict(names, conflict,
                     arena_print(names->arena, "\"%.*s\" is already in use", STR_ARG(wanted)));
    }
    if (result.len > 0 || always)
        json_builder_add_str(names->out, member, result);
}

/* The message about short names that are taken: one as it is, several in brackets. */
static struct str short_name_conflicts(struct names *names, const struct json_value *wanted,
                                       const struct json_value *accepted)
{
    const struct json_value *value;
    SCOPED(buf) text = {.limit = 0};
    size_t count = 0;
    JSON_FOREACH (key, value, wanted) {
        const struct str name = json_to_str(value);
        if (definition_has_text(accepted, name) || is_free(names, name, false))
            continue;
        buf_print(&text, "%s\"%.*s\" is already in use", count++ ? ", " : "", STR_ARG(name));
    }
    return count > 1 ? arena_print(names->arena, "[%.*s]", STR_ARG(buf_str(&text)))
                     : arena_str(names->arena, buf_str(&text));
}

/* Short names are accepted together or not at all. */
static void accept_short_names(struct names *names)
{
    const struct json_value *wanted = json_get(names->wanted, STR("shortNames"));
    const struct json_value *accepted = json_get(names->accepted, STR("shortNames"));
    const struct str conflicts = short_name_conflicts(names, wanted, accepted);
    const struct json_value *result = conflicts.len ? accepted : wanted;
    if (conflicts.len)
        set_conflict(names, "ShortNamesConflict", conflicts);
    if (json_count(result) > 0)
        json_builder_add_value(names->out, "shortNames", result);
}

/* Adds acceptedNames, as one object, to the builder. Categories cannot conflict. */
static void accept_names(struct names *names)
{
    const struct json_value *categories = json_get(names->wanted, STR("categories"));
    names->condition = (struct condition){
        .type = STR("NamesAccepted"),
        .status = CONDITION_TRUE,
        .reason = STR("NoConflicts"),
        .message = STR("no conflicts found"),
    };
    json_builder_object(names->out);
    accept_name(names, "plural", false, true, "PluralConflict");
    accept_name(names, "singular", false, false, "SingularConflict");
    accept_short_names(names);
    accept_name(names, "kind", true, true, "KindConflict");
    accept_name(names, "listKind", true, false, "ListKindConflict");
    if (json_count(categories) > 0)
        json_builder_add_value(names->out, "categories", categories);
    json_builder_end(names->out);
}

/* A definition that is established stays so, whatever happens to its names later. */
static void set_established(struct condition_list *list, bool names_accepted, timestamp now)
{
    const struct condition refused = {.type = STR("Established"),
                                      .status = CONDITION_FALSE,
                                      .reason = STR("NotAccepted"),
                                      .message = STR("not all names are accepted")};
    const struct condition established = {.type = STR("Established"),
                                          .status = CONDITION_TRUE,
                                          .reason = STR("InitialNamesAccepted"),
                                          .message = STR("the initial names have been accepted")};
    struct condition old;
    const bool is_there = condition_list_find(list, STR("Established"), &old);
    if (is_there && (old.status == CONDITION_TRUE || !names_accepted))
        return;
    condition_list_set(list, names_accepted ? &established : &refused, now);
}

static void set_terminating(struct condition_list *list, timestamp now)
{
    const struct condition terminating = {
        .type = STR("Terminating"),
        .status = CONDITION_TRUE,
        .reason = STR("InstanceDeletionInProgress"),
        .message = STR("CustomResource deletion is in progress"),
    };
    condition_list_set(list, &terminating, now);
}

static const struct json_value *list_or_none(const struct json_value *value)
{
    return json_type(value) == JSON_ARRAY ? value : NULL;
}

struct error *definition_update_status(struct json_doc *doc, timestamp now,
                                       definition_name_taken_fn *taken, void *data,
                                       struct json_doc **ret_doc)
{
    const struct json_value *root = json_doc_root(doc);
    SCOPED(arena) arena = {.limit = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    SCOPED(json_edit) edit;
    OWNED(json_doc) accepted = NULL;
    OWNED(json_doc) conditions = NULL;
    OWNED(json_doc) updated = NULL;
    struct condition_list list;
    struct names names = {
        .wanted = json_path(root, "spec.names"),
        .accepted = json_path(root, "status.acceptedNames"),
        .taken = taken,
        .data = data,
        .out = &builder,
        .arena = &arena,
    };
    json_edit_init(&edit, root);
    accept_names(&names);
    TRY(json_builder_finish(&builder, &accepted));
    TRY(condition_list_read(&arena, CONDITION_METAV1,
                            list_or_none(json_path(root, "status.conditions")), &list));
    condition_list_set(&list, &names.condition, now);
    set_established(&list, names.condition.status == CONDITION_TRUE, now);
    if (json_path(root, "metadata.deletionTimestamp"))
        set_terminating(&list, now);
    TRY(condition_list_build(&list, &conditions));
    json_edit_set(&edit, JSON_PLACE("status.conditions"), json_doc_root(conditions));
    json_edit_set(&edit, JSON_PLACE("status.acceptedNames"), json_doc_root(accepted));
    TRY(json_edit_finish(&edit, &updated), "update the status of the definition");
    *ret_doc = json_equal(root, json_doc_root(updated)) ? json_doc_ref(doc) : TAKE(updated);
    return NULL;
}
