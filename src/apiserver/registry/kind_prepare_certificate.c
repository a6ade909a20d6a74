/*
 * Generated fields of CertificateSigningRequests: who asked, and when conditions were set.
 *
 * Upstream: k8s.io/kubernetes/pkg/registry/certificates/certificates/strategy.go.
 */
#include "apiserver/registry/kind_prepare_internal.h"
#include "base/map.h"
#include "base/timestamp.h"

/* Takes from the request who made it, whatever the object says. */
void prepare_certificate_create(struct prepare *prepare)
{
    static const struct str members[] = {STR_INIT("username"), STR_INIT("uid"), STR_INIT("groups"),
                                         STR_INIT("extra")};
    for (size_t i = 0; i < COUNT(members); i++) {
        const struct json_value *value = json_get(prepare->write->user, members[i]);
        if (value)
            json_edit_set(&prepare->edit, JSON_PLACE_KEY("spec", members[i]), value);
        else
            json_edit_remove(&prepare->edit, JSON_PLACE_KEY("spec", members[i]));
    }
}

/*
 * The conditions of the old object by type; types occur once, as validation refuses others. An
 * index, because a request may have many conditions.
 */
static void index_conditions(struct map *by_type, const struct json_value *object)
{
    const struct json_value *condition;
    JSON_FOREACH (key, condition, json_path(object, "status.conditions"))
        map_put(by_type, json_path_str(condition, "type"), (void *)condition);
}

/* A write to /status does not change what was decided: those conditions are the old ones. */
static bool is_decision(const struct prepare *prepare, struct str type)
{
    return str_eq(prepare->write->subresource, STR("status")) &&
           (str_eq(type, STR("Approved")) || str_eq(type, STR("Denied")));
}

/* When the old object got a condition of this type and status; empty when it has none. */
static struct str find_transition(const struct json_value *old, const struct json_value *wanted)
{
    if (!old || !str_eq(json_path_str(old, "status"), json_path_str(wanted, "status")))
        return (struct str){0};
    return json_path_str(old, "lastTransitionTime");
}

/* A condition with the times that it lacks. */
static void add_condition(struct json_builder *out, const struct prepare *prepare,
                          const struct json_value *condition, const struct json_value *old)
{
    char room[TIMESTAMP_TEXT_MAX];
    const struct str now = timestamp_write(prepare->write->now, room);
    const struct str since = find_transition(old, condition);
    const struct json_value *value;
    json_builder_object(out);
    JSON_FOREACH (key, value, condition) {
        json_builder_key(out, key);
        json_builder_value(out, value);
    }
    if (!json_path(condition, "lastUpdateTime"))
        json_builder_add_str(out, "lastUpdateTime", now);
    if (!json_path(condition, "lastTransitionTime"))
        json_builder_add_str(out, "lastTransitionTime", since.len > 0 ? since : now);
    json_builder_end(out);
}

static const struct json_value *prepared_conditions(struct prepare *prepare)
{
    const struct json_value *conditions = json_path(prepare->object, "status.conditions"), *one;
    SCOPED(json_builder) out = {.limit = 0};
    SCOPED(map) by_type = {.release = NULL};
    index_conditions(&by_type, prepare->write->old);
    json_builder_array(&out);
    JSON_FOREACH (key, one, conditions) {
        const struct str type = json_path_str(one, "type");
        const struct json_value *old = map_find(&by_type, type);
        add_condition(&out, prepare, old && is_decision(prepare, type) ? old : one, old);
    }
    json_builder_end(&out);
    return prepare_value(prepare, &out);
}

/* A write to /approval changes the conditions alone. */
void prepare_certificate_status(struct prepare *prepare)
{
    const struct json_value *certificate = json_path(prepare->write->old, "status.certificate");
    if (json_count(json_path(prepare->object, "status.conditions")) > 0)
        json_edit_set(&prepare->edit, JSON_PLACE("status.conditions"),
                      prepared_conditions(prepare));
    if (!str_eq(prepare->write->subresource, STR("approval")))
        return;
    if (certificate)
        json_edit_set(&prepare->edit, JSON_PLACE("status.certificate"), certificate);
    else
        json_edit_remove(&prepare->edit, JSON_PLACE("status.certificate"));
}
