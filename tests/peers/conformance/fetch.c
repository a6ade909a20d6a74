#include "peers/conformance/fetch.h"

#include "async/fiber.h"
#include "base/buf.h"

#define FETCH_MAX     (64 * MEGABYTE)
#define FETCH_TIMEOUT (60 * SECOND)

static struct error *fetch(struct caller *caller, struct request *request, int *ret_status,
                           struct buf *body)
{
    FIBER_TIMEOUT(FETCH_TIMEOUT);
    OWNED(http_response) response = NULL;
    TRY(caller_send(caller, request, &response));
    *ret_status = http_response_status(response);
    return http_response_read_all(response, body);
}

struct error *fetch_document(struct caller *caller, struct str path, int *ret_status,
                             struct json_doc **ret_doc)
{
    SCOPED(buf) body = {.limit = FETCH_MAX};
    SCOPED(request) request = {.as = STR("admin"), .method = STR("GET"), .path = path};
    *ret_doc = NULL;
    TRY(http_headers_add(&request.headers, STR("Accept"), STR("application/json")));
    TRY(fetch(caller, &request, ret_status, &body), "get %.*s", STR_ARG(path));
    error_free(json_read(buf_str(&body), ret_doc)); /* what is no JSON is no document */
    return NULL;
}

struct error *fetch_create(struct caller *caller, struct str path, struct str body, int *ret_status)
{
    SCOPED(buf) answer = {.limit = FETCH_MAX};
    SCOPED(request)
    request = {.as = STR("admin"), .method = STR("POST"), .path = path, .body = body};
    TRY(http_headers_add(&request.headers, STR("Content-Type"), STR("application/json")));
    return error_wrap(fetch(caller, &request, ret_status, &answer), "create %.*s", STR_ARG(path));
}
