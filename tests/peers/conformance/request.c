#include "peers/conformance/request.h"

#include "base/base64.h"
#include "base/buf.h"
#include "http/url.h"
#include "json/path.h"

/* The recorded server took the name of field managers from it. */
#define USER_AGENT STR("conformance/1.0")

void request_done(struct request *request)
{
    http_headers_done(&request->headers);
}

struct filling {
    const struct binding *binding;
    struct arena *arena;
};

static struct str fill(const struct filling *filling, const struct json_value *text)
{
    return binding_fill(filling->binding, filling->arena, json_to_str(text), BINDING_PLAIN);
}

static void add_parameter(struct buf *query, struct str name, struct str value)
{
    if (query->len)
        buf_add_char(query, '&');
    url_escape_query(query, name);
    buf_add_char(query, '=');
    url_escape_query(query, value);
}

/* An array repeats the parameter. */
static struct str write_query(const struct filling *filling, const struct json_value *parameters)
{
    SCOPED(buf) query = {0};
    const struct json_value *value;
    JSON_FOREACH (name, value, parameters) {
        if (json_type(value) != JSON_ARRAY)
            add_parameter(&query, name, fill(filling, value));
        for (size_t i = 0; i < json_count(value); i++)
            add_parameter(&query, name, fill(filling, json_at(value, i)));
    }
    return arena_str(filling->arena, buf_str(&query));
}

static struct error *write_headers(const struct filling *filling, const struct json_value *headers,
                                   struct http_headers *out)
{
    const struct json_value *value;
    JSON_FOREACH (name, value, headers) {
        if (json_type(value) != JSON_ARRAY)
            TRY(http_headers_add(out, name, fill(filling, value)));
        for (size_t i = 0; i < json_count(value); i++)
            TRY(http_headers_add(out, name, fill(filling, json_at(value, i))));
    }
    if (!http_headers_count(out, STR("User-Agent")))
        TRY(http_headers_add(out, STR("User-Agent"), USER_AGENT));
    return NULL;
}

static struct error *write_body(const struct filling *filling, const struct json_value *request,
                                struct str run, struct str *ret_body)
{
    const struct json_value *body = json_get(request, STR("body"));
    if (!str_eq(json_path_str(request, "bodyEncoding"), STR("base64"))) {
        *ret_body = fill(filling, body);
        return NULL;
    }
    SCOPED(buf) bytes = {0};
    TRY(base64_decode(&bytes, json_to_str(body)));
    *ret_body = exchange_replace(filling->arena, buf_str(&bytes), EXCHANGE_RUN, run);
    return NULL;
}

struct error *request_make(const struct exchange_list *list, const struct exchange *exchange,
                           const struct binding *binding, struct arena *arena,
                           struct request *ret_request)
{
    const struct filling filling = {binding, arena};
    const struct json_value *recorded = exchange->request;
    SCOPED(request)
    request = {
        .as = fill(&filling, json_get(recorded, STR("as"))),
        .method = json_path_str(recorded, "method"),
        .path = binding_fill(binding, arena, json_path_str(recorded, "path"), BINDING_SEGMENT),
        .query = write_query(&filling, json_get(recorded, STR("query"))),
    };
    if (!request.as.len)
        request.as = STR("admin");
    TRY(write_headers(&filling, json_get(recorded, STR("headers")), &request.headers));
    TRY(write_body(&filling, recorded, list->run, &request.body));
    *ret_request = request;
    request.headers = (struct http_headers){0};
    return NULL;
}
