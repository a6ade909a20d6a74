#include "apiserver/webhooks/admission_review.h"

#include "base/base64.h"
#include "json/builder.h"
#include "json/path.h"

#define DETAILS_MAX (64 * KILOBYTE)

static void add_kind(struct json_builder *out, const char *key, struct gvk gvk)
{
    json_builder_add_object(out, key);
    json_builder_add_str(out, "group", gvk.group);
    json_builder_add_str(out, "version", gvk.version);
    json_builder_add_str(out, "kind", gvk.kind);
    json_builder_end(out);
}

static void add_resource(struct json_builder *out, const char *key, struct gvr gvr)
{
    json_builder_add_object(out, key);
    json_builder_add_str(out, "group", gvr.group);
    json_builder_add_str(out, "version", gvr.version);
    json_builder_add_str(out, "resource", gvr.resource);
    json_builder_end(out);
}

/* Go leaves out what is empty. */
static void add_unless_empty(struct json_builder *out, const char *key, struct str value)
{
    if (value.len)
        json_builder_add_str(out, key, value);
}

static void add_strings(struct json_builder *out, const struct rbac_strings *strings)
{
    json_builder_array(out);
    for (size_t i = 0; i < strings->count; i++)
        json_builder_str(out, strings->items[i]);
    json_builder_end(out);
}

static void add_user(struct json_builder *out, const struct user_info *user)
{
    json_builder_add_object(out, "userInfo");
    add_unless_empty(out, "username", user->user.name);
    add_unless_empty(out, "uid", user->uid);
    if (user->user.groups.count) {
        json_builder_key(out, STR("groups"));
        add_strings(out, &user->user.groups);
    }
    if (user->extra_count) {
        json_builder_add_object(out, "extra");
        for (size_t i = 0; i < user->extra_count; i++) {
            json_builder_key(out, user->extra[i].key);
            add_strings(out, &user->extra[i].values);
        }
        json_builder_end(out);
    }
    json_builder_end(out);
}

struct error *admission_review_write(const struct admission_review *review, struct buf *out)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("AdmissionReview"));
    json_builder_add_str(&builder, "apiVersion",
                         str_eq(review->version, STR("v1")) ? STR("admission.k8s.io/v1")
                                                            : STR("admission.k8s.io/v1beta1"));
    json_builder_add_object(&builder, "request");
    json_builder_add_str(&builder, "uid", review->uid);
    add_kind(&builder, "kind", review->kind);
    add_resource(&builder, "resource", review->resource);
    add_unless_empty(&builder, "subResource", review->subresource);
    add_kind(&builder, "requestKind", review->request_kind);
    add_resource(&builder, "requestResource", review->request_resource);
    add_unless_empty(&builder, "requestSubResource", review->subresource);
    add_unless_empty(&builder, "name", review->name);
    add_unless_empty(&builder, "namespace", review->namespace);
    json_builder_add_str(&builder, "operation", review->operation);
    add_user(&builder, review->user);
    json_builder_add_value(&builder, "object", review->object);
    json_builder_add_value(&builder, "oldObject", review->old_object);
    json_builder_add_bool(&builder, "dryRun", review->dry_run);
    json_builder_add_value(&builder, "options", review->options);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write_with(out, json_doc_root(doc), JSON_WRITE_ESCAPE_HTML);
    return buf_check(out);
}

void admission_answer_done(struct admission_answer *answer)
{
    json_doc_free(answer->doc);
    buf_done(&answer->patch);
}

/* v1beta1 neither has to repeat the uid nor the kind, and its patches are always JSON patches. */
static struct error *check_form(const struct json_value *root, const struct json_value *response,
                                const struct admission_review *review)
{
    const struct str uid = json_path_str(response, "uid");
    const struct str version = json_path_str(root, "apiVersion");
    const struct str kind = json_path_str(root, "kind");
    if (json_type(response) != JSON_OBJECT)
        return error_new(ERROR_PROTOCOL, "webhook response was absent");
    if (!str_eq(review->version, STR("v1")))
        return NULL;
    if (!str_eq(uid, review->uid))
        return error_new(ERROR_PROTOCOL, "expected response.uid=\"%.*s\", got \"%.*s\"",
                         STR_ARG(review->uid), STR_ARG(uid));
    if (!str_eq(version, STR("admission.k8s.io/v1")) || !str_eq(kind, STR("AdmissionReview")))
        return error_new(ERROR_PROTOCOL,
                         "expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, "
                         "got %.*s, Kind=%.*s",
                         STR_ARG(version), STR_ARG(kind));
    return NULL;
}

