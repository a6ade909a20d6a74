/*
 * Messages are those of kube-apiserver, which has one form for a single object and one for several.
 * All of them begin with "conversion webhook for" and the type of the object before, here that of
 * the first one.
 */
#include "apiserver/webhooks/conversion_review.h"

#include "apimachinery/metadata_validation.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/path.h"

static const char api_group[] = "apiextensions.k8s.io";

/* A Status without a reason, as every error of kube-apiserver that is no Status. */
static struct error *fail(const struct conversion_review *review, struct str what)
{
    const struct json_value *object = json_doc_root(review->questions[0].object);
    struct error *err = error_new(ERROR_UNKNOWN, "conversion webhook for %.*s, Kind=%.*s %.*s",
                                  STR_ARG(json_path_str(object, "apiVersion")),
                                  STR_ARG(json_path_str(object, "kind")), STR_ARG(what));
    err->http_status = 500;
    return err;
}

struct error *conversion_review_failure(const struct conversion_review *review, const char *why)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "failed: %s", why);
    return fail(review, buf_str(&text));
}

struct error *conversion_review_version(const struct json_value *webhook, struct str *ret_version)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_path(webhook, "conversionReviewVersions")) {
        const struct str version = json_to_str(item);
        if (str_eq(version, STR("v1")) || str_eq(version, STR("v1beta1"))) {
            *ret_version = version;
            return NULL;
        }
    }
    struct error *err = error_new(ERROR_UNKNOWN, "no supported conversion review versions");
    err->http_status = 500;
    return err;
}

/* kube-apiserver sends an empty response along, and so does this. */
static void add_empty_response(struct json_builder *out)
{
    json_builder_add_object(out, "response");
    json_builder_add_str(out, "uid", STR(""));
    json_builder_add_value(out, "convertedObjects", NULL);
    json_builder_add_object(out, "result");
    json_builder_add_object(out, "metadata");
    json_builder_end(out);
    json_builder_end(out);
    json_builder_end(out);
}

struct error *conversion_review_write(const struct conversion_review *review, struct buf *out)
{
    SCOPED(arena) arena = {0};
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("ConversionReview"));
    json_builder_add_str(&builder, "apiVersion",
                         arena_print(&arena, "%s/%.*s", api_group, STR_ARG(review->version)));
    json_builder_add_object(&builder, "request");
    json_builder_add_str(&builder, "uid", review->uid);
    json_builder_add_str(&builder, "desiredAPIVersion", gvk_api_version(&arena, review->to));
    json_builder_add_array(&builder, "objects");
    for (size_t i = 0; i < review->count; i++)
        json_builder_value(&builder, json_doc_root(review->questions[i].object));
    json_builder_end(&builder);
    json_builder_end(&builder);
    add_empty_response(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write_with(out, json_doc_root(doc), JSON_WRITE_ESCAPE_HTML);
    return buf_check(out);
}

static struct str quoted(struct arena *arena, struct str text)
{
    SCOPED(buf) out = {.limit = 0};
    buf_add_json_string(&out, text);
    return arena_str(arena, buf_str(&out));
}

/* What is wrong with the form of the answer; empty when nothing is. v1beta1 repeats nothing. */
static struct str judge_form(struct arena *arena, const struct conversion_review *review,
                             const struct json_value *root)
{
    struct gvk gvk = {0};
    const struct json_value *response = json_get(root, STR("response"));
    const struct str uid = json_path_str(response, "uid");
    const struct str status = json_path_str(response, "result.status");
    const struct str message = json_path_str(response, "result.message");
    const bool is_strict = str_eq(review->version, STR("v1"));
    OWNED(error)
    malformed =
        gvk_from_api_version(json_path_str(root, "apiVersion"), json_path_str(root, "kind"), &gvk);
    if (is_strict &&
        (malformed || !gvk_eq(gvk, GVK("apiextensions.k8s.io", "v1", "ConversionReview"))))
        return arena_print(arena,
                           "expected webhook response of %s/v1, Kind=ConversionReview, got "
                           "%.*s/%.*s, Kind=%.*s",
                           api_group, STR_ARG(gvk.group), STR_ARG(gvk.version), STR_ARG(gvk.kind));
    if (json_type(response) != JSON_OBJECT)
        return STR("no response provided");
    if (is_strict && !str_eq(uid, review->uid))
        return arena_print(arena, "expected response.uid=\"%.*s\", got %.*s", STR_ARG(review->uid),
                           STR_ARG(quoted(arena, uid)));
    if (str_eq(status, STR("Success")))
        return (struct str){0};
    return message.len ? message
                       : arena_print(arena, "response.result.status was '%.*s', not 'Success'",
                                     STR_ARG(status));
}

/* What is wrong with the type of a converted object; empty when nothing is. */
static struct str judge_type(struct arena *arena, const struct conversion_review *review,
                             const struct json_value *before, const struct json_value *after)
{
    const struct str wanted = gvk_api_version(arena, review->to);
    const struct str version = json_path_str(after, "apiVersion");
    const struct str kind = json_path_str(after, "kind");
    if (!str_eq(version, wanted))
        return arena_print(arena, "invalid groupVersion (expected %.*s, received %.*s)",
                           STR_ARG(wanted), STR_ARG(version));
    if (!str_eq(kind, json_path_str(before, "kind")))
        return arena_print(arena, "invalid kind (expected %.*s, received %.*s)",
                           STR_ARG(json_path_str(before, "kind")), STR_ARG(kind));
    return (struct str){0};
}

