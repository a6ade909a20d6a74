/*
 * The webhooks get typed objects, this code gets documents. Where a message or a comparison depends
 * on the type, typed_selector() makes the document that the Go type would be.
 */
#include "clusterresourceset/types/crs_admission.h"

#include "apimachinery/selector.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"

#define IMMUTABLE STR("field is immutable")

struct error *crs_default_set(struct json_doc *doc, struct json_doc **ret_doc)
{
    SCOPED(json_edit) edit = {0};
    if (json_path_str(json_doc_root(doc), "spec.strategy").len) {
        *ret_doc = json_doc_ref(doc);
        return NULL;
    }
    json_edit_init(&edit, json_doc_root(doc));
    json_edit_set_str(&edit, JSON_PLACE("spec.strategy"), STR("ApplyOnce"));
    return json_edit_finish(&edit, ret_doc);
}

/* True if the container is written. Empty ones are left out, as by "omitempty", unless keep_empty.
 */
static bool is_shown(const struct json_value *container, bool keep_empty)
{
    return json_count(container) > 0 || (keep_empty && json_type(container) > JSON_NULL);
}

static void add_expression(struct json_builder *out, const struct json_value *expression,
                           bool keep_empty)
{
    const struct json_value *values = json_get(expression, STR("values"));
    json_builder_object(out);
    json_builder_add_str(out, "key", json_path_str(expression, "key"));
    json_builder_add_str(out, "operator", json_path_str(expression, "operator"));
    if (is_shown(values, keep_empty))
        json_builder_add_value(out, "values", values);
    json_builder_end(out);
}

/* Go writes maps in the order of their keys. */
static void add_labels(struct json_builder *out, const struct json_value *labels)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) sorted = NULL;
    json_write_canonical(&text, labels);
    error_free(json_read(buf_str(&text), &sorted)); /* what was written can be read */
    json_builder_add_value(out, "matchLabels", json_doc_root(sorted));
}

/*
 * The selector as its Go type would hold it: without unknown members, and with null as absent.
 * Messages show it without empty members. With them it is what reflect.DeepEqual() compares.
 */
static struct json_doc *typed_selector(const struct json_value *selector, bool keep_empty)
{
    const struct json_value *labels = json_get(selector, STR("matchLabels"));
    const struct json_value *expressions = json_get(selector, STR("matchExpressions")), *value;
    SCOPED(json_builder) out = {.limit = 0};
    struct json_doc *doc = NULL;
    json_builder_object(&out);
    if (is_shown(labels, keep_empty))
        add_labels(&out, labels);
    if (is_shown(expressions, keep_empty)) {
        json_builder_add_array(&out, "matchExpressions");
        JSON_FOREACH (key, value, expressions)
            add_expression(&out, value, keep_empty);
        json_builder_end(&out);
    }
    json_builder_end(&out);
    error_free(json_builder_finish(&out, &doc)); /* no larger than what came over the wire */
    return doc;
}

/* The message quotes the selector as Go writes it. */
static void refuse_selector(const struct json_value *set, struct str detail,
                            struct field_errors *errors)
{
    OWNED(json_doc) shown = typed_selector(json_path(set, "spec.clusterSelector"), false);
    field_errors_add_value(errors, FIELD_INVALID, STR("spec.clusterSelector"), json_doc_root(shown),
                           detail);
}

static void check_selector(const struct json_value *set, struct field_errors *errors)
{
    SCOPED(arena) arena = {.limit = 0};
    OWNED(json_doc) typed = typed_selector(json_path(set, "spec.clusterSelector"), true);
    struct selector selector;
    OWNED(error) err = selector_from_value(&arena, json_doc_root(typed), &selector);
    if (err)
        refuse_selector(set, str_from_c(err->message), errors);
    else if (selector_is_empty(&selector))
        refuse_selector(set, STR("selector must not be empty"), errors);
}

/* Equal as Go values: the order of labels and unknown members do not count. */
static bool is_same_selector(const struct json_value *old, const struct json_value *set)
{
    OWNED(json_doc) before = typed_selector(json_path(old, "spec.clusterSelector"), true);
    OWNED(json_doc) after = typed_selector(json_path(set, "spec.clusterSelector"), true);
    return json_equal(json_doc_root(before), json_doc_root(after));
}

/* Adds an error if a string that was set has changed. */
static void check_kept(const char *path, const struct json_value *old,
                       const struct json_value *object, struct field_errors *errors)
{
    const struct str before = json_path_str(old, path), after = json_path_str(object, path);
    if (before.len && !str_eq(before, after))
        field_errors_add_str(errors, FIELD_INVALID, str_from_c(path), after, IMMUTABLE);
}

/* The selector is validated on every write, and it and the strategy cannot be changed. */
void crs_validate_set(const struct json_value *old, const struct json_value *set,
                      struct field_errors *errors)
{
    check_selector(set, errors);
    if (!old)
        return;
    check_kept("spec.strategy", old, set, errors);
    if (!is_same_selector(old, set))
        refuse_selector(set, IMMUTABLE, errors);
}

void crs_validate_binding(const struct json_value *old, const struct json_value *binding,
                          struct field_errors *errors)
{
    if (old)
        check_kept("spec.clusterName", old, binding, errors);
}
