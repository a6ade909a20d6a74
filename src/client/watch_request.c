#include "client/watch_request.h"

#include "apimachinery/status.h"
#include "async/fiber.h"
#include "client/client_internal.h"

#define SILENCE_DEFAULT (10 * SECOND)
#define OPEN_TIMEOUT    (30 * SECOND)
/* The query parameter "timeout" of a watch. The stream itself ends after "timeoutSeconds". */
#define REQUEST_LIMIT (11 * MINUTE)

static void add_query(const struct watch_request *request, struct buf *query)
{
    const struct watch_options *options = request->options;
    client_query_add(query, "watch", STR("true"));
    client_query_add(query, "labelSelector", options->label_selector);
    client_query_add(query, "fieldSelector", options->field_selector);
    client_query_add(query, "resourceVersion", request->version);
    if (!options->no_bookmarks)
        client_query_add(query, "allowWatchBookmarks", STR("true"));
    if (request->asks_initial) {
        client_query_add(query, "sendInitialEvents", STR("true"));
        client_query_add(query, "resourceVersionMatch", STR("NotOlderThan"));
    }
    client_query_add_int(query, "timeoutSeconds", (request->timeout + SECOND - 1) / SECOND);
}

static struct error *read_error_response(struct http_response *response)
{
    SCOPED(buf) body = {.limit = 256 * KILOBYTE};
    error_free(http_response_read_all(response, &body));
    return status_read_error(http_response_status(response), buf_str(&body));
}

duration watch_request_longest(const struct watch_request *request)
{
    const duration silence = request->options->silence;
    return request->timeout + (silence ? silence : SILENCE_DEFAULT);
}

struct error *watch_request_send(const struct watch_request *request,
                                 struct http_response **ret_response)
{
    const duration longest = watch_request_longest(request);
    OWNED(http_response) response = NULL;
    SCOPED(client_request)
    sent = {
        .method = STR("GET"),
        .path = request->path,
        .accept = client_accept(request->options->form, false),
        .is_plain = request->is_plain,
    };
    add_query(request, &sent.query);
    FIBER_TIMEOUT(OPEN_TIMEOUT);
    TRY(client_begin(request->client, &sent, longest > REQUEST_LIMIT ? longest : REQUEST_LIMIT,
                     &response));
    if (http_response_status(response) != 200)
        return read_error_response(response);
    *ret_response = TAKE(response);
    return NULL;
}
