#include "http/client.h"

#include "base/gzip.h"
#include "base/random.h"
#include "http/http_fixture_test.h"
#include "http/url.h"

/* Answers with method, target and body. */
static struct error *echo(void *data, struct http_request *request)
{
    (void)data;
    SCOPED(buf) body = {.limit = MEGABYTE};
    SCOPED(buf) answer = {0};
    TRY(http_request_read_all(request, &body));
    buf_print(&answer, "%.*s %.*s ", STR_ARG(http_request_method(request)),
              STR_ARG(http_request_target(request)));
    buf_add(&answer, buf_str(&body));
    return http_request_answer(request, 200, STR("text/plain"), buf_str(&answer));
}

static struct error *exchange_echoes(struct http_fixture *fixture)
{
    SCOPED(buf) body = {0};
    int status = 0;
    FIBER_TIMEOUT(MINUTE);
    TRY(http_fixture_get(fixture, STR("/a?b=c"), &status, &body));
    CHECK_EQ(status, 200);
    CHECK_EQ(buf_str(&body), STR("GET /a?b=c "));
    buf_clear(&body);

    OWNED(http_response) response = NULL;
    const struct http_client_request post = {
        .method = STR("POST"), .target = STR("/p"), .body = STR("hello")};
    TRY(http_client_send(fixture->client, &post, &response));
    TRY(http_response_read_all(response, &body));
    CHECK_EQ(buf_str(&body), STR("POST /p hello"));
    CHECK_EQ(http_headers_find(http_response_headers(response), STR("Content-Type")),
             STR("text/plain"));
    CHECK_EQ(response->call->conn->http2, fixture->kind == HTTP_FIXTURE_TLS_H2);
    return NULL;
}

SIM_TEST(client_and_server_understand_each_other)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, echo, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        CHECK_OK(exchange_echoes(&fixture));
        CHECK_EQ(fixture.client->conn_count, (size_t)1);
        CHECK_EQ(http_client_call_count(fixture.client), (size_t)0);
    }
}

SIM_TEST(bad_wires_change_nothing_but_the_time_it_takes)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, echo, NULL);
        sim_network_set_faults(fixture.network, HTTP_FIXTURE_HOST,
                               &(struct sim_faults){.latency = 20 * MILLISECOND,
                                                    .jitter = 20 * MILLISECOND,
                                                    .loss = 0.01,
                                                    .piece_max = 300,
                                                    .spurious = true});
        CHECK_OK(http_fixture_start(&fixture));
        CHECK_OK(exchange_echoes(&fixture));
    }
}

static struct error *tortured_exchange(enum http_fixture_kind kind)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, kind, echo, NULL);
    TRY(http_fixture_start(&fixture));
    return exchange_echoes(&fixture);
}

TORTURE_TEST(plain_exchanges_survive_every_interruption)
{
    return tortured_exchange(HTTP_FIXTURE_PLAIN);
}

TORTURE_TEST(http1_exchanges_survive_every_interruption)
{
    return tortured_exchange(HTTP_FIXTURE_TLS_H1);
}

TORTURE_TEST(http2_exchanges_survive_every_interruption)
{
    return tortured_exchange(HTTP_FIXTURE_TLS_H2);
}

struct visitor {
    struct http_fixture *fixture;
    int number;
    size_t *most;
};

static struct error *slow_echo(void *data, struct http_request *request)
{
    TRY(fiber_sleep(SECOND));
    return echo(data, request);
}

static struct error *visits(void *data)
{
    const struct visitor *visitor = data;
    SCOPED(buf) body = {0};
    SCOPED(buf) expected = {0};
    char target[16];
    snprintf(target, sizeof(target), "/%d", visitor->number);
    buf_print(&expected, "GET %s ", target);
    int status = 0;
    TRY(http_fixture_get(visitor->fixture, str_from_c(target), &status, &body));
    CHECK_EQ(buf_str(&body), buf_str(&expected));
    const size_t now = visitor->fixture->client->conn_count;
    *visitor->most = now > *visitor->most ? now : *visitor->most;
    return NULL;
}

