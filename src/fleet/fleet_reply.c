#include "fleet/fleet_reply.h"

#include "apimachinery/status.h"
#include "base/buf.h"
#include "base/duration.h"
#include "http/headers.h"
#include "http/server.h"

static struct error *begin_http(void *data, int status, const struct http_headers *headers)
{
    return http_request_respond(data, status, headers);
}

static struct error *write_http(void *data, struct str bytes)
{
    return http_request_write(data, bytes);
}

static struct error *add_http_trailer(void *data, struct str name, struct str value)
{
    return http_request_add_trailer(data, name, value);
}

static const struct fleet_reply_ops http_ops = {begin_http, write_http, add_http_trailer};

struct fleet_reply fleet_reply_http(struct http_request *request)
{
    return (struct fleet_reply){.ops = &http_ops, .data = request};
}

struct error *fleet_reply_begin(struct fleet_reply *reply, int status,
                                const struct http_headers *headers)
{
    TRY(reply->ops->begin(reply->data, status, headers));
    reply->status = status;
    return NULL;
}

struct error *fleet_reply_write(struct fleet_reply *reply, struct str bytes)
{
    reply->bytes += bytes.len;
    return bytes.len ? reply->ops->write(reply->data, bytes) : NULL;
}

struct error *fleet_reply_trailer(struct fleet_reply *reply, struct str name, struct str value)
{
    return reply->ops->trailer(reply->data, name, value);
}

struct error *fleet_reply_send(struct fleet_reply *reply, int status, struct http_headers *headers,
                               struct str body)
{
    SCOPED(http_headers) own = {0};
    struct http_headers *used = headers ? headers : &own;
    char digits[STR_NUMBER_MAX];
    TRY(http_headers_set(used, STR("content-type"), STR("application/json")));
    TRY(http_headers_set(used, STR("content-length"), str_number(body.len, digits)));
    TRY(fleet_reply_begin(reply, status, used));
    return fleet_reply_write(reply, body);
}

struct error *fleet_reply_fail(struct fleet_reply *reply, struct http_headers *headers,
                               struct error *err)
{
    if (reply->status || error_is(err, ERROR_CANCELED))
        return err;
    OWNED(error) owned = err;
    SCOPED(http_headers) own = {0};
    SCOPED(buf) body = {.limit = 0};
    struct http_headers *used = headers ? headers : &own;
    if (err->retry_after > 0) {
        char digits[STR_NUMBER_MAX];
        const uint64_t seconds = (uint64_t)((err->retry_after + SECOND - 1) / SECOND);
        TRY(http_headers_set(used, STR("retry-after"), str_number(seconds, digits)));
    }
    status_write(&body, err);
    return fleet_reply_send(reply, status_http_status(err), used, buf_str(&body));
}