/* What a webhook may not change. */
static struct str judge_identity(struct arena *arena, const struct json_value *before,
                                 const struct json_value *after)
{
    static const struct {
        const char *path, *name;
    } fields[] = {
        {"metadata.name",      "name"     },
        {"metadata.namespace", "namespace"},
        {"metadata.uid",       "UID"      },
    };
    for (size_t i = 0; i < COUNT(fields); i++) {
        const struct str was = json_path_str(before, fields[i].path);
        const struct str is = json_path_str(after, fields[i].path);
        if (!str_eq(was, is))
            return arena_print(arena, "must have the same %s: %.*s != %.*s", fields[i].name,
                               STR_ARG(was), STR_ARG(is));
    }
    return (struct str){0};
}

static const char *go_type(const struct json_value *value)
{
    static const char *const names[] = {
        [JSON_NULL] = "<nil>",           [JSON_BOOL] = "bool",
        [JSON_NUMBER] = "float64",       [JSON_STRING] = "string",
        [JSON_ARRAY] = "[]interface {}", [JSON_OBJECT] = "map[string]interface {}",
    };
    int64_t whole;
    return json_to_int64(value, &whole) ? "int64" : names[json_type(value)];
}

/* Labels or annotations of a converted object: texts, and valid ones if the webhook changed them.
 */
static struct str judge_texts(struct arena *arena, const char *field,
                              const struct json_value *before, const struct json_value *after)
{
    struct field_errors errors = {.arena = arena};
    const bool is_labels = strcmp(field, "labels") == 0;
    const struct json_value *text;
    SCOPED(buf) out = {.limit = 0};
    if (json_type(after) <= JSON_NULL)
        return (struct str){0};
    if (json_type(after) != JSON_OBJECT)
        return arena_print(arena, "invalid metadata.%s of type %s in converted object", field,
                           go_type(after));
    JSON_FOREACH (key, text, after)
        if (json_type(text) != JSON_STRING)
            return arena_print(arena,
                               "metadata.%s[%.*s] must be a string, but is %s in converted object",
                               field, STR_ARG(key), go_type(text));
    if (before && json_equal(before, after))
        return (struct str){0};
    if (is_labels)
        metadata_check_labels(&errors, STR("metadata.labels"), after);
    else
        metadata_check_annotations(&errors, STR("metadata.annotation"), after);
    if (errors.count)
        field_errors_write(&out, &errors);
    return arena_str(arena, buf_str(&out));
}

static struct str judge_metadata(struct arena *arena, const struct json_value *before,
                                 const struct json_value *after)
{
    const struct json_value *metadata = json_get(after, STR("metadata"));
    const struct json_value *was = json_get(before, STR("metadata"));
    if (!metadata)
        return was ? STR("missing metadata in converted object") : (struct str){0};
    if (json_type(metadata) != JSON_OBJECT)
        return arena_print(arena, "invalid metadata of type %s in converted object",
                           go_type(metadata));
    const struct str wrong = judge_texts(arena, "labels", json_get(was, STR("labels")),
                                         json_get(metadata, STR("labels")));
    return wrong.len ? wrong
                     : judge_texts(arena, "annotations", json_get(was, STR("annotations")),
                                   json_get(metadata, STR("annotations")));
}

/* The object at the index; one of several is named by its index. */
static struct error *check_object(const struct conversion_review *review, size_t index,
                                  const struct json_value *after)
{
    SCOPED(arena) arena = {0};
    const struct json_value *before = json_doc_root(review->questions[index].object);
    const bool is_one = review->count == 1;
    struct str wrong = judge_type(&arena, review, before, after);
    if (wrong.len)
        return fail(review,
                    arena_print(&arena, "returned invalid %s at index %zu: %.*s",
                                is_one ? "object" : "converted object", index, STR_ARG(wrong)));
    wrong = judge_identity(&arena, before, after);
    if (wrong.len)
        return fail(review,
                    is_one ? arena_print(&arena, "returned invalid object: %.*s", STR_ARG(wrong))
                           : arena_print(&arena,
                                         "returned invalid converted object at index %zu: "
                                         "%.*s",
                                         index, STR_ARG(wrong)));
    wrong = judge_metadata(&arena, before, after);
    if (wrong.len == 0)
        return NULL;
    return fail(review, is_one
                            ? arena_print(&arena, "returned invalid metadata: %.*s", STR_ARG(wrong))
                            : arena_print(&arena,
                                          "returned invalid metadata in object at index %zu: "
                                          "%.*s",
                                          index, STR_ARG(wrong)));
}

struct error *conversion_review_read(const struct conversion_review *review, struct str text,
                                     struct json_doc **converted)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) doc = NULL;
    const struct json_value *object;
    size_t i = 0;
    OWNED(error) unreadable = json_read(text, &doc);
    if (unreadable)
        return conversion_review_failure(review, unreadable->message);
    const struct json_value *root = json_doc_root(doc);
    const struct str wrong = judge_form(&arena, review, root);
    if (wrong.len)
        return fail(review, ARENA_JOIN(&arena, STR("failed: "), wrong));
    const struct json_value *objects = json_path(root, "response.convertedObjects");
    if (json_count(objects) != review->count)
        return fail(review, arena_print(&arena, "returned %zu objects, expected %zu",
                                        json_count(objects), review->count));
    JSON_FOREACH (key, object, objects)
        TRY(check_object(review, i++, object));
    i = 0;
    JSON_FOREACH (key, object, objects)
        converted[i++] = json_doc_copy(object);
    return NULL;
}