static size_t visit_at_once(struct http_fixture *fixture, int count)
{
    size_t most = 0;
    struct visitor visitors[100];
    SCOPED(scope) scope = {0};
    for (int i = 0; i < count; i++) {
        visitors[i] = (struct visitor){.fixture = fixture, .number = i, .most = &most};
        scope_start(&scope, "visits", visits, &visitors[i]);
    }
    CHECK_OK(scope_wait(&scope));
    return most;
}

SIM_TEST(http2_carries_many_requests_on_one_connection)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, slow_echo, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    const int64_t begun = loop_now(loop_current());
    CHECK_EQ(visit_at_once(&fixture, 100), (size_t)1);
    CHECK(loop_now(loop_current()) - begun < 2 * SECOND);
}

SIM_TEST(http1_takes_no_more_connections_than_allowed)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H1, slow_echo, NULL);
    fixture.client_options.connections = 4;
    CHECK_OK(http_fixture_start(&fixture));
    CHECK_EQ(visit_at_once(&fixture, 20), (size_t)4);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(fixture.client->conn_count, (size_t)2); /* idle ones kept */
}

SIM_TEST(http2_is_spoken_once_it_is_offered)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, echo, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    http_client_offer_http2(fixture.client, false);
    for (int i = 0; i < 3; i++) {
        OWNED(http_response) response = NULL;
        SCOPED(buf) body = {0};
        const struct http_client_request get = {.target = STR("/")};
        CHECK_OK(http_client_send(fixture.client, &get, &response));
        CHECK_OK(http_response_read_all(response, &body));
        CHECK_EQ(response->call->conn->http2, i == 2);
        http_response_free(TAKE(response));
        if (i == 1)
            http_client_offer_http2(fixture.client, true);
        CHECK_OK(fiber_sleep(SECOND));
        CHECK_EQ(fixture.client->conn_count, (size_t)(i != 1));
    }
}

SIM_TEST(idle_connections_go_after_a_while)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, echo, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        CHECK_OK(exchange_echoes(&fixture));
        CHECK_OK(fiber_sleep(80 * SECOND));
        CHECK_EQ(fixture.client->conn_count, (size_t)1);
        CHECK_OK(fiber_sleep(20 * SECOND));
        CHECK_EQ(fixture.client->conn_count, (size_t)0);
        CHECK_EQ(fixture.server->conn_count, (size_t)0);
        CHECK_OK(exchange_echoes(&fixture));
    }
}

/* The server hangs up an idle connection just when the client uses it again. */
SIM_TEST(a_dead_idle_connection_is_replaced_unnoticed)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, echo, NULL);
        fixture.server_options.timeouts.idle = 10 * SECOND;
        sim_network_set_faults(fixture.network, HTTP_FIXTURE_HOST,
                               &(struct sim_faults){.latency = 50 * MILLISECOND});
        CHECK_OK(http_fixture_start(&fixture));
        for (int i = 0; i < 20; i++) {
            TEST_CASE("%s, %d ms", http_fixture_name(kind), 9900 + i * 10);
            SCOPED(buf) body = {0};
            int status = 0;
            CHECK_OK(http_fixture_get(&fixture, STR("/"), &status, &body));
            CHECK_OK(fiber_sleep((9900 + (duration)i * 10) * MILLISECOND));
        }
    }
}

static struct error *ticks(void *data, struct http_request *request)
{
    const int *count = data;
    TRY(http_request_respond(request, 200, NULL));
    for (int i = 0; i < *count; i++) {
        char line[32];
        const int len = snprintf(line, sizeof(line), "tick %d\n", i);
        TRY(http_request_write(request, str_from(line, (size_t)len)));
        TRY(fiber_sleep(MINUTE));
    }
    return NULL;
}

SIM_TEST(a_stream_is_read_line_by_line_for_hours)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        int count = 180;
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, ticks, &count);
        CHECK_OK(http_fixture_start(&fixture));
        OWNED(http_response) response = NULL;
        {
            FIBER_TIMEOUT(10 * SECOND); /* for the head alone */
            CHECK_OK(http_client_send(
                fixture.client, &(struct http_client_request){.target = STR("/")}, &response));
        }
        const int64_t begun = loop_now(loop_current());
        struct str line;
        int seen = 0;
        for (;;) {
            CHECK_OK(http_response_read_line(response, &line));
            if (!line.ptr)
                break;
            seen++;
            /* Each line comes when it is written, not when a buffer is full. */
            CHECK(loop_now(loop_current()) - begun < seen * MINUTE);
        }
        CHECK_EQ(seen, count);
    }
}