/* Whether the answer may have the patch that it has, or none. */
static struct error *check_patch(const struct json_value *response,
                                 const struct admission_review *review, bool is_mutating,
                                 struct admission_answer *answer)
{
    const struct str patch = json_path_str(response, "patch");
    const struct json_value *type = json_path(response, "patchType");
    const bool has_type = json_type(type) > JSON_NULL;
    const bool is_strict = str_eq(review->version, STR("v1"));
    if (!is_mutating && is_strict && patch.len)
        return error_new(ERROR_PROTOCOL, "validating webhook may not return response.patch");
    if (!is_mutating && is_strict && has_type)
        return error_new(ERROR_PROTOCOL, "validating webhook may not return response.patchType");
    if (!is_mutating)
        return NULL;
    if (is_strict && patch.len && !has_type)
        return error_new(ERROR_PROTOCOL,
                         "webhook returned response.patch but not response.patchType");
    if (is_strict && has_type && patch.len == 0)
        return error_new(ERROR_PROTOCOL,
                         "webhook returned response.patchType but not response.patch");
    if (is_strict && has_type && json_to_str(type).len == 0)
        return error_new(ERROR_PROTOCOL, "webhook returned invalid response.patchType of \"\"");
    answer->patch_type = is_strict && has_type ? json_to_str(type) : STR("JSONPatch");
    return NULL;
}

struct error *admission_answer_read(struct str text, const struct admission_review *review,
                                    bool is_mutating, struct admission_answer *answer)
{
    TRY(json_read(text, &answer->doc), "failed to call webhook");
    const struct json_value *root = json_doc_root(answer->doc);
    const struct json_value *response = json_get(root, STR("response"));
    TRY(base64_decode(&answer->patch, json_path_str(response, "patch")), "failed to call webhook");
    TRY(buf_check(&answer->patch), "failed to call webhook");
    TRY(check_form(root, response, review), "received invalid webhook response");
    TRY(check_patch(response, review, is_mutating, answer), "received invalid webhook response");
    (void)json_to_bool(json_get(response, STR("allowed")), &answer->allowed);
    answer->status = json_get(response, STR("status"));
    answer->warnings = json_get(response, STR("warnings"));
    return NULL;
}

/* A refusal is never a success, whatever code it comes with. */
static int code_of_denial(const struct json_value *status)
{
    int64_t code = 0;
    (void)json_to_int64(json_get(status, STR("code")), &code);
    return code >= 400 && code < 600 ? (int)code : 400;
}

/* Upstream: ToStatusErr() of k8s.io/apiserver/pkg/admission/plugin/webhook/errors. */
struct error *admission_answer_denial(const struct admission_answer *answer, struct str webhook)
{
    const struct str message = json_path_str(answer->status, "message");
    const struct str reason = json_path_str(answer->status, "reason");
    const struct json_value *details = json_get(answer->status, STR("details"));
    const struct str why = message.len ? message : reason;
    SCOPED(buf) text = {.limit = DETAILS_MAX};
    struct error *err =
        error_new(reason.len ? error_code_from_reason(reason) : ERROR_UNKNOWN,
                  "admission webhook \"%.*s\" denied the request%s%.*s", STR_ARG(webhook),
                  why.len ? ": " : " without explanation", STR_ARG(why));
    err->http_status = code_of_denial(answer->status);
    if (json_type(details) != JSON_OBJECT)
        return err;
    json_write(&text, details);
    if (!text.overflowed)
        err->details = buf_take(&text);
    return err;
}
