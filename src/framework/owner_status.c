/*
 * Edits the status of an owner document.
 *
 * There are two schemas of conditions. The plain one, which the design document describes, omits
 * empty reasons and messages. The standard one is metav1.Condition: reason, message,
 * observedGeneration and lastTransitionTime are always there, and lastTransitionTime changes only
 * with the status.
 */
#include "framework/owner_status.h"

#include "json/builder.h"
#include "json/edit.h"
#include "json/path.h"

bool owner_status_has_observed(const struct json_value *owner, int64_t generation)
{
    int64_t observed;
    return json_to_int64(json_path(owner, "status.observedGeneration"), &observed) &&
           observed == generation;
}

static const struct owner_status_condition *
find_condition(const struct owner_status_condition *conditions, size_t count, struct str type)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(conditions[i].type, type))
            return &conditions[i];
    return NULL;
}

/* metav1.Condition requires a reason. */
static struct str standard_reason(const struct owner_status_condition *condition)
{
    if (condition->reason.len)
        return condition->reason;
    return STR("Succeeded");
}

/* Keeps lastTransitionTime unless the status of the condition changes. */
static void add_transition(struct json_builder *builder, const struct owner_status_writer *writer,
                           const struct owner_status_condition *condition,
                           const struct json_value *old)
{
    char text[TIMESTAMP_TEXT_MAX];
    const struct str before = json_path_str(old, "lastTransitionTime");
    const bool same = before.len && str_eq(json_path_str(old, "status"), condition->status);
    json_builder_add_str(builder, "lastTransitionTime",
                         same ? before : timestamp_write(writer->now, text));
}

/* True for members that add_condition() writes. The last two belong to standard conditions only. */
static bool is_ours(const struct owner_status_writer *writer, struct str key)
{
    static const struct str ours[] = {
        STR_INIT("type"),
        STR_INIT("status"),
        STR_INIT("reason"),
        STR_INIT("message"),
        STR_INIT("observedGeneration"),
        STR_INIT("lastTransitionTime"),
    };
    const size_t count = writer->standard_conditions ? COUNT(ours) : COUNT(ours) - 2;
    for (size_t i = 0; i < count; i++)
        if (str_eq(key, ours[i]))
            return true;
    return false;
}

/* Writes a condition. Members of the old entry that are not ours are kept. */
static void add_condition(struct json_builder *builder, const struct owner_status_writer *writer,
                          const struct owner_status_condition *condition,
                          const struct json_value *old)
{
    const struct json_value *value;
    json_builder_object(builder);
    json_builder_add_str(builder, "type", condition->type);
    json_builder_add_str(builder, "status", condition->status);
    if (writer->standard_conditions) {
        json_builder_add_str(builder, "reason", standard_reason(condition));
        json_builder_add_str(builder, "message", condition->message);
        json_builder_add_int(builder, "observedGeneration", writer->generation);
        add_transition(builder, writer, condition, old);
    } else {
        if (condition->reason.len)
            json_builder_add_str(builder, "reason", condition->reason);
        if (condition->message.len)
            json_builder_add_str(builder, "message", condition->message);
    }
    JSON_FOREACH (key, value, old) {
        if (is_ours(writer, key))
            continue;
        json_builder_key(builder, key);
        json_builder_value(builder, value);
    }
    json_builder_end(builder);
}

/* The new list: changed entries in their places, new ones at the end, all others as they were. */
static struct error *make_conditions(const struct owner_status_writer *writer,
                                     const struct json_value *old,
                                     const struct owner_status_condition *conditions, size_t count,
                                     struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *entry;
    if (json_type(old) > JSON_NULL && json_type(old) != JSON_ARRAY)
        return error_new(ERROR_INVALID, "status.conditions is not a list");
    json_builder_array(&builder);
    JSON_FOREACH (key, entry, old) {
        if (json_type(entry) != JSON_OBJECT)
            return error_new(ERROR_INVALID, "an entry of status.conditions is not an object");
        const struct owner_status_condition *condition =
            find_condition(conditions, count, json_path_str(entry, "type"));
        if (condition)
            add_condition(&builder, writer, condition, entry);
        else
            json_builder_value(&builder, entry);
    }
    for (size_t i = 0; i < count; i++) {
        bool is_there = false;
        JSON_FOREACH (key, entry, old)
            is_there = is_there || str_eq(json_path_str(entry, "type"), conditions[i].type);
        if (!is_there)
            add_condition(&builder, writer, &conditions[i], NULL);
    }
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

struct error *owner_status_set(const struct owner_status_writer *writer,
                               const struct json_value *owner,
                               const struct owner_status_condition *conditions, size_t count,
                               struct json_doc **ret_owner)
{
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) list = NULL;
    TRY(make_conditions(writer, json_path(owner, "status.conditions"), conditions, count, &list));
    json_edit_init(&edit, owner);
    if (writer->has_generation)
        json_edit_set_int(&edit, JSON_PLACE("status.observedGeneration"), writer->generation);
    if (!writer->no_operator) {
        json_edit_set_str(&edit, JSON_PLACE("status.operator.controllerName"), writer->controller);
        json_edit_set_str(&edit, JSON_PLACE("status.operator.controllerVersion"), writer->version);
        json_edit_set_str(&edit, JSON_PLACE("status.operator.controllerGitCommit"), writer->commit);
    }
    if (json_count(json_doc_root(list)))
        json_edit_set(&edit, JSON_PLACE("status.conditions"), json_doc_root(list));
    return json_edit_finish(&edit, ret_owner);
}