/* Two lines at once, and after a while many more. */
static struct error *bursts(void *data, struct http_request *request)
{
    (void)data;
    TRY(http_request_respond(request, 200, NULL));
    TRY(http_request_write(request, STR("first\nsecond\n")));
    TRY(fiber_sleep(SECOND));
    for (int i = 0; i < 1000; i++)
        TRY(http_request_write(request, STR("another line of the second burst\n")));
    return NULL;
}

SIM_TEST(what_arrives_while_a_line_is_looked_at_does_not_move_it)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, bursts, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        OWNED(http_response) response = NULL;
        struct str line;
        CHECK_OK(http_client_send(fixture.client, &(struct http_client_request){.target = STR("/")},
                                  &response));
        CHECK_OK(http_response_read_line(response, &line));
        CHECK_OK(fiber_sleep(MINUTE));
        CHECK_EQ(line, STR("first"));
        CHECK_OK(http_response_read_line(response, &line));
        CHECK_EQ(line, STR("second"));
        for (int i = 0; i < 1000; i++)
            CHECK_OK(http_response_read_line(response, &line));
        CHECK_EQ(line, STR("another line of the second burst"));
        CHECK_OK(http_response_read_line(response, &line));
        CHECK(line.ptr == NULL);
    }
}

struct flood {
    size_t written;
    bool canceled;
};

static struct error *floods(void *data, struct http_request *request)
{
    struct flood *flood = data;
    TRY(http_request_respond(request, 200, NULL));
    char block[4096];
    memset(block, 'x', sizeof(block));
    for (;;) {
        struct error *err = http_request_write(request, str_from(block, sizeof(block)));
        if (err) {
            flood->canceled = error_is(err, ERROR_CANCELED) || error_is(err, ERROR_CONNECTION);
            return err;
        }
        flood->written += sizeof(block);
    }
}

SIM_TEST(a_client_that_does_not_read_holds_the_server_not_its_memory)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        struct flood flood = {0};
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, floods, &flood);
        fixture.client_options.limits.window = 128 * KILOBYTE;
        fixture.server_options.timeouts.stall = FOREVER;
        fixture.client_options.timeouts.stall = FOREVER;
        CHECK_OK(http_fixture_start(&fixture));
        OWNED(http_response) response = NULL;
        CHECK_OK(http_client_send(fixture.client, &(struct http_client_request){.target = STR("/")},
                                  &response));
        CHECK_OK(fiber_sleep(10 * SECOND));
        const size_t held = flood.written;
        CHECK(held < 600 * KILOBYTE);
        char block[1000];
        for (int i = 0; i < 1000; i++) {
            size_t len;
            CHECK_OK(http_response_read(response, block, sizeof(block), &len));
            CHECK(len > 0);
        }
        CHECK_OK(fiber_sleep(10 * SECOND));
        CHECK(flood.written > held);
        CHECK(flood.written < held + 1200 * KILOBYTE);
        http_response_free(TAKE(response));
        CHECK_OK(fiber_sleep(10 * SECOND));
        CHECK(flood.canceled);
    }
}

static struct error *never(void *data, struct http_request *request)
{
    (void)request;
    struct error *err = fiber_sleep(HOUR);
    if (error_is(err, ERROR_CANCELED))
        *(bool *)data = true;
    return err;
}

SIM_TEST(a_deadline_ends_a_request_and_the_handler_hears_of_it)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        bool canceled = false;
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, never, &canceled);
        CHECK_OK(http_fixture_start(&fixture));
        {
            FIBER_TIMEOUT(5 * SECOND);
            OWNED(http_response) response = NULL;
            CHECK_FAILS(http_client_send(fixture.client,
                                         &(struct http_client_request){.target = STR("/")},
                                         &response),
                        ERROR_DEADLINE, "timed out while waiting for the response");
        }
        CHECK_OK(fiber_sleep(SECOND));
        CHECK(canceled);
        CHECK_EQ(fixture.server->request_count, (size_t)0);
    }
}

