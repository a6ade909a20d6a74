/*
 * Routing of resource requests. The checks are in the order of an API server, because the first one
 * that fails decides between 404, 405 and 406:
 *
 *     1. the kind exists, and its scope fits the path
 *     2. the subresource exists and has the verb
 *     3. the kind has the verb, and the verb may be used at this place (object or collection)
 *
 * Reviews and TokenRequests are answered here, as they are never stored. Bindings and Evictions,
 * which are not stored either, change or delete a Pod.
 */
#include "apiserver/endpoints/route.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/scale.h"
#include "apiserver/default_objects.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/field_ownership.h"
#include "apiserver/endpoints/handle_binding.h"
#include "apiserver/endpoints/handle_delete.h"
#include "apiserver/endpoints/handle_eviction.h"
#include "apiserver/endpoints/handle_list.h"
#include "apiserver/endpoints/handle_nonresource.h"
#include "apiserver/endpoints/handle_watch.h"
#include "apiserver/endpoints/handle_write.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/compute.h"
#include "base/quote.h"
#include "json/edit.h"

static const struct {
    unsigned bit;
    struct error *(*serve)(struct request *request);
} verbs[] = {
    [VERB_NONE] = {0,                     NULL                    },
    [VERB_GET] = {KIND_GET,              NULL                    },
    [VERB_LIST] = {KIND_LIST,             handle_list             },
    [VERB_WATCH] = {KIND_WATCH,            handle_watch            },
    [VERB_CREATE] = {KIND_CREATE,           handle_create           },
    [VERB_UPDATE] = {KIND_UPDATE,           handle_update           },
    [VERB_PATCH] = {KIND_PATCH,            handle_patch            },
    [VERB_DELETE] = {KIND_DELETE,           handle_delete           },
    [VERB_DELETECOLLECTION] = {KIND_DELETECOLLECTION, handle_delete_collection},
};

bool route_is_long(const struct request *request)
{
    return request->is_resource && request->verb == VERB_WATCH;
}

/* resourceVersion of a GET means: a state that is not older. */
static struct error *wait_for_version(const struct request *request)
{
    const struct str text = query_get(&request->query, STR("resourceVersion"));
    uint64_t wanted;
    if (text.len == 0)
        return NULL;
    if (!str_to_uint64(text, &wanted)) {
        SCOPED(buf) quoted = {.limit = 0};
        str_quote_go(&quoted, text);
        struct error *err = error_new(ERROR_UNKNOWN,
                                      "resourceVersion: Invalid value: %.*s: strconv.ParseUint: "
                                      "parsing %.*s: invalid syntax",
                                      STR_ARG(buf_str(&quoted)), STR_ARG(buf_str(&quoted)));
        err->http_status = 500;
        return err;
    }
    const int64_t revision = wanted > INT64_MAX ? INT64_MAX : (int64_t)wanted;
    return api_wait_revision(request->api, revision);
}

/* The store's ERROR_NOT_FOUND in the words of an API server; takes the error. */
static struct error *for_object(const struct request *request, struct error *err)
{
    if (!error_is(err, ERROR_NOT_FOUND))
        return err;
    error_free(err);
    return status_not_found(kind_gvr(request->kind), request->name);
}

static struct error *get_object(struct request *request)
{
    struct response_format format;
    SCOPED(store_object) found = {0};
    TRY(negotiate(request, &format));
    TRY(wait_for_version(request));
    const struct store_id id = api_id(request->kind, request_key(request, request->name));
    TRY(for_object(request, store_get(request->api->store, id, &found)));
    return response_send_text(request, &format, 200, found.text);
}

/* A Scale that is read from an object, perhaps on a worker thread. */
struct scale_reading {
    const struct kind *kind;
    const struct object_text *text;
    struct json_doc *scale;
};

