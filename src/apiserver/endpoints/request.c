/*
 * Reads method, path and query of a request. The path is taken apart by apimachinery/resource_path;
 * this file decides what is ambiguous (and refused), which verb a method stands for, and which
 * attributes the authorizer is asked about.
 */
#include "apiserver/endpoints/request.h"

#include "apimachinery/field_selector.h"
#include "apimachinery/resource_path.h"
#include "apimachinery/validation.h"
#include "apiserver/registry/kind.h"
#include "base/ascii.h"
#include "http/url.h"

static const struct str verb_names[] = {
    [VERB_NONE] = STR_INIT(""),
    [VERB_GET] = STR_INIT("get"),
    [VERB_LIST] = STR_INIT("list"),
    [VERB_WATCH] = STR_INIT("watch"),
    [VERB_CREATE] = STR_INIT("create"),
    [VERB_UPDATE] = STR_INIT("update"),
    [VERB_PATCH] = STR_INIT("patch"),
    [VERB_DELETE] = STR_INIT("delete"),
    [VERB_DELETECOLLECTION] = STR_INIT("deletecollection"),
};

static const struct {
    struct str method;
    enum verb on_object, on_collection;
} methods[] = {
    {STR_INIT("GET"),    VERB_GET,    VERB_LIST            },
    {STR_INIT("POST"),   VERB_CREATE, VERB_CREATE          },
    {STR_INIT("PUT"),    VERB_UPDATE, VERB_UPDATE          },
    {STR_INIT("PATCH"),  VERB_PATCH,  VERB_PATCH           },
    {STR_INIT("DELETE"), VERB_DELETE, VERB_DELETECOLLECTION},
    {STR_INIT("HEAD"),   VERB_GET,    VERB_LIST            },
};

struct str verb_name(enum verb verb)
{
    return verb_names[verb];
}

/*
 * False for empty segments, "." and "..": a proxy on the way may resolve them to another path than
 * the one that was authorized. One slash at the end is allowed.
 */
static bool is_plain_path(struct str path)
{
    if (path.len == 0 || path.ptr[0] != '/')
        return false;
    if (path.len == 1)
        return true;
    struct str rest = str_skip(path, 1);
    while (true) {
        struct str segment;
        const bool more = str_cut(&rest, '/', &segment);
        if (!more && segment.len == 0)
            return true; /* one slash at the end */
        if (segment.len == 0 || str_eq(segment, STR(".")) || str_eq(segment, STR("..")))
            return false;
        if (!more)
            return true;
    }
}

/* The verb depends on the method, on whether the path names an object, and on ?watch=true. */
static enum verb verb_of(const struct request *request, bool old_watch_path)
{
    if (old_watch_path)
        return str_eq(request->method, STR("GET")) ? VERB_WATCH : VERB_NONE;
    for (size_t i = 0; i < COUNT(methods); i++) {
        if (!str_eq(request->method, methods[i].method))
            continue;
        enum verb verb = request->name.len ? methods[i].on_object : methods[i].on_collection;
        if (verb == VERB_LIST && query_is_true(&request->query, STR("watch")))
            verb = VERB_WATCH;
        return verb;
    }
    return VERB_NONE;
}

/*
 * The name that the field selector of a list or watch asks for. A rule with resourceNames allows
 * such a request. As in Kubernetes this holds neither for old watch paths nor for deletions of
 * collections. A selector that cannot be read is refused when the request is served.
 */
static struct str read_selected_name(const struct request *request)
{
    struct field_selector selector;
    struct str name;
    const struct str text = query_get(&request->query, STR("fieldSelector"));
    if (text.len == 0 || (request->verb != VERB_LIST && request->verb != VERB_WATCH))
        return (struct str){0};
    OWNED(error) unread = field_selector_read(request->arena, text, &selector);
    if (unread || !field_selector_find_exact(&selector, STR("metadata.name"), &name) ||
        !validation_is_ok(validation_path_segment(name)))
        return (struct str){0};
    return name;
}

struct error *request_no_such_path(void)
{
    return error_new(ERROR_NO_SUCH_PATH, "404 page not found");
}

/*
 * "/api/v1/watch/..." is how watches were asked for before there was a parameter. Returns the path
 * without that segment.
 */
static struct str without_watch(struct arena *arena, struct str path, bool *ret_watch)
{
    struct str rest = str_skip(path, 1), head;
    size_t segments = str_starts_with(path, STR("/api/")) ? 2 : 3;
    size_t offset = 1;
    for (size_t i = 0; i < segments; i++) {
        if (!str_cut(&rest, '/', &head))
            return path;
        offset += head.len + 1;
    }
    *ret_watch = str_starts_with(rest, STR("watch/"));
    if (!*ret_watch)
        return path;
    const struct str before = str_slice(path, 0, offset);
    const struct str behind = str_skip(rest, sizeof("watch/") - 1);
    return arena_print(arena, "%.*s%.*s", STR_ARG(before), STR_ARG(behind));
}

struct error *request_read(struct request *request, struct str method, struct str target)
{
    struct str path, query = target;
    str_cut(&query, '?', &path);
    request->method = method;
    OWNED(error) broken = url_unescape(request->arena, path, &request->path);
    if (broken || str_find_char(request->path, '\0') != STR_NONE || !is_plain_path(request->path))
        return request_no_such_path();
    TRY(query_read(request->arena, query, &request->query));
    bool old_watch_path = false;
    struct resource_path resource;
    if (str_ends_with(path, STR("/")))
        path.len--; /* names the same resource, so it is authorized in the same way */
    if (str_starts_with(path, STR("/api")))
        path = without_watch(request->arena, path, &old_watch_path);
    if (!resource_path_read(request->arena, path, &resource))
        return NULL;
    if (old_watch_path && resource.subresource.len)
        return request_no_such_path(); /* subresources cannot be watched */
    request->is_resource = true;
    request->gvr = resource.gvr;
    request->namespace = resource.namespace;
    request->name = resource.name;
    request->subresource = resource.subresource;
    request->verb = verb_of(request, old_watch_path);
    if (!old_watch_path)
        request->selected_name = read_selected_name(request);
    return NULL;
}

struct key request_key(const struct request *request, struct str name)
{
    return (struct key){request->kind->namespaced ? request->namespace : (struct str){0}, name};
}

/* Non-resource requests are authorized by their method in lower case. */
static struct str lower(struct arena *arena, struct str text)
{
    char *out = arena_alloc(arena, text.len + 1);
    for (size_t i = 0; i < text.len; i++)
        out[i] = ascii_to_lower(text.ptr[i]);
    return str_from(out, text.len);
}

struct rbac_attributes request_attributes(const struct request *request)
{
    struct rbac_attributes attributes = {
        .user = request->user.user,
        .is_resource_request = request->is_resource,
        .path = request->path,
    };
    attributes.verb = request->is_resource && request->verb != VERB_NONE
                          ? verb_name(request->verb)
                          : lower(request->arena, request->method);
    if (!request->is_resource)
        return attributes;
    attributes.api_group = request->gvr.group;
    attributes.resource = request->gvr.resource;
    attributes.subresource = request->subresource;
    attributes.name = request->name.len ? request->name : request->selected_name;
    attributes.namespace = request->namespace;
    if (str_eq(request->gvr.resource, STR("namespaces")) && request->gvr.group.len == 0)
        attributes.namespace = request->name; /* a Namespace object is in its own namespace */
    return attributes;
}