/* Says yes so often, then no. */
static bool count_down(void *data)
{
    size_t *left = data;
    if (!*left)
        return false;
    --*left;
    return true;
}

static struct error *count_request(void *data, struct http_request *request)
{
    SCOPED(buf) body = {.limit = MEGABYTE};
    TRY(http_request_read_all(request, &body));
    ++*(size_t *)data;
    return http_request_answer(request, 200, STR("text/plain"), STR("done"));
}

static void send_with_permit(struct http_fixture *fixture, const size_t *count, size_t left,
                             struct str body)
{
    OWNED(http_response) response = NULL;
    OWNED(error)
    err = http_client_send(fixture->client,
                           &(struct http_client_request){.method = STR("PUT"),
                                                         .target = STR("/"),
                                                         .body = body,
                                                         .may_send = count_down,
                                                         .may_send_data = &left},
                           &response);
    CHECK_EQ(left, (size_t)0);
    CHECK(err);
    CHECK(error_is(err, ERROR_CANCELED) || error_is(err, ERROR_CONNECTION));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(*count, (size_t)0);
}

/*
 * Head, body and end of a message are handed over in one turn, each with a question, and leave in
 * the next: a process that was stopped in between is asked once more.
 */
SIM_TEST(a_request_that_waits_to_leave_does_not_leave_without_permission)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        for (size_t left = 1; left <= 3; left++) {
            TEST_CASE("%s, no after %zu answers", http_fixture_name(kind), left);
            size_t count = 0;
            SCOPED(http_fixture) fixture;
            http_fixture_init(&fixture, kind, count_request, &count);
            CHECK_OK(http_fixture_start(&fixture));
            send_with_permit(&fixture, &count, left, STR("hello"));
            send_with_permit(&fixture, &count, 1, STR(""));
        }
    }
}

SIM_TEST(a_black_hole_is_noticed_by_http2_pings)
{
    int count = 1000;
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, ticks, &count);
    CHECK_OK(http_fixture_start(&fixture));
    OWNED(http_response) response = NULL;
    CHECK_OK(http_client_send(fixture.client, &(struct http_client_request){.target = STR("/")},
                              &response));
    struct str line;
    CHECK_OK(http_response_read_line(response, &line));
    const int64_t begun = loop_now(loop_current());
    sim_network_set_faults(fixture.network, HTTP_FIXTURE_HOST,
                           &(struct sim_faults){.black_hole = true});
    CHECK_FAILS(http_response_read_line(response, &line), ERROR_CONNECTION, "no sign of life");
    CHECK_EQ(loop_now(loop_current()) - begun <= 46 * SECOND, true);
    http_response_free(TAKE(response));
    sim_network_set_faults(fixture.network, HTTP_FIXTURE_HOST, &(struct sim_faults){0});
}

static struct error *compresses(void *data, struct http_request *request)
{
    (void)data;
    const struct str accepts =
        http_headers_find(http_request_headers(request), STR("accept-encoding"));
    CHECK_EQ(accepts, STR("gzip"));
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("Content-Encoding"), STR("gzip")));
    TRY(http_request_respond(request, 200, &headers));
    OWNED(gzip_writer) writer = gzip_writer_new(6);
    for (int i = 0; i < 1000; i++) {
        SCOPED(buf) out = {0};
        gzip_write(writer, STR("the same line again\n"), &out);
        if (i == 999)
            gzip_write_end(writer, &out);
        TRY(http_request_write(request, buf_str(&out)));
    }
    return NULL;
}

SIM_TEST(compressed_responses_are_read_as_plain_ones)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, compresses, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        SCOPED(buf) body = {0};
        int status = 0;
        CHECK_OK(http_fixture_get(&fixture, STR("/"), &status, &body));
        CHECK_EQ(body.len, (size_t)20000);
    }
}