static struct error *read_scale(void *data)
{
    struct scale_reading *reading = data;
    OWNED(json_doc) object = NULL;
    TRY(codec_read_stored(reading->kind, reading->text, &object));
    return scale_read(reading->kind, json_doc_root(object), &reading->scale);
}

static struct error *get_scale(struct request *request)
{
    struct response_format format;
    SCOPED(store_object) found = {0};
    TRY(negotiate(request, &format));
    const struct store_id id = api_id(request->kind, request_key(request, request->name));
    TRY(for_object(request, store_get(request->api->store, id, &found)));
    struct scale_reading reading = {request->kind, found.text, NULL};
    TRY(webhook_conversion_run(request->kind, object_text_size(found.text), read_scale, &reading));
    OWNED(json_doc) scale = reading.scale;
    return response_send_doc(request, &format, 200, scale);
}

/* The body of a kind that is answered and not stored, with the options of a create. */
struct posted {
    struct write_options options;
    struct json_doc *doc;
    size_t size;
};

static void posted_done(struct posted *posted)
{
    json_doc_free(posted->doc);
}

static struct error *read_posted(struct request *request, const struct kind *kind,
                                 struct posted *posted)
{
    TRY(write_options_read(request, false, &posted->options));
    return body_read_kind(request, kind, posted->options.validation, &posted->doc, &posted->size);
}

/*
 * Sets the owners of the fields of a body, perhaps on a worker thread. What a create wipes has
 * none.
 */
struct review_owning {
    struct field_ownership ownership;
    const struct json_value *body;
    struct json_doc **ret_doc;
};

static struct error *own_review(void *data)
{
    struct review_owning *owning = data;
    SCOPED(json_edit) edit;
    OWNED(json_doc) wiped = NULL;
    json_edit_init(&edit, owning->body);
    json_edit_remove(&edit, JSON_PLACE("metadata.deletionTimestamp"));
    json_edit_remove(&edit, JSON_PLACE("metadata.deletionGracePeriodSeconds"));
    TRY(json_edit_finish(&edit, &wiped));
    return field_ownership_update(&owning->ownership, NULL, json_doc_root(wiped), owning->ret_doc);
}

/*
 * SubjectAccessReview and its relatives: the decision is the response. It names the owners of its
 * fields, as the response to any create does.
 */
static struct error *post_review(struct request *request)
{
    struct response_format format;
    SCOPED(posted) posted = {.size = 0};
    OWNED(json_doc) owned = NULL;
    OWNED(json_doc) answer = NULL;
    TRY(negotiate(request, &format));
    TRY(read_posted(request, request->kind, &posted));
    struct review_owning owning = {
        .ownership = {request->arena, request->kind, posted.options.manager, STR(""), request->now},
        .body = json_doc_root(posted.doc),
        .ret_doc = &owned,
    };
    TRY(compute_sized(posted.size, own_review, &owning));
    TRY(auth_review(&request->api->auth, request->arena, &request->user, request->kind->gvk,
                    request->namespace, json_doc_root(owned), request->now, &answer));
    return response_send_doc(request, &format, 201, answer);
}

/* serviceaccounts/<name>/token. The TokenRequest is a kind without storage, made for this call. */
static struct error *post_token(struct request *request)
{
    const struct kind token_kind = {
        .gvk = GVK("authentication.k8s.io", "v1", "TokenRequest"),
        .type = go_type_find(GVK("authentication.k8s.io", "v1", "TokenRequest")),
        .ops = &kind_builtin_ops,
    };
    struct response_format format;
    SCOPED(posted) posted = {.size = 0};
    OWNED(json_doc) account = NULL;
    OWNED(json_doc) answer = NULL;
    const struct key key = request_key(request, request->name);
    TRY(negotiate(request, &format));
    TRY(for_object(request, api_get(request->api, request->kind, key, &account)));
    TRY(read_posted(request, &token_kind, &posted));
    TRY(token_request(&request->api->auth, json_doc_root(account), json_doc_root(posted.doc),
                      request->now, &request->warnings, &answer));
    return response_send_doc(request, &format, 201, answer);
}

