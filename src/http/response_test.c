/* Responses that are followed by a task of the loop, without a fiber. */
#include "http/http_fixture_test.h"

/* What a task has seen of a body. */
struct follower {
    struct http_response *response;
    struct task task;
    struct buf seen;
    size_t runs;
    bool has_ended;
    struct error *err;
};

static void follower_done(struct follower *follower)
{
    http_response_free(follower->response);
    buf_done(&follower->seen);
    error_free(follower->err);
}

static void take_all(void *data)
{
    struct follower *follower = data;
    struct str piece = STR("");
    follower->runs++;
    do {
        follower->err = http_response_take_piece(follower->response, &piece, &follower->has_ended);
        buf_add(&follower->seen, piece);
    } while (!follower->err && piece.len);
}

static void follower_begin(struct follower *follower, struct http_fixture *fixture)
{
    *follower = (struct follower){.seen.limit = MEGABYTE};
    follower->task = (struct task){.run = take_all, .data = follower};
    CHECK_OK(http_fixture_start(fixture));
    CHECK_OK(http_client_send(fixture->client, &(struct http_client_request){.target = STR("/")},
                              &follower->response));
    CHECK_OK(http_response_follow(follower->response, &follower->task));
}

static struct error *ticks(void *data, struct http_request *request)
{
    const int *count = data;
    TRY(http_request_respond(request, 200, NULL));
    for (int i = 0; i < *count; i++) {
        TRY(http_request_write(request, STR("tick\n")));
        TRY(fiber_sleep(MINUTE));
    }
    return NULL;
}

SIM_TEST(a_stream_is_followed_without_a_fiber)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        int count = 180;
        SCOPED(http_fixture) fixture;
        SCOPED(follower) follower;
        http_fixture_init(&fixture, kind, ticks, &count);
        follower_begin(&follower, &fixture);
        CHECK_OK(fiber_sleep(90 * MINUTE + SECOND));
        CHECK_EQ(follower.seen.len, (size_t)91 * 5);
        CHECK(!follower.has_ended && follower.response->call->shown.ptr == NULL);
        CHECK_OK(fiber_sleep(90 * MINUTE));
        CHECK_EQ(follower.seen.len, (size_t)count * 5);
        CHECK(follower.has_ended && !follower.err);
    }
}

SIM_TEST(a_response_that_is_freed_posts_its_task_no_more)
{
    int count = 10;
    SCOPED(http_fixture) fixture;
    SCOPED(follower) follower;
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, ticks, &count);
    follower_begin(&follower, &fixture);
    http_response_free(TAKE(follower.response)); /* the task is posted and has not run */
    CHECK_OK(fiber_sleep(5 * MINUTE));
    CHECK_EQ(follower.runs, (size_t)0);
}

static struct error *floods(void *data, struct http_request *request)
{
    size_t *written = data;
    char block[4096];
    TRY(http_request_respond(request, 200, NULL));
    memset(block, 'x', sizeof(block));
    for (;;) {
        TRY(http_request_write(request, str_from(block, sizeof(block))));
        *written += sizeof(block);
    }
}

SIM_TEST(a_stream_that_breaks_ends_with_an_error)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        TEST_CASE("%s", http_fixture_name(kind));
        size_t written = 0;
        SCOPED(http_fixture) fixture;
        SCOPED(follower) follower;
        http_fixture_init(&fixture, kind, floods, &written);
        sim_network_set_faults(fixture.network, HTTP_FIXTURE_HOST,
                               &(struct sim_faults){.cut_after = 50 * KILOBYTE});
        follower_begin(&follower, &fixture);
        CHECK_OK(fiber_sleep(MINUTE));
        CHECK(follower.err && !follower.has_ended);
        CHECK(follower.seen.len > 10 * KILOBYTE && follower.seen.len < 50 * KILOBYTE);
    }
}

static struct error *compresses(void *data, struct http_request *request)
{
    (void)data;
    SCOPED(http_headers) headers = {0};
    TRY(http_headers_add(&headers, STR("Content-Encoding"), STR("gzip")));
    return http_request_respond(request, 200, &headers);
}

SIM_TEST(a_compressed_stream_is_not_followed)
{
    SCOPED(http_fixture) fixture;
    OWNED(http_response) response = NULL;
    struct task task = {0};
    http_fixture_init(&fixture, HTTP_FIXTURE_TLS_H2, compresses, NULL);
    CHECK_OK(http_fixture_start(&fixture));
    CHECK_OK(http_client_send(fixture.client, &(struct http_client_request){.target = STR("/")},
                              &response));
    OWNED(error) err = http_response_follow(response, &task);
    CHECK(error_is(err, ERROR_PROTOCOL));
}

static struct error *write_two_pieces(void *data, struct http_request *request)
{
    (void)data;
    TRY(http_request_respond(request, 200, NULL));
    TRY(http_request_write(request, STR("first")));
    TRY(fiber_sleep(MINUTE));
    return http_request_write(request, STR("second"));
}

SIM_TEST(a_body_that_waits_is_held_and_counted)
{
    for (enum http_fixture_kind kind = 0; kind < HTTP_FIXTURE_KINDS; kind++) {
        SCOPED(http_fixture) fixture;
        OWNED(http_response) response = NULL;
        SCOPED(buf) body = {0};
        TEST_CASE("%s", http_fixture_name(kind));
        http_fixture_init(&fixture, kind, write_two_pieces, NULL);
        CHECK_OK(http_fixture_start(&fixture));
        CHECK_OK(http_client_send(fixture.client, &(struct http_client_request){.target = STR("/")},
                                  &response));
        while (http_response_held(response) < 5)
            CHECK_OK(http_response_wait_arrival(response));
        CHECK(!http_response_has_ended(response));
        while (!http_response_has_ended(response))
            CHECK_OK(http_response_wait_arrival(response));
        CHECK_EQ(http_response_held(response), (size_t)11);
        CHECK_OK(http_response_read_all(response, &body));
        CHECK_EQ(buf_str(&body), STR("firstsecond"));
        CHECK_EQ(http_response_held(response), (size_t)0);
    }
}