SIM_TEST(a_truncated_body_is_an_error)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        struct flood flood = {0};
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, floods, &flood);
        sim_network_set_faults(fixture.network, HTTP_FIXTURE_HOST,
                               &(struct sim_faults){.cut_after = 50 * KILOBYTE});
        CHECK_OK(http_fixture_start(&fixture));
        SCOPED(buf) body = {0};
        int status = 0;
        FIBER_TIMEOUT(MINUTE);
        OWNED(error) err = http_fixture_get(&fixture, STR("/"), &status, &body);
        CHECK(err != NULL);
        CHECK(error_is(err, ERROR_PROTOCOL) || error_is(err, ERROR_CONNECTION));
    }
}

/* A proxy that passes bytes both ways once it has agreed. */
struct proxy {
    struct network *network;
    struct listener *listener;
    bool socks;
    struct tls_server *tls; /* NULL: plain connections to the proxy */
    struct str seen;        /* of the request, for checks */
    char text[512];
    struct transport *ends[2];
};

static struct error *pass_on(struct transport *from, struct transport *to)
{
    char bytes[2000];
    for (;;) {
        size_t len;
        TRY(transport_read(from, bytes, sizeof(bytes), &len));
        if (len == 0)
            break;
        TRY(transport_write(to, str_from(bytes, len)));
    }
    transport_finish(to);
    return NULL;
}

static struct error *passes_back(void *data)
{
    struct proxy *proxy = data;
    return pass_on(proxy->ends[1], proxy->ends[0]);
}

static struct error *agree_http(struct proxy *proxy, struct transport *client)
{
    size_t len = 0;
    while (len < 4 || memcmp(proxy->text + len - 4, "\r\n\r\n", 4) != 0)
        TRY(transport_read_exactly(client, proxy->text + len++, 1));
    proxy->seen = str_from(proxy->text, len);
    return transport_write(client, STR("HTTP/1.1 200 OK\r\nX: y\r\n\r\n"));
}

static struct error *agree_socks(struct proxy *proxy, struct transport *client)
{
    TRY(transport_read_exactly(client, proxy->text, 4));
    CHECK_EQ(str_from(proxy->text, 4), STR("\x05\x02\x00\x02"));
    TRY(transport_write(client, STR("\x05\x02")));
    TRY(transport_read_exactly(client, proxy->text, 10));
    CHECK_EQ(str_from(proxy->text, 10), STR("\x01\x02me\x05p:w d"));
    TRY(transport_write(client, str_from("\x01\x00", 2)));
    TRY(transport_read_exactly(client, proxy->text, 4 + 1 + HTTP_FIXTURE_HOST.len + 2));
    CHECK_EQ(str_from(proxy->text + 5, HTTP_FIXTURE_HOST.len), HTTP_FIXTURE_HOST);
    return transport_write(client, str_from("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x50", 10));
}

static struct error *proxies(void *data)
{
    struct proxy *proxy = data;
    OWNED(transport) client = NULL;
    OWNED(transport) target = NULL;
    TRY(listener_accept(proxy->listener, &client));
    if (proxy->tls)
        TRY(tls_accept(proxy->tls, TAKE(client), STR(""), &client));
    if (proxy->socks)
        TRY(agree_socks(proxy, client));
    else
        TRY(agree_http(proxy, client));
    TRY(network_connect(proxy->network, HTTP_FIXTURE_HOST, 40000, &target));
    proxy->ends[0] = client;
    proxy->ends[1] = target;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "back", passes_back, proxy);
    TRY(pass_on(client, target));
    return scope_wait(&scope);
}

static void exchange_through(bool socks, struct str proxy_url)
{
    struct proxy proxy = {.socks = socks};
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, echo, NULL);
    proxy.network = fixture.network;
    struct url url;
    CHECK_OK(url_read_proxy(proxy_url, &url));
    fixture.client_options.endpoint.proxy = &url;
    CHECK_OK(http_fixture_start(&fixture)); /* the first port given out is 40000 */
    OWNED(listener) listener = NULL;
    CHECK_OK(network_listen(fixture.network, STR("proxy.test"), 3128, &listener));
    proxy.listener = listener;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "proxy", proxies, &proxy);
    CHECK_OK(exchange_echoes(&fixture));
    if (!socks) {
        CHECK(str_starts_with(proxy.seen, STR("CONNECT server.test:40000 HTTP/1.1\r\n")));
        CHECK_CONTAINS(proxy.seen, STR("Proxy-Authorization: Basic bWU6cDp3IGQ=\r\n"));
    }
}

