#include "apiserver/endpoints/condition_edit.h"

#include "json/builder.h"
#include "json/path.h"

/* old is the condition that is replaced, or NULL. */
static void write_condition(struct json_builder *out, const struct condition_edit *condition,
                            const struct json_value *old)
{
    char room[TIMESTAMP_TEXT_MAX];
    const struct str since = json_path_str(old, "lastTransitionTime");
    const bool is_same = since.len > 0 && str_eq(json_path_str(old, "status"), condition->status);
    json_builder_object(out);
    json_builder_add_str(out, "type", condition->type);
    if (condition->observed_generation > 0)
        json_builder_add_int(out, "observedGeneration", condition->observed_generation);
    json_builder_add_str(out, "status", condition->status);
    json_builder_add_str(out, "lastTransitionTime",
                         is_same ? since : timestamp_write(condition->now, room));
    if (condition->reason.len > 0)
        json_builder_add_str(out, "reason", condition->reason);
    /* A condition that observes a generation is of the type that always has a message. */
    if (condition->observed_generation > 0 || condition->message.len > 0)
        json_builder_add_str(out, "message", condition->message);
    json_builder_end(out);
}

struct error *condition_edit_set(const struct condition_edit *condition,
                                 const struct json_value *object, struct json_edit *edit)
{
    SCOPED(json_builder) out = {.limit = 0};
    struct json_doc *doc = NULL;
    const struct json_value *one;
    bool is_there = false;
    json_builder_array(&out);
    JSON_FOREACH (key, one, json_path(object, "status.conditions")) {
        if (!str_eq(json_path_str(one, "type"), condition->type)) {
            json_builder_value(&out, one);
        } else if (!is_there) {
            write_condition(&out, condition, one);
            is_there = true;
        }
    }
    if (!is_there)
        write_condition(&out, condition, NULL);
    json_builder_end(&out);
    TRY(json_builder_finish(&out, &doc));
    json_doc_hold(condition->arena, doc);
    json_edit_set(edit, JSON_PLACE("status.conditions"), json_doc_root(doc));
    return NULL;
}
