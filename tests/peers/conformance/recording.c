#include "peers/conformance/recording.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "http/server.h"
#include "json/builder.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tls.h"
#include "peers/conformance/disguise.h"
#include "peers/conformance/excerpt.h"
#include "peers/conformance/pointer.h"
#include "testing/test.h"

#define PREFIX    STR("/prefix")
#define CUT_AFTER (100 * MILLISECOND) /* the events are on their way by then */

/* A text with placeholders fits anything that has something in their places. */
static bool fits(struct str text, struct str pattern)
{
    size_t open = str_find(pattern, STR("{{"));
    if (open == STR_NONE)
        return str_eq(text, pattern);
    if (!str_starts_with(text, str_slice(pattern, 0, open)))
        return false;
    text = str_skip(text, open);
    pattern = str_skip(pattern, open);
    pattern = str_skip(pattern, str_find(pattern, STR("}}")) + 2);
    open = str_find(pattern, STR("{{"));
    const struct str literal = str_slice(pattern, 0, open == STR_NONE ? pattern.len : open);
    if (!pattern.len)
        return true;
    for (size_t at = 0; at + literal.len <= text.len; at++)
        if (str_starts_with(str_skip(text, at), literal) && fits(str_skip(text, at), pattern))
            return true;
    return false;
}

static void complain(struct recording *recording, const struct exchange *exchange, const char *what,
                     struct str seen)
{
    buf_print(&recording->complaints, "%.*s: %s %.*s\n", STR_ARG(exchange->id), what,
              STR_ARG(str_slice(seen, 0, 200)));
}

static void check_sender(struct recording *recording, const struct exchange *exchange,
                         struct http_request *request)
{
    struct tls_peer peer;
    http_request_peer(request, &peer);
    const struct str as = json_path_str(exchange->request, "as");
    const struct str credentials =
        http_headers_find(http_request_headers(request), STR("Authorization"));
    const bool token = str_starts_with(as, STR("token:"));
    if (peer.verified != str_eq(as, STR("admin")))
        complain(recording, exchange, "certificate of", peer.common_name);
    if (str_starts_with(credentials, STR("Bearer ")) != token)
        complain(recording, exchange, "credentials", credentials);
}

static void check_body(struct recording *recording, const struct exchange *exchange,
                       struct str body)
{
    const struct str recorded = json_path_str(exchange->request, "body");
    if (json_get(exchange->request, STR("bodyEncoding"))) {
        if (!body.len || str_contains(body, EXCHANGE_RUN))
            complain(recording, exchange, "body", body);
    } else if (!fits(body, recorded)) {
        complain(recording, exchange, "body", body);
    }
}

static void check_target(struct recording *recording, const struct exchange *exchange,
                         struct http_request *request)
{
    struct str path, query = http_request_target(request);
    str_cut(&query, '?', &path);
    if (!str_starts_with(path, PREFIX) ||
        !fits(str_skip(path, PREFIX.len), json_path_str(exchange->request, "path")))
        complain(recording, exchange, "path", path);
    if (!query.len != !json_count(json_get(exchange->request, STR("query"))))
        complain(recording, exchange, "query", query);
    if (!str_eq(http_request_method(request), json_path_str(exchange->request, "method")))
        complain(recording, exchange, "method", http_request_method(request));
}

static struct error *check_request(struct recording *recording, const struct exchange *exchange,
                                   struct http_request *request)
{
    SCOPED(buf) body = {0};
    TRY(http_request_read_all(request, &body));
    check_target(recording, exchange, request);
    check_sender(recording, exchange, request);
    check_body(recording, exchange, buf_str(&body));
    return NULL;
}

static struct error *write_headers(const struct exchange *exchange, struct http_headers *headers)
{
    const struct json_value *value;
    JSON_FOREACH (name, value, json_path(exchange->response, "headers")) {
        if (json_type(value) == JSON_STRING)
            TRY(http_headers_add(headers, name, json_to_str(value)));
        for (size_t i = 0; i < json_count(value); i++)
            TRY(http_headers_add(headers, name, json_to_str(json_at(value, i))));
    }
    return NULL;
}