SIM_TEST(requests_go_through_an_http_proxy)
{
    exchange_through(false, STR("http://me:p%3Aw%20d@proxy.test:3128"));
}

SIM_TEST(requests_go_through_a_socks5_proxy)
{
    exchange_through(true, STR("socks5://me:p%3Aw%20d@proxy.test:3128"));
}

/* TLS to the server inside of TLS to the proxy; each is checked against its own authorities. */
SIM_TEST(requests_go_through_an_https_proxy)
{
    struct proxy proxy = {0};
    SCOPED(http_fixture) fixture;
    SCOPED(test_certs) certs;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, echo, NULL);
    test_certs_init(&certs, loop_wall(loop_current()));
    OWNED(tls_server) tls = NULL;
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = certs.server}, &tls));
    struct url url;
    CHECK_OK(url_read_proxy(STR("https://me:p%3Aw%20d@localhost:3128"), &url));
    fixture.client_options.endpoint.proxy = &url;
    fixture.client_options.endpoint.proxy_trust = certs.trust;
    CHECK_OK(http_fixture_start(&fixture));
    OWNED(listener) listener = NULL;
    CHECK_OK(network_listen(fixture.network, STR("localhost"), 3128, &listener));
    proxy.network = fixture.network;
    proxy.listener = listener;
    proxy.tls = tls;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "proxy", proxies, &proxy);
    CHECK_OK(exchange_echoes(&fixture));
    CHECK(str_starts_with(proxy.seen, STR("CONNECT server.test:40000 HTTP/1.1\r\n")));
    CHECK_CONTAINS(proxy.seen, STR("Proxy-Authorization: Basic bWU6cDp3IGQ=\r\n"));
}

SIM_TEST(an_https_proxy_that_nobody_knows_is_refused)
{
    struct proxy proxy = {0};
    SCOPED(http_fixture) fixture;
    SCOPED(test_certs) certs;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, echo, NULL);
    test_certs_init(&certs, loop_wall(loop_current()));
    OWNED(tls_server) tls = NULL;
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = certs.server}, &tls));
    struct url url;
    CHECK_OK(url_read_proxy(STR("https://me:hunter2@localhost:3128"), &url));
    fixture.client_options.endpoint.proxy = &url;
    CHECK_OK(http_fixture_start(&fixture));
    OWNED(listener) listener = NULL;
    CHECK_OK(network_listen(fixture.network, STR("localhost"), 3128, &listener));
    proxy.network = fixture.network;
    proxy.listener = listener;
    proxy.tls = tls;
    SCOPED(scope) scope = {0};
    scope_start(&scope, "proxy", proxies, &proxy);
    SCOPED(buf) body = {0};
    int status = 0;
    OWNED(error) err = http_fixture_get(&fixture, STR("/"), &status, &body);
    CHECK(error_is(err, ERROR_TLS));
    CHECK_CONTAINS(str_from_c(err->message),
                   STR("connect to server.test:40000 through proxy localhost:3128: TLS handshake"));
    CHECK_CONTAINS(str_from_c(err->message),
                   STR("; check that the proxy speaks TLS with a certificate that the system "
                       "trusts"));
    CHECK_EQ(proxy.seen, STR(""));
}

/* What a proxy does instead of opening a tunnel, and what is told of it. */
struct proxy_trouble {
    const char *name;
    const char *answer;
    enum { STAYS, CLOSES, SENDS_ON } then; /* behind the answer; nothing, the end, more headers */
    const char *message;
};

struct troubled_proxy {
    struct listener *listener;
    const struct proxy_trouble *trouble;
};

static struct error *make_trouble(void *data)
{
    const struct troubled_proxy *proxy = data;
    const struct str padding = STR("X-Padding: 0123456789012345678901234567890123456789\r\n");
    OWNED(transport) client = NULL;
    SCOPED(buf) request = {.limit = 0};
    TRY(listener_accept(proxy->listener, &client));
    while (!str_ends_with(buf_str(&request), STR("\r\n\r\n"))) {
        char byte;
        TRY(transport_read_exactly(client, &byte, 1));
        buf_add_char(&request, byte);
    }
    TRY(transport_write(client, str_from_c(proxy->trouble->answer)));
    while (proxy->trouble->then == SENDS_ON)
        TRY(transport_write(client, padding));
    return proxy->trouble->then == CLOSES ? NULL : fiber_sleep(HOUR);
}

