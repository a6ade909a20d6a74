#include "http/server.h"

#include <netinet/in.h>
#include <stdarg.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/http_fixture_test.h"

/* What the handlers of these tests saw. */
struct seen {
    int requests;
    struct buf body;
    struct buf targets;
    struct error *err;
};

static void seen_done(struct seen *seen)
{
    buf_done(&seen->body);
    buf_done(&seen->targets);
    error_free(seen->err);
}

static struct error *note(void *data, struct http_request *request)
{
    struct seen *seen = data;
    seen->requests++;
    buf_add(&seen->targets, http_request_target(request));
    buf_add_char(&seen->targets, ' ');
    SCOPED(buf) body = {.limit = 100 * KILOBYTE};
    struct error *err = http_request_read_all(request, &body);
    buf_add(&seen->body, buf_str(&body));
    if (err) {
        error_free(seen->err);
        seen->err = error_copy(err);
        return err;
    }
    return http_request_answer(request, 200, STR("text/plain"), STR("fine\n"));
}

/* Sends bytes to the server as they are and collects what comes back until it closes. */
static struct error *say(struct http_fixture *fixture, struct str bytes, struct buf *answer)
{
    OWNED(transport) transport = NULL;
    FIBER_TIMEOUT(2 * MINUTE);
    TRY(network_connect(fixture->network, HTTP_FIXTURE_HOST, http_server_port(fixture->server),
                        &transport));
    struct error *err = transport_write(transport, bytes);
    error_free(err); /* it may have heard enough */
    for (;;) {
        char block[1000];
        size_t len;
        TRY(transport_read(transport, block, sizeof(block), &len));
        if (len == 0)
            return NULL;
        buf_add(answer, str_from(block, len));
    }
}

struct plain_case {
    const char *name;
    const char *bytes;
    const char *status;  /* start of the answer; "" for none */
    const char *targets; /* what handlers were called for */
};

static void check_plain(const struct plain_case *row)
{
    TEST_CASE("%s", row->name);
    SCOPED(seen) seen = {0};
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_PLAIN, note, &seen);
    fixture.server_options.timeouts =
        (struct http_timeouts){.first = 10 * SECOND, .idle = 10 * SECOND};
    CHECK_OK(http_fixture_start(&fixture));
    SCOPED(buf) answer = {0};
    CHECK_OK(say(&fixture, str_from_c(row->bytes), &answer));
    CHECK_EQ(str_slice(buf_str(&answer), 0, strlen(row->status)), str_from_c(row->status));
    if (!row->status[0])
        CHECK_EQ(answer.len, (size_t)0);
    CHECK_EQ(buf_str(&seen.targets), str_from_c(row->targets));
    CHECK_EQ(fixture.server->request_count, (size_t)0);
}

#define HEAD_POST "POST /a HTTP/1.1\r\nHost: x\r\n"

