#include "apiserver/endpoints/route.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/scale.h"
#include "apiserver/endpoints/answer.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/listing.h"
#include "apiserver/endpoints/paths.h"
#include "apiserver/endpoints/removal.h"
#include "apiserver/endpoints/stream.h"
#include "apiserver/endpoints/write.h"
#include "apiserver/registry/kind_builtin.h"
#include "async/fiber.h"
#include "base/quote.h"

#define FUTURE_WAIT (3 * SECOND)

static const struct {
    unsigned bit;
    struct error *(*serve)(struct request *request);
} verbs[] = {
    [VERB_NONE] = {0,                     NULL                     },
    [VERB_GET] = {KIND_GET,              NULL                     },
    [VERB_LIST] = {KIND_LIST,             listing_serve            },
    [VERB_WATCH] = {KIND_WATCH,            stream_serve             },
    [VERB_CREATE] = {KIND_CREATE,           write_create             },
    [VERB_UPDATE] = {KIND_UPDATE,           write_update             },
    [VERB_PATCH] = {KIND_PATCH,            write_patch              },
    [VERB_DELETE] = {KIND_DELETE,           removal_delete           },
    [VERB_DELETECOLLECTION] = {KIND_DELETECOLLECTION, removal_delete_collection},
};

bool route_is_long(const struct request *request)
{
    return request->is_resource && request->verb == VERB_WATCH;
}

/* resourceVersion of a GET: not older than this. */
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
    if (revision <= store_revision(request->api->store))
        return NULL;
    FIBER_TIMEOUT(FUTURE_WAIT);
    struct error *err = store_wait_revision(request->api->store, revision);
    if (!error_is(err, ERROR_DEADLINE))
        return err;
    error_free(err);
    return status_version_too_large(revision, store_revision(request->api->store));
}

static struct error *get(struct request *request)
{
    struct answer_format format;
    SCOPED(store_object) found = {0};
    const struct key key = {request->kind->namespaced ? request->namespace : (struct str){0},
                            request->name};
    TRY(negotiate(request, &format));
    TRY(wait_for_version(request));
    struct error *err = store_get(request->api->store, api_id(request->kind, key), &found);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return status_not_found(kind_gvr(request->kind), request->name);
    }
    TRY(err);
    return answer_text(request, &format, 200, found.text);
}

static struct error *get_scale(struct request *request)
{
    struct answer_format format;
    OWNED(json_doc) object = NULL;
    OWNED(json_doc) scale = NULL;
    const struct key key = {request->kind->namespaced ? request->namespace : (struct str){0},
                            request->name};
    TRY(negotiate(request, &format));
    struct error *err = api_get(request->api, request->kind, key, &object);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return status_not_found(kind_gvr(request->kind), request->name);
    }
    TRY(err);
    TRY(scale_read(request->kind, json_doc_root(object), &scale));
    return answer_doc(request, &format, 200, scale);
}

/* A body of a kind that is answered and not stored. */
static struct error *read_posted(struct request *request, const struct kind *kind,
                                 struct json_doc **ret_doc)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    struct json_warnings duplicates = {.arena = request->arena};
    struct write_options options;
    TRY(write_options_read(request, false, &options));
    TRY(body_read(request, &body));
    TRY(body_read_object(request, buf_str(&body), &duplicates, &doc));
    struct error *err = body_decode(request, kind, options.validation, &duplicates, doc, ret_doc);
    return err ? body_misfit(kind, json_doc_root(doc), err) : NULL;
}

static struct error *review(struct request *request)
{
    struct answer_format format;
    OWNED(json_doc) body = NULL;
    OWNED(json_doc) answer = NULL;
    TRY(negotiate(request, &format));
    TRY(read_posted(request, request->kind, &body));
    TRY(access_review(&request->api->access, request->arena, &request->user, request->kind->gvk,
                      request->namespace, json_doc_root(body), request->now, &answer));
    return answer_doc(request, &format, 201, answer);
}

static struct error *token(struct request *request)
{
    const struct kind token_kind = {
        .gvk = GVK("authentication.k8s.io", "v1", "TokenRequest"),
        .type = go_type_find(GVK("authentication.k8s.io", "v1", "TokenRequest")),
        .ops = &kind_builtin_ops,
    };
    struct answer_format format;
    OWNED(json_doc) account = NULL;
    OWNED(json_doc) body = NULL;
    OWNED(json_doc) answer = NULL;
    const struct key key = {request->namespace, request->name};
    const struct kind *accounts = request->kind;
    TRY(negotiate(request, &format));
    struct error *err = api_get(request->api, accounts, key, &account);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return status_not_found(kind_gvr(accounts), request->name);
    }
    TRY(err);
    TRY(read_posted(request, &token_kind, &body));
    TRY(access_token_request(&request->api->access, request->arena, json_doc_root(account),
                             json_doc_root(body), request->now, &answer));
    return answer_doc(request, &format, 201, answer);
}

static bool is_review(const struct kind *kind)
{
    return kind->verbs == KIND_CREATE;
}

static struct error *no_such_subresource(const struct request *request)
{
    return request->kind->is_custom ? status_not_found(kind_gvr(request->kind), request->name)
                                    : status_no_such_resource();
}

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
    if (str_eq(request->subresource, STR("token")))
        return token(request);
    if (request->verb != VERB_GET)
        return verbs[request->verb].serve(request);
    return str_eq(request->subresource, STR("scale")) ? get_scale(request) : get(request);
}

/* Where a verb may be used: on an object, in a collection, over all namespaces. */
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

/* An escaped slash: elsewhere on the way these are two segments. */
static bool has_slash(const struct request *request)
{
    return str_contains(request->name, STR("/")) || str_contains(request->namespace, STR("/"));
}

static struct error *serve_resource(struct request *request)
{
    const struct kind *kind = request->kind;
    if (!kind)
        return paths_knows_version(request) ? status_no_such_resource()
                                            : error_new(ERROR_NOT_FOUND, "404 page not found");
    if (request->namespace.len && !kind->namespaced && kind->is_custom)
        return error_new(ERROR_NOT_FOUND, "404 page not found");
    if ((request->namespace.len && !kind->namespaced) || has_slash(request))
        return status_no_such_resource();
    if (request->subresource.len)
        return serve_subresource(request);
    if (str_eq(request->method, STR("HEAD")) || request->verb == VERB_NONE ||
        !(kind->verbs & verbs[request->verb].bit) || !is_placed(request))
        return status_method_not_allowed();
    if (is_review(kind))
        return review(request);
    return request->verb == VERB_GET ? get(request) : verbs[request->verb].serve(request);
}

struct error *route_serve(struct request *request)
{
    return request->is_resource ? serve_resource(request) : paths_serve(request);
}