/* Sends a request through a proxy in trouble and returns its error. */
static struct error *ask_troubled(const struct proxy_trouble *trouble, struct str proxy_url)
{
    struct troubled_proxy proxy = {.trouble = trouble};
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, echo, NULL);
    struct url url;
    CHECK_OK(url_read_proxy(proxy_url, &url));
    fixture.client_options.endpoint.proxy = &url;
    fixture.client_options.endpoint.proxy_source = "HTTPS_PROXY";
    fixture.client_options.endpoint.proxy_bypass = "add the server to NO_PROXY";
    CHECK_OK(http_fixture_start(&fixture));
    OWNED(listener) listener = NULL;
    CHECK_OK(network_listen(fixture.network, STR("proxy.test"), 3128, &listener));
    proxy.listener = listener;
    SCOPED(scope) scope = {0};
    if (trouble)
        scope_start(&scope, "proxy", make_trouble, &proxy);
    else
        listener_free(TAKE(listener));
    SCOPED(buf) body = {0};
    int status = 0;
    const int64_t begun = loop_now(loop_current());
    struct error *err = http_fixture_get(&fixture, STR("/"), &status, &body);
    CHECK(loop_now(loop_current()) - begun <= 31 * SECOND);
    scope_cancel(&scope);
    error_free(scope_wait(&scope));
    return err;
}

/* Errors name server, proxy and variable, and say what to do. The password is never shown. */
static void check_told(const struct error *err, const char *message)
{
    SCOPED(buf) expected = {0};
    buf_print(&expected,
              "connect to server.test:40000 through proxy proxy.test:3128 (HTTPS_PROXY): %s, or "
              "add the server to NO_PROXY",
              message);
    CHECK(err != NULL);
    CHECK_EQ(str_from_c(err->message), buf_str(&expected));
}

SIM_TEST(a_proxy_that_opens_no_tunnel_is_named)
{
#define CHECK_ADDRESS "; check that an HTTP proxy is at that address"
#define LET_CONNECT   "; let it CONNECT to server.test:40000"
    const struct proxy_trouble troubles[] = {
        {"it forbids",                     "HTTP/1.0 403 Not there\r\nContent-Length: 5\r\n\r\nnever", STAYS,
         "the proxy answers 403 Not there" LET_CONNECT                                                                                              },
        {"without a reason",               "HTTP/1.1 502\r\n\r\n",                                     CLOSES,   "the proxy answers 502" LET_CONNECT},
        {"a reason that moves the cursor", "HTTP/1.1 403 \033[2JNo\r\n\r\n",                           STAYS,
         "the proxy answers 403" LET_CONNECT                                                                                                        },
        {"another number",                 "HTTP/1.1 2000 OK\r\n\r\n",                                 STAYS,
         "the proxy answers without a status OK" LET_CONNECT                                                                                        },
        {"another language",               "220 mail.test ESMTP\r\n",                                  STAYS,
         "the proxy does not answer with HTTP" CHECK_ADDRESS                                                                                        },
        {"an alert of TLS",                "\x15\x03\x01\x02\x02",                                     CLOSES,
         "the proxy does not answer with HTTP" CHECK_ADDRESS                                                                                        },
        {"headers without an end",         "HTTP/1.1 200 OK\r\n",                                      SENDS_ON,
         "the headers of the proxy's answer are longer than 16384 bytes" CHECK_ADDRESS                                                              },
        {"it hangs up",                    "",                                                         CLOSES,
         "the proxy closes the connection without an answer" CHECK_ADDRESS                                                                          },
        {"it hangs up in its answer",      "HTTP/1.1 200 OK\r\nX: ",                                   CLOSES,
         "the proxy closes the connection in the middle of its answer" CHECK_ADDRESS                                                                },
        {"it hangs",                       "",                                                         STAYS,
         "no answer of the proxy: timed out while waiting for bytes from the peer" CHECK_ADDRESS                                                    },
        {"it hangs in its answer",         "HTTP/1.1 200 OK\r\nX: ",                                   STAYS,
         "no answer of the proxy: timed out while waiting for bytes from the peer" CHECK_ADDRESS                                                    },
    };
    for (size_t i = 0; i < COUNT(troubles); i++) {
        TEST_CASE("%s", troubles[i].name);
        OWNED(error) err = ask_troubled(&troubles[i], STR("http://me:hunter2@proxy.test:3128"));
        check_told(err, troubles[i].message);
        CHECK_EQ(err->code, i < COUNT(troubles) - 2 ? ERROR_UNREACHABLE : ERROR_DEADLINE);
    }
}