SIM_TEST(smuggling_attempts_are_refused)
{
    static const struct plain_case cases[] = {
        {"both lengths",
         HEAD_POST
         "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: x\r\n\r\n",
         "HTTP/1.1 400 ",                                                                                                          ""},
        {"both lengths, other order",
         HEAD_POST
         "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: x\r\n\r\n",
         "HTTP/1.1 400 ",                                                                                                          ""},
        {"two lengths",               HEAD_POST "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
         "HTTP/1.1 400 ",                                                                                                          ""},
        {"length with a sign",        HEAD_POST "Content-Length: +5\r\n\r\nhello",                                "HTTP/1.1 400 ", ""},
        {"obscured encoding",
         HEAD_POST
         "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\nGET /evil HTTP/1.1\r\nHost: x\r\n\r\n",                     "HTTP/1.1 ",     ""},
        {"blank before colon",        HEAD_POST "Content-Length : 5\r\n\r\nhello",                                "HTTP/1.1 400 ", ""},
        {"folded header",             HEAD_POST "X: a\r\n b\r\n\r\n",                                             "HTTP/1.1 400 ", ""},
        {"bare line feeds",           "GET /a HTTP/1.1\nHost: x\n\n",                                             "HTTP/1.1 505 ", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        check_plain(&cases[i]);
}

SIM_TEST(a_wrong_content_length_cuts_nothing_and_swallows_nothing)
{
    static const struct plain_case cases[] = {
        {"too short: the rest is no request", HEAD_POST "Content-Length: 3\r\n\r\nhello",
         "HTTP/1.1 200 ",                                                                                                "/a "},
        {"far too long",                      HEAD_POST "Content-Length: 99999999999999999999\r\n\r\n", "HTTP/1.1 400 ",
         ""                                                                                                                   },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        check_plain(&cases[i]);
}

/* The client announces more than it sends and then waits: the handler's own deadline ends it. */
static struct error *note_briefly(void *data, struct http_request *request)
{
    FIBER_TIMEOUT(5 * SECOND);
    return note(data, request);
}

SIM_TEST(a_body_that_does_not_come_ends_at_the_deadline)
{
    SCOPED(seen) seen = {0};
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_PLAIN, note_briefly, &seen);
    CHECK_OK(http_fixture_start(&fixture));
    SCOPED(buf) answer = {0};
    CHECK_OK(say(&fixture, STR(HEAD_POST "Content-Length: 9\r\n\r\nhello"), &answer));
    CHECK(str_starts_with(buf_str(&answer), STR("HTTP/1.1 504 ")));
    CHECK(error_is(seen.err, ERROR_DEADLINE));
}

static struct error *hang_up(struct http_fixture *fixture, struct str bytes)
{
    OWNED(transport) transport = NULL;
    TRY(network_connect(fixture->network, HTTP_FIXTURE_HOST, http_server_port(fixture->server),
                        &transport));
    TRY(transport_write(transport, bytes));
    transport_finish(transport);
    return fiber_sleep(SECOND);
}

SIM_TEST(a_truncated_request_body_is_an_error_for_the_handler)
{
    static const char *const requests[] = {
        HEAD_POST "Content-Length: 9\r\n\r\nhello",
        HEAD_POST "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    };
    for (size_t i = 0; i < COUNT(requests); i++) {
        TEST_CASE("%zu", i);
        SCOPED(seen) seen = {0};
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, HTTP_FIXTURE_PLAIN, note, &seen);
        CHECK_OK(http_fixture_start(&fixture));
        CHECK_OK(hang_up(&fixture, str_from_c(requests[i])));
        CHECK_EQ(seen.requests, 1);
        CHECK(seen.err != NULL);
        CHECK_EQ(fixture.server->conn_count, (size_t)0);
    }
}

SIM_TEST(chunk_extensions_are_ignored_up_to_a_limit)
{
    SCOPED(buf) bytes = {0};
    buf_add(
        &bytes,
        STR(HEAD_POST
            "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n5;name=value\r\nhello\r\n0\r\n\r\n"));
    check_plain(&(struct plain_case){"short", buf_c(&bytes), "HTTP/1.1 200 ", "/a "});
    buf_clear(&bytes);
    buf_add(&bytes, STR(HEAD_POST "Transfer-Encoding: chunked\r\n\r\n5;name="));
    for (int i = 0; i < 200000; i++)
        buf_add_char(&bytes, 'x');
    buf_add(&bytes, STR("\r\nhello\r\n0\r\n\r\n"));
    check_plain(&(struct plain_case){"long", buf_c(&bytes), "HTTP/1.1 400 ", "/a "});
}

SIM_TEST(a_header_of_a_megabyte_is_refused_early)
{
    SCOPED(buf) bytes = {0};
    buf_add(&bytes, STR("GET /a HTTP/1.1\r\nHost: x\r\nX: "));
    for (int i = 0; i < 1000000; i++)
        buf_add_char(&bytes, 'x');
    buf_add(&bytes, STR("\r\n\r\n"));
    check_plain(&(struct plain_case){"in one", buf_c(&bytes), "HTTP/1.1 431 ", ""});
}

static struct error *get_with_large_header(struct http_fixture *fixture)
{
    SCOPED(http_headers) headers = {.limit = 2 * MEGABYTE};
    SCOPED(buf) value = {0};
    for (int i = 0; i < 1000000; i++)
        buf_add_char(&value, 'x');
    TRY(http_headers_add(&headers, STR("x"), buf_str(&value)));
    OWNED(http_response) response = NULL;
    FIBER_TIMEOUT(MINUTE);
    TRY(http_client_send(fixture->client,
                         &(struct http_client_request){.target = STR("/"), .headers = &headers},
                         &response));
    return error_new(ERROR_TOO_LARGE, "status %d", http_response_status(response));
}

SIM_TEST(a_client_does_not_get_through_with_a_header_of_a_megabyte)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(seen) seen = {0};
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, note, &seen);
        CHECK_OK(http_fixture_start(&fixture));
        OWNED(error) err = get_with_large_header(&fixture);
        CHECK(err != NULL);
        CHECK(!error_is(err, ERROR_DEADLINE));
        CHECK_EQ(seen.requests, 0);
    }
}