/* Says a value as another server would say it. */
static struct error *say(struct http_request *request, const struct json_value *value,
                         const char *end)
{
    struct arena *arena = http_request_arena(request);
    const struct str text = disguise(arena, json_write_arena(arena, value));
    return http_request_write(request, arena_print(arena, "%.*s%s", STR_ARG(text), end));
}

/* A stream left open is asked for its events later, by a read. */
static const struct json_value *later_events(const struct recording *recording,
                                             const struct exchange *exchange)
{
    const struct str name = json_path_str(exchange->watch, "open");
    if (!name.len)
        return exchange->response;
    for (size_t i = recording->next; i < recording->choices->count; i++) {
        const struct exchange *later = recording->choices->items[i].exchange;
        if (later->read && str_eq(json_path_str(later->read, "stream"), name))
            return later->response;
    }
    return NULL;
}

static bool has_fault(const struct recording *recording, const struct exchange *exchange,
                      enum recording_fault fault)
{
    return recording->fault == fault && str_eq(recording->faulty, exchange->id);
}

static struct error *play_stream(struct recording *recording, const struct exchange *exchange,
                                 struct http_request *request)
{
    const struct json_value *response = later_events(recording, exchange), *event;
    bool ended = false, bookmarks = false;
    json_to_bool(json_get(response, STR("ended")), &ended);
    json_to_bool(json_get(response, STR("bookmarks")), &bookmarks);
    JSON_FOREACH (key, event, json_get(response, STR("events")))
        TRY(say(request, event, "\n"));
    if (bookmarks)
        TRY(http_request_write(request, STR("{\"type\":\"BOOKMARK\",\"object\":{}}\n")));
    if (has_fault(recording, exchange, RECORDING_SURPLUS))
        TRY(http_request_write(request, STR("{\"type\":\"ADDED\",\"object\":{}}\n")));
    if (has_fault(recording, exchange, RECORDING_CUT)) {
        TRY(fiber_sleep(CUT_AFTER));
        return error_new(ERROR_INTERNAL, "cut off on purpose");
    }
    while (!ended)
        TRY(event_wait(&recording->never, "the client to go away"));
    return NULL;
}

/*
 * A value that was not recorded where a variable is taken from, but later, where something has to
 * equal the variable. Any number will do where nothing has to.
 */
static struct str value_of(const struct recording *recording, struct str variable)
{
    SCOPED(buf) wanted = {0};
    struct str found = STR("1");
    buf_print(&wanted, "{{%.*s}}", STR_ARG(variable));
    for (size_t i = recording->next; i < recording->choices->count; i++) {
        const struct exchange *later = recording->choices->items[i].exchange;
        const struct json_value *relation = json_at(later->relate, 0);
        const struct json_value *value =
            pointer_find(json_path(later->response, "body"), json_path_str(relation, "pointer"));
        if (json_type(value) == JSON_STRING &&
            str_eq(json_path_str(relation, "op"), STR("equals")) &&
            str_eq(json_path_str(relation, "value"), buf_str(&wanted))) {
            found = json_to_str(value);
            break;
        }
    }
    return found;
}

static void add_values(struct json_builder *builder, const struct json_value *values)
{
    const struct json_value *value;
    JSON_FOREACH (text, value, values) {
        json_builder_key(builder, text);
        json_builder_value(builder, value);
    }
}

/* Pointers and values that an answer must have which was not recorded whole. */
static void collect_values(const struct recording *recording, const struct exchange *exchange,
                           struct json_builder *builder)
{
    const struct json_value *value;
    json_builder_object(builder);
    if (exchange->select)
        add_values(builder, json_path(exchange->response, "body"));
    add_values(builder, json_path(exchange->poll, "match"));
    JSON_FOREACH (name, value, exchange->capture) {
        json_builder_key(builder, json_to_str(value));
        json_builder_str(builder, value_of(recording, name));
    }
    JSON_FOREACH (key, value, exchange->relate) {
        const struct str variable = json_path_str(value, "value");
        json_builder_key(builder, json_path_str(value, "pointer"));
        json_builder_str(builder, value_of(recording, str_slice(variable, 2, variable.len - 2)));
    }
    json_builder_end(builder);
}