SIM_TEST(a_proxy_that_wants_credentials_is_named)
{
    const struct proxy_trouble trouble = {.answer = "HTTP/1.1 407 Who are you\r\n\r\n"};
    OWNED(error) none = ask_troubled(&trouble, STR("proxy.test:3128"));
    check_told(none, "the proxy answers 407 Who are you; write user and password into its URL, "
                     "http://USER:PASSWORD@proxy.test:3128");
    OWNED(error) wrong = ask_troubled(&trouble, STR("http://me:hunter2@proxy.test:3128"));
    check_told(wrong, "the proxy answers 407 Who are you; it does not accept the user and the "
                      "password of its URL, correct them");
    CHECK(error_is(none, ERROR_UNREACHABLE) && error_is(wrong, ERROR_UNREACHABLE));
}

SIM_TEST(a_proxy_that_is_away_is_named)
{
    OWNED(error) err = ask_troubled(NULL, STR("http://me:hunter2@proxy.test:3128"));
    check_told(err, "connect to proxy.test:3128: Connection refused; check that a proxy is at "
                    "that address");
    CHECK(error_is(err, ERROR_UNREACHABLE));
}

SIM_TEST(a_certificate_for_another_name_is_refused)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, echo, NULL);
    fixture.client_options.endpoint.server_name = STR("other.test");
    CHECK_OK(http_fixture_start(&fixture));
    SCOPED(buf) body = {0};
    int status = 0;
    CHECK_FAILS(http_fixture_get(&fixture, STR("/"), &status, &body), ERROR_TLS,
                "connect to server.test:40000: TLS handshake: the server's certificate is for "
                "server.test, localhost, 127.0.0.1, not for other.test");
}

SIM_TEST(an_expired_certificate_is_refused)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, echo, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    CHECK_OK(fiber_sleep(48 * HOUR));
    SCOPED(buf) body = {0};
    int status = 0;
    CHECK_FAILS(http_fixture_get(&fixture, STR("/"), &status, &body), ERROR_TLS, "has expired on");
}

SIM_TEST(a_plain_text_peer_on_a_tls_port_is_named)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, echo, NULL);
    fixture.server_options.tls = NULL;
    CHECK_OK(http_fixture_start(&fixture));
    SCOPED(buf) body = {0};
    int status = 0;
    FIBER_TIMEOUT(MINUTE);
    CHECK_FAILS(http_fixture_get(&fixture, STR("/"), &status, &body), ERROR_TLS,
                "the peer does not speak TLS");
}

SIM_TEST(a_client_that_stops_reading_is_given_up)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        struct flood flood = {0};
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, floods, &flood);
        fixture.client_options.timeouts.idle = HOUR;
        CHECK_OK(http_fixture_start(&fixture));
        OWNED(http_response) response = NULL;
        CHECK_OK(http_client_send(fixture.client, &(struct http_client_request){.target = STR("/")},
                                  &response));
        CHECK_OK(fiber_sleep(20 * SECOND));
        CHECK(!flood.canceled);
        CHECK_EQ(fixture.server->request_count, (size_t)1);
        CHECK_OK(fiber_sleep(15 * SECOND));
        CHECK(flood.canceled);
        CHECK_EQ(fixture.server->request_count, (size_t)0);
        SCOPED(buf) body = {0};
        OWNED(error) err = http_response_read_all(response, &body);
        CHECK(err != NULL); /* not half an answer taken for a whole one */
    }
}