SIM_TEST(a_body_past_the_limit_is_answered_with_413)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(seen) seen = {0};
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, note, &seen);
        CHECK_OK(http_fixture_start(&fixture));
        SCOPED(buf) body = {0};
        for (int i = 0; i < 200000; i++)
            buf_add_char(&body, 'x');
        OWNED(http_response) response = NULL;
        FIBER_TIMEOUT(MINUTE);
        CHECK_OK(http_client_send(fixture.client,
                                  &(struct http_client_request){.method = STR("PUT"),
                                                                .target = STR("/"),
                                                                .body = buf_str(&body)},
                                  &response));
        CHECK_EQ(http_response_status(response), 413);
        CHECK(error_is(seen.err, ERROR_TOO_LARGE));
    }
}

struct accepting {
    int failures, successes;
    char message[200];
};

static struct error *answer_nothing(void *data, struct http_request *request)
{
    (void)data;
    (void)request;
    return NULL;
}

static void note_accept(void *data, const struct error *err)
{
    struct accepting *accepting = data;
    *(err ? &accepting->failures : &accepting->successes) += 1;
    if (err)
        snprintf(accepting->message, sizeof(accepting->message), "%s", err->message);
}

static void await_accept(const int *count)
{
    FIBER_TIMEOUT(10 * SECOND);
    while (!*count)
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
}

