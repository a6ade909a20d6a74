/*
 * Reads the body of a JSON patch request into operations, with the messages of the API server
 * (apiserver/pkg/endpoints/handlers/patch.go). Nothing is applied here.
 */
#include "json/json_patch_internal.h"
#include "json/read.h"

void json_patch_free(struct json_patch *patch)
{
    if (!patch)
        return;
    json_doc_free(patch->doc);
    mem_free(patch->operations);
    mem_free(patch);
}

bool json_patch_copies(const struct json_patch *patch)
{
    for (size_t i = 0; i < patch->count; i++)
        if (str_eq(patch->operations[i].op, STR("copy")))
            return true;
    return false;
}

static struct error *bad_request(const struct json_value *value, const char *into)
{
    return error_new(ERROR_BAD_REQUEST,
                     "error decoding patch: json: cannot unmarshal %s into Go %s",
                     read_go_type(value), into);
}

/* Null counts as absent, as it does for a Go field. */
static struct error *read_string(const struct json_value *value, const char *field,
                                 struct str *ret_string, bool *ret_present)
{
    if (json_type(value) == JSON_NULL)
        return NULL;
    if (json_type(value) != JSON_STRING)
        return error_new(ERROR_BAD_REQUEST,
                         "error decoding patch: json: cannot unmarshal %s into Go struct field "
                         "jsonPatchOp.%s of type string",
                         read_go_type(value), field);
    *ret_string = json_to_str(value);
    *ret_present = true;
    return NULL;
}

static void warn_of_unknown(struct json_warnings *warnings, size_t index, struct str key)
{
    if (!warnings)
        return;
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "json patch unknown field \"[%zu].%.*s\"", index, STR_ARG(key));
    json_warn(warnings, buf_str(&text));
}

/* Unknown members are ignored, with a warning under strict field validation. */
static struct error *read_member(struct str key, const struct json_value *value, size_t index,
                                 struct json_warnings *warnings, struct operation *operation)
{
    bool has_op;
    if (str_eq(key, STR("op")))
        return read_string(value, "op", &operation->op, &has_op);
    if (str_eq(key, STR("path")))
        return read_string(value, "path", &operation->path, &operation->has_path);
    if (str_eq(key, STR("from")))
        return read_string(value, "from", &operation->from, &operation->has_from);
    if (str_eq(key, STR("value")))
        operation->value = json_to_yyjson(value);
    else
        warn_of_unknown(warnings, index, key);
    return NULL;
}

/* A null operation has no members; its missing "op" is reported when it is applied. */
static struct error *read_operation(const struct json_value *value, size_t index,
                                    struct json_warnings *warnings, struct operation *operation)
{
    const struct json_value *member;
    *operation = (struct operation){.op = STR("unknown")};
    if (json_type(value) != JSON_OBJECT && json_type(value) != JSON_NULL)
        return bad_request(value, "value of type handlers.jsonPatchOp");
    JSON_FOREACH (key, member, value)
        TRY(read_member(key, member, index, warnings, operation));
    return NULL;
}

static struct error *read_operations(struct json_patch *patch, struct json_warnings *warnings)
{
    const struct json_value *root = json_doc_root(patch->doc), *value;
    if (json_type(root) == JSON_NULL)
        return NULL; /* a nil slice, thus no operations */
    if (json_type(root) != JSON_ARRAY)
        return bad_request(root, "value of type []handlers.jsonPatchOp");
    if (json_count(root) > JSON_PATCH_OPERATIONS_MAX)
        return error_new(ERROR_TOO_LARGE,
                         "The allowed maximum operations in a JSON patch is %d, got %zu",
                         JSON_PATCH_OPERATIONS_MAX, json_count(root));
    patch->operations = mem_realloc_array(NULL, json_count(root), sizeof(*patch->operations));
    JSON_FOREACH (key, value, root) {
        (void)key;
        TRY(read_operation(value, patch->count, warnings, &patch->operations[patch->count]));
        patch->count++;
    }
    return NULL;
}

/* The server prefixes the decoder's warnings with "json patch". */
static void add_duplicates(struct json_warnings *warnings, const struct json_warnings *found)
{
    for (size_t i = 0; i < found->count; i++) {
        SCOPED(buf) text = {.limit = 0};
        buf_print(&text, "json patch %.*s", STR_ARG(found->items[i]));
        json_warn(warnings, buf_str(&text));
    }
}

/* Warnings about repeated members are collected apart, because they get a prefix. */
struct error *json_patch_read(struct str text, struct json_warnings *warnings,
                              struct json_patch **ret_patch)
{
    struct read_problem problem;
    struct json_warnings duplicates = {.arena = warnings ? warnings->arena : NULL};
    TRY(read_check_size(text));
    OWNED(json_patch) patch = NEW(struct json_patch);
    patch->doc = read_text(text, warnings ? &duplicates : NULL, &problem);
    if (!patch->doc)
        return error_new(ERROR_BAD_REQUEST, "error decoding patch: %s", problem.message);
    if (warnings)
        add_duplicates(warnings, &duplicates);
    TRY(read_operations(patch, warnings));
    *ret_patch = TAKE(patch);
    return NULL;
}
