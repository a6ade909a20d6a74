#include "client/watch_line.h"

#include "apimachinery/status.h"
#include "json/json.h"

static const struct {
    struct str name;
    enum watch_type type;
} types[] = {
    {STR_INIT("ADDED"),    WATCH_ADDED   },
    {STR_INIT("MODIFIED"), WATCH_MODIFIED},
    {STR_INIT("DELETED"),  WATCH_DELETED },
    {STR_INIT("BOOKMARK"), WATCH_BOOKMARK},
};

static bool find_type(struct str name, enum watch_type *ret_type)
{
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_eq(types[i].name, name)) {
            *ret_type = types[i].type;
            return true;
        }
    return false;
}

static bool ends_initial_events(const struct object *object)
{
    struct str value;
    return object_find_annotation(object, STR("k8s.io/initial-events-end"), &value) &&
           str_eq(value, STR("true"));
}

struct error *watch_line_read(struct str line, struct watch_event *ret_event, bool *ret_known)
{
    OWNED(json_doc) doc = NULL;
    *ret_event = (struct watch_event){0};
    *ret_known = false;
    TRY(json_read(line, &doc), "read an event");
    const struct json_value *root = json_doc_root(doc);
    const struct json_value *content = json_get(root, STR("object"));
    const struct str type = json_to_str(json_get(root, STR("type")));
    if (str_eq(type, STR("ERROR")))
        return status_to_error(content, 0);
    if (!find_type(type, &ret_event->type))
        return NULL;
    TRY(object_from_part(doc, content, STR(""), STR(""), &ret_event->object), "read an event");
    *ret_known = true;
    ret_event->initial_end =
        ret_event->type == WATCH_BOOKMARK && ends_initial_events(ret_event->object);
    return NULL;
}