static void limit_descriptors(rlim_t count)
{
    struct rlimit limit;
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    limit.rlim_cur = count;
    CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* The limit is for new descriptors: the client's, made before, and the listener work on. */
LOOP_TEST(a_server_without_descriptors_says_so_and_goes_on)
{
    struct accepting accepting = {0};
    OWNED(network) network = tcp_network_new(loop_current());
    const struct http_server_options options = {.network = network,
                                                .host = STR("127.0.0.1"),
                                                .handler = answer_nothing,
                                                .data = &accepting,
                                                .on_accept = note_accept};
    OWNED(http_server) server = NULL;
    CHECK_OK(http_server_new(loop_current(), &options, &server));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons(http_server_port(server)),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct rlimit before;
    CHECK_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
    limit_descriptors(3);
    CHECK_EQ(connect(fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    await_accept(&accepting.failures);
    CHECK(strstr(accepting.message, "Too many open files") != NULL);
    CHECK_EQ(accepting.successes, 0);
    limit_descriptors(before.rlim_cur);
    await_accept(&accepting.successes);
    CHECK_EQ(server->conn_count, (size_t)1);
    close(fd);
}

static struct error *hang(void *data, struct http_request *request)
{
    (void)data;
    (void)request;
    return fiber_sleep(FOREVER);
}

SIM_TEST(a_server_with_all_its_connections_in_use_says_so)
{
    struct accepting accepting = {0};
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_PLAIN, hang, &accepting);
    fixture.server_options.connections = 2;
    fixture.server_options.on_accept = note_accept;
    CHECK_OK(http_fixture_start(&fixture));
    struct transport *held[3];
    for (size_t i = 0; i < COUNT(held); i++) {
        CHECK_OK(network_connect(fixture.network, HTTP_FIXTURE_HOST,
                                 http_server_port(fixture.server), &held[i]));
        CHECK_OK(transport_write(held[i], STR("GET / HTTP/1.1\r\nhost: a\r\n\r\n")));
    }
    await_accept(&accepting.failures);
    CHECK_EQ(accepting.message, "all 2 connections are in use");
    CHECK_EQ(accepting.successes, 0);
    transport_free(held[0]);
    await_accept(&accepting.successes); /* nobody has to connect for that */
    CHECK_EQ(accepting.failures, 1);
    transport_free(held[1]);
    transport_free(held[2]);
}

static struct error *refuse_surplus(void *data, struct http_request *request)
{
    (void)data;
    if (!http_request_is_surplus(request))
        return http_request_answer(request, 200, STR(""), STR("welcome"));
    http_request_retire(request);
    return http_request_answer(request, 503, STR(""), STR("full"));
}

SIM_TEST(a_surplus_connection_is_told_that_there_is_no_room)
{
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_PLAIN, refuse_surplus, NULL);
    fixture.server_options.connections = 2;
    fixture.server_options.surplus = 3;
    CHECK_OK(http_fixture_start(&fixture));
    struct transport *held[2];
    for (size_t i = 0; i < COUNT(held); i++)
        CHECK_OK(network_connect(fixture.network, HTTP_FIXTURE_HOST,
                                 http_server_port(fixture.server), &held[i]));
    CHECK_OK(fiber_sleep(SECOND));
    for (size_t i = 0; i < 3; i++) {
        SCOPED(buf) body = {0};
        int status = 0;
        CHECK_OK(http_fixture_get(&fixture, STR("/"), &status, &body));
        CHECK_EQ(status, 503);
        CHECK_EQ(buf_str(&body), STR("full"));
    }
    transport_free(held[0]);
    transport_free(held[1]);
    CHECK_OK(fiber_sleep(SECOND));
    SCOPED(buf) body = {0};
    int status = 0;
    CHECK_OK(http_fixture_get(&fixture, STR("/"), &status, &body));
    CHECK_EQ(status, 200);
}

/* A client that sends one byte every five seconds does not hold its connection open. */
SIM_TEST(a_client_that_trickles_its_head_is_let_go)
{
    SCOPED(seen) seen = {0};
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_PLAIN, note, &seen);
    CHECK_OK(http_fixture_start(&fixture));
    OWNED(transport) transport = NULL;
    CHECK_OK(network_connect(fixture.network, HTTP_FIXTURE_HOST, http_server_port(fixture.server),
                             &transport));
    const struct str request = STR("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    for (size_t i = 0; i < 7; i++) {
        error_free(transport_write(transport, str_slice(request, i, i + 1)));
        CHECK_OK(fiber_sleep(5 * SECOND));
    }
    CHECK_EQ(fixture.server->conn_count, (size_t)0);
    CHECK_EQ(seen.requests, 0);
}

static struct error *fails(void *data, struct http_request *request)
{
    const enum error_code *code = data;
    if (str_eq(http_request_target(request), STR("/half"))) {
        TRY(http_request_respond(request, 200, NULL));
        TRY(http_request_write(request, STR("half")));
    }
    if (*code == ERROR_NONE)
        return NULL;
    return error_new(*code, "no such thing as %.*s", STR_ARG(http_request_target(request)));
}