static struct error *say_parts(const struct recording *recording, const struct exchange *exchange,
                               struct http_request *request)
{
    SCOPED(json_builder) values = {0};
    OWNED(json_doc) parts = NULL, *document = NULL;
    collect_values(recording, exchange, &values);
    TRY(json_builder_finish(&values, &parts));
    TRY(excerpt_to_document(http_request_arena(request), json_doc_root(parts), &document));
    return say(request, json_doc_root(document), "");
}

static struct error *play_body(const struct recording *recording, const struct exchange *exchange,
                               struct http_request *request)
{
    const struct json_value *body = json_path(exchange->response, "body");
    if (exchange->select || !body)
        return say_parts(recording, exchange, request);
    if (json_type(body) == JSON_STRING)
        return http_request_write(request, json_to_str(body));
    return say(request, body, "");
}

static struct error *play(struct recording *recording, const struct exchange *exchange,
                          struct http_request *request)
{
    int64_t status = 0;
    SCOPED(http_headers) headers = {0};
    json_to_int64(json_path(exchange->response, "status"), &status);
    TRY(write_headers(exchange, &headers));
    TRY(http_request_respond(request, (int)status, &headers));
    if (exchange->watch && status == 200)
        return play_stream(recording, exchange, request);
    return play_body(recording, exchange, request);
}

/* Suspends. True when the request was answered in a way that was never recorded. */
static struct error *play_fault(struct recording *recording, const struct exchange *exchange,
                                struct http_request *request, bool *ret_answered)
{
    const bool fails = has_fault(recording, exchange, RECORDING_FAILS);
    const bool busy = has_fault(recording, exchange, RECORDING_BUSY) && recording->busy++ < 2;
    SCOPED(http_headers) headers = {0};
    *ret_answered = fails || busy;
    if (!*ret_answered)
        return NULL;
    recording->next--;
    TRY(http_headers_add(&headers, STR("Retry-After"), STR("1")));
    return http_request_respond(request, busy ? 429 : 500, &headers);
}

static bool has_request(const struct choice *choice)
{
    return !choice->skipped && choice->exchange->request;
}

static struct error *handle(void *data, struct http_request *request)
{
    struct recording *recording = data;
    const struct choices *choices = recording->choices;
    bool answered;
    while (recording->next < choices->count && !has_request(&choices->items[recording->next]))
        recording->next++;
    if (recording->next == choices->count)
        return error_new(ERROR_NOT_FOUND, "nothing more was recorded");
    const struct exchange *exchange = choices->items[recording->next++].exchange;
    recording->answered++;
    TRY(check_request(recording, exchange, request));
    TRY(play_fault(recording, exchange, request, &answered));
    return answered ? NULL : play(recording, exchange, request);
}

void recording_init(struct recording *recording, struct network *network, struct str host,
                    const struct choices *choices)
{
    *recording = (struct recording){.choices = choices, .network = network};
    test_certs_init(&recording->certs, loop_wall(loop_current()));
    recording->tls = tls_context_new();
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = recording->certs.server,
                                                         .client_trust = recording->certs.trust,
                                                         .http2 = true},
                            &recording->tls_server));
    CHECK_OK(http_server_new(loop_current(),
                             &(struct http_server_options){.network = network,
                                                           .host = host,
                                                           .tls = recording->tls_server,
                                                           .handler = handle,
                                                           .data = recording},
                             &recording->server));
    recording->config.server = (struct url){
        .scheme = URL_HTTPS,
        .host = host,
        .port = http_server_port(recording->server),
        .path = PREFIX,
    };
    recording->config.tls.trust = tls_trust_ref(recording->certs.trust);
    recording->config.tls.identity = tls_identity_ref(recording->certs.client);
}

void recording_done(struct recording *recording)
{
    http_server_free(recording->server);
    rest_config_done(&recording->config);
    tls_server_free(recording->tls_server);
    tls_context_free(recording->tls);
    test_certs_done(&recording->certs);
    buf_done(&recording->complaints);
}
