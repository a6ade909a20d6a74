/* Our server against nghttp, which shows every frame, and h2load, which sends very many. */
#include "async/fiber.h"
#include "http/server_internal.h"
#include "peers/interop/interop_fixture.h"
#include "peers/interop/interop_server.h"
#include "peers/interop/process.h"
#include "testing/sim.h"

#define UPLOAD_BYTES (1 * MEGABYTE)
#define CROWD        1000

static void setup(struct interop_fixture *fixture, struct interop_server *ours, size_t streams)
{
    interop_fixture_init(fixture);
    interop_server_init(ours, fixture, &(struct http_limits){.streams = streams});
}

static size_t count(struct str text, struct str part)
{
    size_t found = 0, at;
    for (; (at = str_find(text, part)) != STR_NONE; found++)
        text = str_skip(text, at + part.len);
    return found;
}

LOOP_TEST(nghttp_gets_several_pages_at_once)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours, 0);
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){
            .arguments = ARGUMENTS("nghttp", "-nv", "--timeout=60", "--cert", fixture.client_file,
                                   "--key", fixture.client_key_file),
            .more =
                ARGUMENTS(interop_server_url(&ours, "/who"), interop_server_url(&ours, "/text"),
                          interop_server_url(&ours, "/who?2"), interop_server_url(&ours, "/none"))},
        &process));
    const struct str output = process_output(process);
    CHECK_CONTAINS(output, STR("The negotiated protocol: h2"));
    CHECK_EQ(count(output, STR(":status: 200")), (size_t)3);
    CHECK_EQ(count(output, STR(":status: 404")), (size_t)1);
    CHECK_EQ(count(output, STR("send HEADERS frame")), (size_t)4);
    CHECK_CONTAINS(output, STR("recv SETTINGS frame"));
    /* It complains of nothing, on the connection or on a stream. */
    CHECK_EQ(count(output, STR("RST_STREAM")), (size_t)0);
    CHECK_EQ(count(output, STR("recv GOAWAY")), (size_t)0);
    CHECK_EQ(count(process_messages(process), STR("[ERROR]")), (size_t)0);
}

LOOP_TEST(nghttp_gets_back_what_it_sends)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours, 0);
    SCOPED(buf) noise = {0};
    interop_fixture_noise(&noise, UPLOAD_BYTES);
    const char *file = folder_write(&fixture.folder, "noise.bin", buf_str(&noise));
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){.arguments = ARGUMENTS("nghttp", "--timeout=60", "-d", file,
                                                         interop_server_url(&ours, "/echo")),
                                  .output_limit = 2 * UPLOAD_BYTES},
        &process));
    CHECK(str_eq(process_output(process), buf_str(&noise)));
}

/* Runs h2load and checks that its summary finds nothing to complain of. */
static void check_load(struct interop_server *ours, const char *path, int requests,
                       const char *const *more)
{
    struct arena *arena = &ours->fixture->folder.texts;
    const char *number = arena_print(arena, "%d", requests).ptr;
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){.arguments = ARGUMENTS("h2load", "-T", "60", "-N", "60", "-n",
                                                         number, interop_server_url(ours, path)),
                                  .more = more},
        &process));
    CHECK_CONTAINS(process_output(process),
                   arena_print(arena,
                               "\nrequests: %d total, %d started, %d done, %d succeeded, 0 failed, "
                               "0 errored, 0 timeout\n",
                               requests, requests, requests, requests));
    CHECK_CONTAINS(process_output(process),
                   arena_print(arena, "\nstatus codes: %d 2xx, 0 3xx, 0 4xx, 0 5xx\n", requests));
    CHECK_EQ(ours->requests, requests);
    CHECK_EQ(ours->server->request_count, (size_t)0);
}

LOOP_TEST(h2load_over_ten_connections_of_a_hundred_streams)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours, 0);
    check_load(&ours, "/who", 20000, ARGUMENTS("-c", "10", "-m", "100"));
}

/* None is answered before all have come, so that there are a thousand at one moment. */
LOOP_TEST(h2load_with_a_thousand_streams_on_one_connection)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours, CROWD);
    ours.crowd = CROWD;
    check_load(&ours, "/gather", 5 * CROWD, ARGUMENTS("-c", "1", "-m", "1000"));
    CHECK_EQ(ours.gathered, (size_t)5 * CROWD);
}

LOOP_TEST(h2load_with_a_thousand_streams_over_ten_connections)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours, 0);
    ours.crowd = CROWD;
    check_load(&ours, "/gather", CROWD, ARGUMENTS("-c", "10", "-m", "100"));
}

LOOP_TEST(h2load_reads_much_over_few_connections)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours, 0);
    check_load(&ours, "/text", 500, ARGUMENTS("-c", "2", "-m", "50"));
}

LOOP_TEST(h2load_over_http1)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours, 0);
    check_load(&ours, "/who", 5000, ARGUMENTS("--h1", "-c", "10"));
}

LOOP_TEST(h2load_over_http1_with_requests_pipelined)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours, 0);
    check_load(&ours, "/who", 5000, ARGUMENTS("--h1", "-c", "5", "-m", "8"));
}