SIM_TEST(what_a_handler_returns_becomes_the_answer)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        enum error_code code = ERROR_NOT_FOUND;
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, fails, &code);
        CHECK_OK(http_fixture_start(&fixture));
        SCOPED(buf) body = {0};
        int status = 0;
        CHECK_OK(http_fixture_get(&fixture, STR("/x"), &status, &body));
        CHECK_EQ(status, 404);
        CHECK_EQ(buf_str(&body), STR("no such thing as /x\n"));
        code = ERROR_NONE;
        buf_clear(&body);
        CHECK_OK(http_fixture_get(&fixture, STR("/x"), &status, &body));
        CHECK_EQ(status, 500);
        CHECK_EQ(buf_str(&body), STR("the handler did not answer\n"));
    }
}

SIM_TEST(half_an_answer_is_never_taken_for_a_whole_one)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        enum error_code code = ERROR_INTERNAL;
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, fails, &code);
        CHECK_OK(http_fixture_start(&fixture));
        SCOPED(buf) body = {0};
        int status = 0;
        OWNED(error) err = http_fixture_get(&fixture, STR("/half"), &status, &body);
        CHECK(err != NULL);
    }
}

/* The client is still there, as when one wait of the handler was cancelled. */
SIM_TEST(a_handler_that_was_cancelled_ends_its_request_alone)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        enum error_code code = ERROR_CANCELED;
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, fails, &code);
        CHECK_OK(http_fixture_start(&fixture));
        SCOPED(buf) body = {0};
        int status = 0;
        OWNED(error) err = http_fixture_get(&fixture, STR("/x"), &status, &body);
        CHECK(err || status == 500);
        code = ERROR_NOT_FOUND;
        CHECK_OK(http_fixture_get(&fixture, STR("/x"), &status, &body));
        CHECK_EQ(status, 404);
    }
}

static struct error *takes_a_minute(void *data, struct http_request *request)
{
    TRY(fiber_sleep(MINUTE));
    return note(data, request);
}

struct patient {
    struct http_fixture *fixture;
    int status;
};

static struct error *waits_for_answer(void *data)
{
    struct patient *patient = data;
    SCOPED(buf) body = {0};
    return http_fixture_get(patient->fixture, STR("/slow"), &patient->status, &body);
}

SIM_TEST(draining_lets_running_requests_end)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(seen) seen = {0};
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, takes_a_minute, &seen);
        CHECK_OK(http_fixture_start(&fixture));
        struct patient patient = {.fixture = &fixture};
        SCOPED(scope) scope = {0};
        scope_start(&scope, "waits", waits_for_answer, &patient);
        CHECK_OK(fiber_sleep(SECOND));
        CHECK_EQ(fixture.server->request_count, (size_t)1);
        const int64_t begun = loop_now(loop_current());
        CHECK_OK(http_server_drain(fixture.server));
        CHECK(loop_now(loop_current()) - begun >= 58 * SECOND);
        CHECK(loop_now(loop_current()) - begun <= 63 * SECOND);
        CHECK_OK(scope_wait(&scope));
        CHECK_EQ(patient.status, 200);
        SCOPED(buf) body = {0};
        int status = 0;
        CHECK_FAILS(http_fixture_get(&fixture, STR("/"), &status, &body), ERROR_UNREACHABLE,
                    "Connection refused");
    }
}

SIM_TEST(stopping_cancels_what_runs)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(seen) seen = {0};
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, takes_a_minute, &seen);
        CHECK_OK(http_fixture_start(&fixture));
        struct patient patient = {.fixture = &fixture};
        SCOPED(scope) scope = {0};
        scope_start(&scope, "waits", waits_for_answer, &patient);
        CHECK_OK(fiber_sleep(SECOND));
        http_server_free(TAKE(fixture.server));
        CHECK_ERROR(scope_wait(&scope), ERROR_CONNECTION);
        CHECK_EQ(seen.requests, 0);
    }
}

static struct error *tells_who(void *data, struct http_request *request)
{
    (void)data;
    struct tls_peer peer;
    http_request_peer(request, &peer);
    return http_request_answer(request, peer.verified ? 200 : 401, STR(""), peer.common_name);
}