static bool is_binding(const struct kind *kind)
{
    return kind->gvk.group.len == 0 && str_eq(kind->plural, STR("bindings"));
}

/* Only reviews and Bindings have no verb but create. */
static bool is_review(const struct kind *kind)
{
    return kind->verbs == KIND_CREATE;
}

/* For a custom resource the real server reports that the object is not found. */
static struct error *no_such_subresource(const struct request *request)
{
    return request->kind->is_custom ? status_not_found(kind_gvr(request->kind), request->name)
                                    : status_no_such_resource();
}

/* 405. For a custom resource the real server names verb and kind. */
static struct error *not_supported(const struct request *request)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) details = {.limit = 0};
    if (!request->kind->is_custom)
        return status_method_not_allowed();
    struct error *err =
        error_new(ERROR_METHOD_NOT_ALLOWED, "%.*s is not supported on resources of kind \"%.*s\"",
                  STR_ARG(verb_name(request->verb)),
                  STR_ARG(gvr_group_resource(&arena, kind_gvr(request->kind))));
    buf_add(&details, STR("{\"group\":"));
    buf_add_json_string(&details, request->kind->gvk.group);
    buf_add(&details, STR(",\"kind\":"));
    buf_add_json_string(&details, request->kind->plural);
    buf_add_char(&details, '}');
    err->details = buf_take(&details);
    return err;
}

static struct error *serve_subresource(struct request *request)
{
    const struct kind_subresource *sub = kind_subresource(request->kind, request->subresource);
    if (!sub)
        return no_such_subresource(request);
    if (!(sub->verbs & verbs[request->verb].bit))
        return not_supported(request);
    if (sub->part == KIND_PART_TOKEN)
        return post_token(request);
    if (sub->part == KIND_PART_BINDING)
        return handle_binding(request);
    if (sub->part == KIND_PART_EVICTION)
        return handle_eviction(request);
    if (request->verb != VERB_GET)
        return verbs[request->verb].serve(request);
    return sub->part == KIND_PART_SCALE ? get_scale(request) : get_object(request);
}

/*
 * Whether the verb may be used on this path: on an object, in a collection, or over all namespaces.
 */
static bool is_placed(const struct request *request)
{
    const bool everywhere = request->kind->namespaced && request->namespace.len == 0;
    switch (request->verb) {
    case VERB_LIST:
    case VERB_WATCH:
        return true;
    case VERB_CREATE:
    case VERB_DELETECOLLECTION:
        return request->name.len == 0 && !everywhere;
    default:
        return request->name.len > 0 && !everywhere;
    }
}

/*
 * A name with an escaped slash is one segment here and two for other parties on the way. Refused.
 */
static bool has_slash(const struct request *request)
{
    return str_contains(request->name, STR("/")) || str_contains(request->namespace, STR("/"));
}

static struct error *serve_resource(struct request *request)
{
    const struct kind *kind = request->kind;
    if (!kind)
        return handle_nonresource_has_version(request) ? status_no_such_resource()
                                                       : request_no_such_path();
    if (request->namespace.len && !kind->namespaced && kind->is_custom)
        return request_no_such_path();
    if ((request->namespace.len && !kind->namespaced) || has_slash(request))
        return status_no_such_resource();
    TRY(default_objects_ensure(request));
    if (request->subresource.len)
        return serve_subresource(request);
    if (str_eq(request->method, STR("HEAD")) || request->verb == VERB_NONE ||
        !(kind->verbs & verbs[request->verb].bit) || !is_placed(request))
        return status_method_not_allowed();
    if (is_review(kind))
        return is_binding(kind) ? handle_binding(request) : post_review(request);
    return request->verb == VERB_GET ? get_object(request) : verbs[request->verb].serve(request);
}

struct error *route_serve(struct request *request)
{
    return request->is_resource ? serve_resource(request) : handle_nonresource(request);
}
