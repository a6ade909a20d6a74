/*
 * Shows objects in errors as upstream does: it marshals an internal Go type, whose fields have no
 * names for JSON and are not left out when they are empty.
 *
 * Members stand in the order of the type. Only types without quantities, times and maps are shown.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/ascii.h"

/* A struct in a struct in a list in the object that is shown. */
#define SHOW_DEPTH_MAX 8

const struct go_type *field_type_at(const struct go_type *type, const char *path)
{
    struct str name;
    while (type && json_path_next(&path, &name)) {
        const struct go_field *field = go_type_field(type, name);
        type = field ? field->type : NULL;
    }
    return type;
}

/* Names in which more than the first letter is large. */
static void show_name(struct buf *out, const char *name)
{
    static const struct {
        const char *name, *shown;
    } special[] = {
        {"seLinuxOptions",         "SELinuxOptions"        },
        {"ip",                     "IP"                    },
        {"gmsaCredentialSpecName", "GMSACredentialSpecName"},
        {"gmsaCredentialSpec",     "GMSACredentialSpec"    },
    };
    for (size_t i = 0; i < COUNT(special); i++)
        if (strcmp(special[i].name, name) == 0) {
            buf_print(out, "\"%s\":", special[i].shown);
            return;
        }
    buf_print(out, "\"%c%s\":", ascii_to_upper(name[0]), name + 1);
}

/* What Go has where nothing was given. */
static void show_absent(struct buf *out, const struct go_field *field)
{
    if (field->flags & (GO_POINTER | GO_LIST | GO_MAP))
        buf_add(out, STR("null"));
    else if (field->kind == GO_STRING)
        buf_add(out, STR("\"\""));
    else
        buf_add(out, field->kind == GO_BOOL ? STR("false") : STR("0"));
}

static void show_value(struct buf *out, const struct go_type *type, const struct json_value *value,
                       size_t depth);

static void show_struct(struct buf *out, const struct go_type *type, const struct json_value *value,
                        size_t depth)
{
    buf_add(out, STR("{"));
    for (size_t i = 0; i < type->count; i++) {
        const struct go_field *field = &type->fields[i];
        const struct json_value *member = json_get(value, str_from_c(field->name));
        buf_add(out, i ? STR(",") : STR(""));
        show_name(out, field->name);
        if (member)
            show_value(out, field->kind == GO_MESSAGE ? field->type : NULL, member, depth + 1);
        else
            show_absent(out, field);
    }
    buf_add(out, STR("}"));
}

/* type is NULL for what is no struct. */
static void show_value(struct buf *out, const struct go_type *type, const struct json_value *value,
                       size_t depth)
{
    const struct json_value *item;
    bool is_first = true;
    if (!type || depth >= SHOW_DEPTH_MAX) {
        json_write(out, value);
        return;
    }
    if (json_type(value) != JSON_ARRAY) {
        show_struct(out, type, value, depth);
        return;
    }
    buf_add(out, STR("["));
    JSON_FOREACH (key, item, value) {
        buf_add(out, is_first ? STR("") : STR(","));
        show_value(out, type, item, depth + 1);
        is_first = false;
    }
    buf_add(out, STR("]"));
}

/* Go writes JSON that may stand in HTML. */
static struct str escape_html(struct kind_validator *v, struct str text)
{
    SCOPED(buf) out = {.limit = 0};
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] == '<' || text.ptr[i] == '>' || text.ptr[i] == '&')
            buf_print(&out, "\\u%04x", (unsigned)text.ptr[i]);
        else
            buf_add(&out, str_slice(text, i, i + 1));
    return arena_str(v->arena, buf_str(&out));
}

/* An absent list is null. */
void field_invalid_struct(struct kind_validator *v, struct str path, const struct go_type *type,
                          const struct json_value *value, const char *detail)
{
    SCOPED(buf) text = {.limit = 0};
    if (field_errors_is_full(v->errors))
        return; /* the value may be large */
    if (value)
        show_value(&text, type, value, 0);
    else
        buf_add(&text, STR("null"));
    const struct str shown = escape_html(v, buf_str(&text));
    field_errors_add(v->errors, FIELD_INVALID, path,
                     ARENA_JOIN(v->arena, shown, STR(": "), str_from_c(detail)));
}