SIM_TEST(a_handler_knows_who_asks)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        SCOPED(http_fixture) fixture;
        http_fixture_init(&fixture, kind, tells_who, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        SCOPED(buf) body = {0};
        int status = 0;
        CHECK_OK(http_fixture_get(&fixture, STR("/"), &status, &body));
        CHECK_EQ(status, kind == HTTP_FIXTURE_PLAIN ? 401 : 200);
        CHECK_EQ(buf_str(&body), kind == HTTP_FIXTURE_PLAIN ? STR("") : STR("test-client"));
    }
}

SIM_TEST(pipelined_requests_are_answered_in_order)
{
    check_plain(&(struct plain_case){
        "three",
        "GET /1 HTTP/1.1\r\nHost: x\r\n\r\nGET /2 HTTP/1.1\r\nHost: x\r\n\r\nGET /3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 200 ", "/1 /2 /3 "});
}

SIM_TEST(a_tls_client_on_a_plain_port_is_told)
{
    check_plain(
        &(struct plain_case){"client hello", "\x16\x03\x01\x02\x01\x01", "HTTP/1.1 400 ", ""});
}

/* A handler that takes its time to notice that its client is gone. */
static struct error *unwinds_slowly(void *data, struct http_request *request)
{
    (void)request;
    int *running = data;
    ++*running;
    struct error *err = fiber_sleep(HOUR);
    FIBER_SHIELD(MINUTE);
    error_free(fiber_sleep(30 * SECOND));
    --*running;
    return err;
}

static struct error *gives_up_soon(void *data)
{
    struct http_fixture *fixture = data;
    SCOPED(buf) body = {0};
    int status = 0;
    FIBER_TIMEOUT(100 * MILLISECOND);
    error_free(http_fixture_get(fixture, STR("/"), &status, &body));
    return NULL;
}

SIM_TEST(streams_that_are_reset_do_not_pile_up_handlers)
{
    int running = 0;
    SCOPED(http_fixture) fixture;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, unwinds_slowly, &running);
    fixture.server_options.limits.streams = 10;
    CHECK_OK(http_fixture_start(&fixture));
    for (int i = 0; i < 20; i++) {
        SCOPED(scope) scope = {0};
        for (int k = 0; k < 10; k++)
            scope_start(&scope, "gives up", gives_up_soon, &fixture);
        CHECK_OK(scope_wait(&scope));
    }
    CHECK(running > 0);
    CHECK(running <= 20);
    CHECK_OK(fiber_sleep(MINUTE));
    CHECK_EQ(running, 0);
}

/* "/a/..." is for one party, all else for another; "/a/break" breaks, "/wait" never ends. */
static struct error *break_or_wait(void *data, struct http_request *request)
{
    static const int parties[2];
    size_t *canceled = data;
    const struct str target = http_request_target(request);
    http_request_set_party(request, &parties[str_starts_with(target, STR("/a/"))]);
    if (str_contains(target, STR("wait"))) {
        struct error *err = fiber_sleep(10 * SECOND);
        *canceled += err != NULL;
        return err ? err : http_request_answer(request, 200, STR("text/plain"), STR("late\n"));
    }
    if (str_contains(target, STR("break"))) {
        http_request_break(request);
        return error_new(ERROR_CONNECTION, "broken");
    }
    return http_request_answer(request, 200, STR("text/plain"), STR("fine\n"));
}

struct waiter {
    struct http_fixture *fixture;
    const char *target;
    struct error *err;
};

static struct error *ask(void *data)
{
    struct waiter *waiter = data;
    SCOPED(buf) body = {.limit = KILOBYTE};
    int status = 0;
    waiter->err = http_fixture_get(waiter->fixture, str_from_c(waiter->target), &status, &body);
    return NULL;
}

