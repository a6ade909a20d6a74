/*
 * Lines: a method, a target, an Accept header, a User-Agent. Whatever they are, one URL has one
 * reading: the resource it names, written anew, is read as the same and asked about in the same
 * words; no part of it steps out of its place; and what the options say is one of few things.
 */
#include "apimachinery/resource_path.h"
#include "apiserver/endpoints/negotiate.h"
#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/request.h"
#include "apiserver/endpoints/route.h"
#include "apiserver/registry/kind.h"
#include "direct_request.h"
#include "fuzz.h"
#include "testing/test.h"

static void check_part(struct str part)
{
    CHECK(str_find_char(part, '\0') == STR_NONE);
    CHECK(!str_eq(part, STR(".")) && !str_eq(part, STR("..")));
}

/* No step up or in place, however it was written. */
static void check_steps(struct str path)
{
    struct str segment;
    CHECK(path.len > 0 && path.ptr[0] == '/');
    while (path.len) {
        str_cut(&path, '/', &segment);
        check_part(segment);
    }
}

static void check_same(const struct request *a, const struct request *b)
{
    const struct rbac_attributes left = request_attributes(a), right = request_attributes(b);
    CHECK_EQ(left.is_resource_request, right.is_resource_request);
    CHECK_EQ(left.verb, right.verb);
    CHECK_EQ(left.api_group, right.api_group);
    CHECK_EQ(left.resource, right.resource);
    CHECK_EQ(left.subresource, right.subresource);
    CHECK_EQ(left.name, right.name);
    CHECK_EQ(left.namespace, right.namespace);
    CHECK(a->verb == b->verb);
    CHECK(gvr_eq(a->gvr, b->gvr));
    CHECK_EQ(a->namespace, b->namespace);
    CHECK_EQ(a->name, b->name);
    CHECK_EQ(a->subresource, b->subresource);
}

/* The resource, written as a client of ours writes it, is the same resource. */
static void check_rewritten(const struct request *request)
{
    if (request->verb == VERB_NONE || (request->verb == VERB_WATCH && request->name.len))
        return; /* refused; and a watch of one object has the old form of path alone */
    const struct resource_path parts = {request->gvr, request->namespace, request->name,
                                        request->subresource};
    const struct str target =
        arena_print(request->arena, "%.*s%s", STR_ARG(resource_path_write(request->arena, &parts)),
                    request->verb == VERB_WATCH ? "?watch=1" : "");
    struct request again = {.http = request->http, .arena = request->arena};
    CHECK_OK(request_read(&again, request->method, target));
    again.selected_name = request->selected_name; /* of the query, which is not written anew */
    check_same(request, &again);
}

/* An escaped slash that does not end up between two segments. */
static bool has_slash(const struct request *request)
{
    return str_contains(request->name, STR("/")) || str_contains(request->namespace, STR("/")) ||
           str_ends_with(request->subresource, STR("/"));
}

/* Nothing is served under a name that would be two segments elsewhere, nor without a verb. */
static void check_refused(struct request *request)
{
    const bool no_verb = request->verb == VERB_NONE;
    if (!has_slash(request) && !no_verb)
        return;
    OWNED(error) err = route_serve(request);
    CHECK(err && (err->code == ERROR_NOT_FOUND || err->code == ERROR_NO_SUCH_PATH ||
                  (no_verb && err->code == ERROR_METHOD_NOT_ALLOWED)));
    CHECK_EQ(request->http->status, 0);
}

static void check_options(const struct request *request)
{
    struct response_format format;
    struct list_options list;
    struct write_options write;
    struct delete_options removal;
    OWNED(error) no_format = negotiate(request, &format);
    OWNED(error) no_list = list_options_read(request, &list);
    error_free(write_options_read(request, false, &write));
    OWNED(error) no_apply = write_options_read(request, true, &write);
    error_free(delete_options_read(request, NULL, &removal));
    if (no_format)
        CHECK(no_format->code == ERROR_NOT_ACCEPTABLE || no_format->code == ERROR_BAD_REQUEST);
    if (!no_list)
        CHECK(list.timeout >= 0 && list.revision >= 0);
    if (!no_apply)
        CHECK(write.has_manager && write.manager.len > 0 && write.manager.len <= 128);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = {(const char *)data, size}, accept, agent;
    SCOPED(http_request) http = {.status = 0};
    struct request request = {.http = &http, .arena = &http.arena};
    str_cut(&rest, '\n', &http.method);
    str_cut(&rest, '\n', &http.target);
    str_cut(&rest, '\n', &accept);
    str_cut(&rest, '\n', &agent);
    direct_request_add_header(&http, STR("accept"), accept);
    direct_request_add_header(&http, STR("user-agent"), agent);
    (void)negotiate_wants_aggregated(accept);
    OWNED(error) err = request_read(&request, http.method, http.target);
    if (err) {
        CHECK(err->code == ERROR_NO_SUCH_PATH || err->code == ERROR_BAD_REQUEST);
        return 0;
    }
    check_steps(request.path);
    if (!request.is_resource)
        return 0;
    const struct str parts[] = {request.gvr.group, request.gvr.version, request.gvr.resource,
                                request.namespace, request.name};
    for (size_t i = 0; i < COUNT(parts); i++)
        check_part(parts[i]);
    if (request.subresource.len)
        check_steps(arena_print(request.arena, "/%.*s", STR_ARG(request.subresource)));
    /* A resource of that name cannot be told from the older kind of watch. */
    if (!has_slash(&request) && !str_eq(request.gvr.resource, STR("watch")))
        check_rewritten(&request);
    request.kind = kinds_find(request.gvr);
    if (!request.kind)
        return 0;
    check_refused(&request);
    check_options(&request);
    return 0;
}
