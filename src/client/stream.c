/*
 * A response that is read as it comes. Neither the timeout of the client nor its repetitions apply:
 * the deadline of the fiber bounds the wait for the head, and the caller what follows.
 */
#include "base/duration.h"
#include "client/client_internal.h"
#include "client/rate_limit.h"

/* Metrics remember methods, so the text must be a constant. */
static struct error *find_method(struct str given, struct str *ret_method)
{
    static const struct str methods[] = {STR_INIT("GET"),    STR_INIT("HEAD"),  STR_INIT("POST"),
                                         STR_INIT("PUT"),    STR_INIT("PATCH"), STR_INIT("DELETE"),
                                         STR_INIT("OPTIONS")};
    for (size_t i = 0; i < COUNT(methods); i++)
        if (str_eq(methods[i], given) || !given.len) {
            *ret_method = methods[i];
            return NULL;
        }
    return error_new(ERROR_INVALID, "the method \"%.*s\" is not known", STR_ARG(given));
}

struct error *client_stream(struct client *client, const struct client_stream_request *request,
                            struct http_response **ret_response)
{
    SCOPED(client_request)
    full = {
        .path = request->path,
        .body = request->body,
        .headers = request->headers,
        .agent = request->agent,
        .as = request->as,
        .no_redirect = true,
    };
    TRY(find_method(request->method, &full.method));
    buf_add(&full.query, request->query);
    TRY(buf_check(&full.query));
    if (request->rate_limit)
        TRY(rate_limit_wait(request->rate_limit));
    TRY(client_begin(client, &full, FOREVER, ret_response));
    if (request->keeps_encoding)
        http_response_keep_encoding(*ret_response);
    return NULL;
}