/* Requests beside one that breaks its connection, and whether they end with it. */
static void check_break(enum http_fixture_kind kind, const char *beside, bool is_hit)
{
    SCOPED(http_fixture) fixture;
    SCOPED(scope) scope = {0};
    SCOPED(buf) body = {.limit = KILOBYTE};
    size_t canceled = 0;
    int status = 0;
    struct waiter waiter = {.fixture = &fixture, .target = beside};
    http_fixture_init(&fixture, kind, break_or_wait, &canceled);
    CHECK_OK(http_fixture_start(&fixture));
    scope_start(&scope, "beside", ask, &waiter);
    CHECK_OK(fiber_sleep(SECOND));
    struct error *err = http_fixture_get(&fixture, STR("/a/break"), &status, &body);
    CHECK(err != NULL);
    CHECK_EQ(body.len, (size_t)0);
    error_free(err);
    CHECK_OK(http_fixture_get(&fixture, STR("/a/fine"), &status, &body));
    CHECK_EQ(status, 200);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(waiter.err != NULL, is_hit);
    CHECK_EQ(canceled, (size_t)is_hit);
    error_free(waiter.err);
}

SIM_TEST(a_connection_breaks_with_all_its_requests)
{
    const struct {
        const char *name;
        enum http_fixture_kind kind;
        const char *beside;
        bool is_hit;
    } cases[] = {
        {"plain HTTP/1.1 has a connection each",    HTTP_FIXTURE_PLAIN,  "/a/wait", false},
        {"so has HTTP/1.1 over TLS",                HTTP_FIXTURE_TLS_H1, "/a/wait", false},
        {"streams of one HTTP/2 connection end",    HTTP_FIXTURE_TLS_H2, "/a/wait", true },
        {"those for another party are not touched", HTTP_FIXTURE_TLS_H2, "/b/wait", false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        check_break(cases[i].kind, cases[i].beside, cases[i].is_hit);
    }
}

static struct error *answer_with_trailer(void *data, struct http_request *request)
{
    (void)data;
    TRY(http_request_respond(request, 200, NULL));
    TRY(http_request_write(request, STR("body")));
    TRY(http_request_add_trailer(request, STR("Corset-Clusters"), STR("asked=1")));
    CHECK_ERROR(http_request_add_trailer(request, STR("Bad"), STR("a\r\nb")), ERROR_INVALID);
    return NULL;
}

/* Our own client drops trailers, so the bytes of HTTP/1.1 are looked at. */
SIM_TEST(a_trailer_follows_the_last_chunk)
{
    SCOPED(http_fixture) fixture;
    OWNED(transport) transport = NULL;
    SCOPED(buf) seen = {0};
    http_fixture_init(&fixture, HTTP_FIXTURE_PLAIN, answer_with_trailer, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    CHECK_OK(network_connect(fixture.network, HTTP_FIXTURE_HOST, http_server_port(fixture.server),
                             &transport));
    CHECK_OK(transport_write(transport, STR("GET / HTTP/1.1\r\nhost: x\r\n\r\n")));
    FIBER_TIMEOUT(10 * SECOND);
    while (!str_ends_with(buf_str(&seen), STR("\r\n\r\n")) ||
           !str_contains(buf_str(&seen), STR("0\r\n"))) {
        char bytes[512];
        size_t len = 0;
        CHECK_OK(transport_read(transport, bytes, sizeof(bytes), &len));
        CHECK(len > 0);
        buf_add(&seen, str_from(bytes, len));
    }
    CHECK_CONTAINS(buf_str(&seen), STR("4\r\nbody\r\n0\r\ncorset-clusters: asked=1\r\n\r\n"));
}

SIM_TEST(a_body_with_a_trailer_ends_in_every_protocol)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        SCOPED(http_fixture) fixture;
        SCOPED(buf) body = {0};
        int status = 0;
        TEST_CASE("%s", http_fixture_name(kind));
        http_fixture_init(&fixture, kind, answer_with_trailer, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        for (int i = 0; i < 2; i++) {
            buf_clear(&body);
            CHECK_OK(http_fixture_get(&fixture, STR("/"), &status, &body));
            CHECK_EQ(status, 200);
            CHECK_EQ(buf_str(&body), STR("body"));
        }
    }
}
