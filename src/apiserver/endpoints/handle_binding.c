/*
 * A Binding is not stored: it sets the node of a Pod, once. Upstream:
 * k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go.
 */
#include "apiserver/endpoints/handle_binding.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/admission.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/condition_edit.h"
#include "apiserver/endpoints/negotiate.h"
#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/registry/kind_builtin.h"
#include "json/path.h"

struct binding {
    const struct request *request;
    const struct kind *pods;
    struct str name;
    const struct json_value *body;
    bool dry_run;
};

/* 500 without a reason, as kube-apiserver answers. */
static struct error *check_target(const struct binding *binding)
{
    static const struct str kinds[] = {STR_INIT("Node"), STR_INIT("<empty>")};
    const struct str kind = json_path_str(binding->body, "target.kind");
    struct field_errors errors = {.arena = binding->request->arena};
    SCOPED(buf) text = {.limit = 0};
    if (kind.len > 0 && !str_eq(kind, kinds[0]))
        field_errors_add_not_supported(&errors, STR("target.kind"), kind, kinds, COUNT(kinds));
    if (json_path_str(binding->body, "target.name").len == 0)
        field_errors_add(&errors, FIELD_REQUIRED, STR("target.name"), STR(""));
    if (errors.count == 0)
        return NULL;
    field_errors_write(&text, &errors);
    struct error *err = error_new(ERROR_UNKNOWN, "%.*s", STR_ARG(buf_str(&text)));
    err->http_status = 500;
    return err;
}

/* uid and resourceVersion of the Binding are those that the Pod must have. */
static struct error *check_precondition(const struct binding *binding, const char *member,
                                        const char *path, const struct json_value *pod)
{
    const struct request *request = binding->request;
    const struct str wanted = json_path_str(binding->body, path), found = json_path_str(pod, path);
    if (wanted.len == 0 || str_eq(wanted, found))
        return NULL;
    return status_conflict(
        kind_gvr(binding->pods), binding->name,
        arena_print(request->arena,
                    "StorageError: invalid object, Code: 4, Key: /registry/pods/%.*s/%.*s, "
                    "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: %s in "
                    "precondition: %.*s, %s in object meta: %.*s",
                    STR_ARG(request->namespace), STR_ARG(binding->name), member, STR_ARG(wanted),
                    member, STR_ARG(found)));
}

static struct error *cannot_bind(const struct binding *binding, struct str why)
{
    return status_conflict(GVR("", "v1", "pods/binding"), binding->name, why);
}

static struct error *check_unbound(const struct binding *binding, const struct json_value *pod)
{
    struct arena *arena = binding->request->arena;
    const struct str node = json_path_str(pod, "spec.nodeName");
    if (json_path(pod, "metadata.deletionTimestamp"))
        return cannot_bind(
            binding, arena_print(arena, "pod %.*s is being deleted, cannot be assigned to a host",
                                 STR_ARG(binding->name)));
    if (node.len > 0)
        return cannot_bind(binding,
                           arena_print(arena, "pod %.*s is already assigned to node \"%.*s\"",
                                       STR_ARG(binding->name), STR_ARG(node)));
    if (json_count(json_path(pod, "spec.schedulingGates")) > 0)
        return cannot_bind(binding,
                           arena_print(arena, "pod %.*s has non-empty .spec.schedulingGates",
                                       STR_ARG(binding->name)));
    return NULL;
}

/* Labels and annotations of the Binding go to the Pod. */
static void copy_map(struct json_edit *edit, const struct binding *binding, const char *path)
{
    const struct json_value *value;
    JSON_FOREACH (key, value, json_path(binding->body, path))
        json_edit_set(edit, (struct json_place){.path = path, .key = key, .has_key = true}, value);
}

static struct error *bind_pod(void *data, struct store_edit *edit)
{
    const struct binding *binding = data;
    const struct condition_edit scheduled = {.type = STR("PodScheduled"),
                                             .status = STR("True"),
                                             .now = binding->request->now,
                                             .arena = binding->request->arena};
    SCOPED(json_edit) change = {0};
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) doc = NULL;
    if (!edit->previous)
        return status_not_found(kind_gvr(binding->pods), binding->name);
    TRY(codec_read_stored(binding->pods, edit->previous, &old));
    const struct json_value *pod = json_doc_root(old);
    TRY(check_precondition(binding, "UID", "metadata.uid", pod));
    TRY(check_precondition(binding, "ResourceVersion", "metadata.resourceVersion", pod));
    TRY(check_unbound(binding, pod));
    if (binding->dry_run)
        return NULL;
    json_edit_init(&change, pod);
    json_edit_set_str(&change, JSON_PLACE("spec.nodeName"),
                      json_path_str(binding->body, "target.name"));
    json_edit_remove(&change, JSON_PLACE("status.nominatedNodeName"));
    copy_map(&change, binding, "metadata.annotations");
    copy_map(&change, binding, "metadata.labels");
    TRY(condition_edit_set(&scheduled, pod, &change));
    TRY(json_edit_finish(&change, &doc));
    return codec_write_edit(binding->pods, doc, STORE_PUT, edit, NULL);
}

/*
 * The name is that of the URL, which has to be that of the body, or without one that of the body.
 * Where both lack it, the target is looked at before that is said.
 */
static struct error *check_name_and_target(const struct binding *binding)
{
    const struct request *request = binding->request;
    if (request->name.len > 0 && !str_eq(request->name, binding->name))
        return status_bad_request("name in URL does not match name in Binding object");
    TRY(check_target(binding));
    return binding->name.len > 0 ? NULL : status_bad_request("Name parameter required.");
}

struct error *handle_binding(struct request *request)
{
    const struct kind *kind = kinds_find(GVR("", "v1", "bindings"));
    struct binding binding = {.request = request, .pods = kinds_find(GVR("", "v1", "pods"))};
    struct response_format format;
    struct write_options options;
    OWNED(json_doc) body = NULL;
    TRY(negotiate(request, &format));
    TRY(write_options_read(request, false, &options));
    TRY(body_read_kind(request, kind, options.validation, &body, NULL));
    binding.body = json_doc_root(body);
    binding.dry_run = options.dry_run;
    binding.name = json_path_str(binding.body, "metadata.name");
    TRY(check_name_and_target(&binding));
    const struct key key = {request->namespace, binding.name};
    TRY(api_change(request->api, api_id(binding.pods, key), STORE_ANY, bind_pod, &binding, NULL));
    return response_send_created(request);
}
