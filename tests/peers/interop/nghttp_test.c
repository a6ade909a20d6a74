/* Our server against nghttp, which shows every frame, and h2load, which sends very many. */
#include "async/fiber.h"
#include "http/server_internal.h"
#include "peers/interop/ground.h"
#include "peers/interop/process.h"
#include "peers/interop/site.h"
#include "testing/sim.h"

#define UPLOAD_BYTES (1 * MEGABYTE)
#define CROWD        1000

static void setup(struct ground *ground, struct site *site, size_t streams)
{
    ground_init(ground);
    site_init(site, ground, &(struct http_limits){.streams = streams});
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
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site, 0);
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){
            .arguments = ARGUMENTS("nghttp", "-nv", "--timeout=60", "--cert", ground.client_file,
                                   "--key", ground.client_key_file),
            .more = ARGUMENTS(site_url(&site, "/who"), site_url(&site, "/text"),
                              site_url(&site, "/who?2"), site_url(&site, "/none"))},
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
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site, 0);
    SCOPED(buf) noise = {0};
    ground_noise(&noise, UPLOAD_BYTES);
    const char *file = folder_write(&ground.folder, "noise.bin", buf_str(&noise));
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){
            .arguments = ARGUMENTS("nghttp", "--timeout=60", "-d", file, site_url(&site, "/echo")),
            .output_limit = 2 * UPLOAD_BYTES},
        &process));
    CHECK(str_eq(process_output(process), buf_str(&noise)));
}

/* Runs h2load and checks that its summary finds nothing to complain of. */
static void check_load(struct site *site, const char *path, int requests, const char *const *more)
{
    struct arena *arena = &site->ground->folder.texts;
    const char *number = arena_print(arena, "%d", requests).ptr;
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){.arguments = ARGUMENTS("h2load", "-T", "60", "-N", "60", "-n",
                                                         number, site_url(site, path)),
                                  .more = more},
        &process));
    CHECK_CONTAINS(process_output(process),
                   arena_print(arena,
                               "\nrequests: %d total, %d started, %d done, %d succeeded, 0 failed, "
                               "0 errored, 0 timeout\n",
                               requests, requests, requests, requests));
    CHECK_CONTAINS(process_output(process),
                   arena_print(arena, "\nstatus codes: %d 2xx, 0 3xx, 0 4xx, 0 5xx\n", requests));
    CHECK_EQ(site->requests, requests);
    CHECK_EQ(site->server->request_count, (size_t)0);
}

LOOP_TEST(h2load_over_ten_connections_of_a_hundred_streams)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site, 0);
    check_load(&site, "/who", 20000, ARGUMENTS("-c", "10", "-m", "100"));
}

/* None is answered before all have come, so that there are a thousand at one moment. */
LOOP_TEST(h2load_with_a_thousand_streams_on_one_connection)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site, CROWD);
    site.crowd = CROWD;
    check_load(&site, "/gather", 5 * CROWD, ARGUMENTS("-c", "1", "-m", "1000"));
    CHECK_EQ(site.gathered, (size_t)5 * CROWD);
}

LOOP_TEST(h2load_with_a_thousand_streams_over_ten_connections)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site, 0);
    site.crowd = CROWD;
    check_load(&site, "/gather", CROWD, ARGUMENTS("-c", "10", "-m", "100"));
}

LOOP_TEST(h2load_reads_much_over_few_connections)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site, 0);
    check_load(&site, "/text", 500, ARGUMENTS("-c", "2", "-m", "50"));
}

LOOP_TEST(h2load_over_http1)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site, 0);
    check_load(&site, "/who", 5000, ARGUMENTS("--h1", "-c", "10"));
}

LOOP_TEST(h2load_over_http1_with_requests_pipelined)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site, 0);
    check_load(&site, "/who", 5000, ARGUMENTS("--h1", "-c", "5", "-m", "8"));
}
