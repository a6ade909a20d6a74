/* Our server against curl, over both protocols. */
#include "async/fiber.h"
#include "peers/interop/interop_fixture.h"
#include "peers/interop/interop_server.h"
#include "peers/interop/process.h"
#include "testing/sim.h"

#define UPLOAD_BYTES (5 * MEGABYTE)

/* What curl, "%{http_version}" and our server call a protocol. */
static const struct protocol {
    const char *option, *version, *name;
} protocols[] = {
    {"--http2",   "2",   "h2"},
    {"--http1.1", "1.1", "h1"},
};

#define CURL_ARGUMENTS(fixture, protocol)                                                     \
    ARGUMENTS("curl", "-q", "-sS", "--max-time", "60", "--cacert", (fixture)->authority_file, \
              "--cert", (fixture)->client_file, "--key", (fixture)->client_key_file,          \
              (protocol)->option)

/* Suspends until curl has ended, and well. It reads the file as its input, if there is one. */
static struct process *curl(const struct interop_fixture *fixture, const struct protocol *protocol,
                            const char *input, const char *const *more)
{
    struct process *process;
    CHECK_OK(process_run(&(struct process_options){.arguments = CURL_ARGUMENTS(fixture, protocol),
                                                   .more = more,
                                                   .input = input,
                                                   .output_limit = 2 * UPLOAD_BYTES},
                         &process));
    return process;
}

/* The answer of "/who": protocol, method, client, length of the body. */
static struct str who(struct interop_fixture *fixture, const struct protocol *protocol,
                      const char *rest)
{
    return arena_print(&fixture->folder.texts, "%s|%s\n", protocol->name, rest);
}

static void setup(struct interop_fixture *fixture, struct interop_server *ours)
{
    interop_fixture_init(fixture);
    interop_server_init(ours, fixture, &(struct http_limits){0});
}

LOOP_TEST(curl_gets_and_is_known_by_its_certificate)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&fixture, &protocols[i], NULL,
                       ARGUMENTS("-w", "%{http_version}", interop_server_url(&ours, "/who")));
        struct str output = process_output(process), line;
        CHECK(str_cut(&output, '\n', &line));
        CHECK_EQ(str_from(line.ptr, line.len + 1),
                 who(&fixture, &protocols[i], "GET|test-client|0"));
        CHECK_EQ(output, str_from_c(protocols[i].version));
    }
}

LOOP_TEST(curl_without_a_certificate_is_nobody)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){.arguments = ARGUMENTS("curl", "-q", "-sS", "--cacert",
                                                         fixture.authority_file,
                                                         interop_server_url(&ours, "/who"))},
        &process));
    CHECK_EQ(process_output(process), STR("h2|GET||0\n"));
}

LOOP_TEST(curl_gets_back_what_it_posts)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    SCOPED(buf) noise = {0};
    interop_fixture_noise(&noise, UPLOAD_BYTES);
    const char *file = folder_write(&fixture.folder, "noise.bin", buf_str(&noise));
    const char *data = arena_print(&fixture.folder.texts, "@%s", file).ptr;
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&fixture, &protocols[i], NULL,
                       ARGUMENTS("--data-binary", data, interop_server_url(&ours, "/echo")));
        CHECK(str_eq(process_output(process), buf_str(&noise)));
    }
}

/* Of unknown length: chunked over HTTP/1.1. */
LOOP_TEST(curl_gets_back_what_it_uploads_from_its_input)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    SCOPED(buf) noise = {0};
    interop_fixture_noise(&noise, UPLOAD_BYTES);
    const char *file = folder_write(&fixture.folder, "noise.bin", buf_str(&noise));
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&fixture, &protocols[i], file,
                       ARGUMENTS("-v", "-T", "-", interop_server_url(&ours, "/echo")));
        CHECK(str_eq(process_output(process), buf_str(&noise)));
        const struct str chunked = STR("> Transfer-Encoding: chunked");
        CHECK_EQ(str_contains(process_messages(process), chunked), i == 1);
    }
}

LOOP_TEST(curl_is_told_to_continue)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    /* Longer than the test may take: curl would send the body by itself after this many seconds. */
    const char *const patience = "80";
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process =
            curl(&fixture, &protocols[i], NULL,
                 ARGUMENTS("-v", "-H", "Expect: 100-continue", "--expect100-timeout", patience,
                           "--data-binary", "hello", interop_server_url(&ours, "/who")));
        CHECK_EQ(process_output(process), who(&fixture, &protocols[i], "POST|test-client|5"));
        CHECK_CONTAINS(process_messages(process), i ? STR("< HTTP/1.1 100") : STR("< HTTP/2 100"));
        CHECK_CONTAINS(process_messages(process), i ? STR("< HTTP/1.1 200") : STR("< HTTP/2 200"));
    }
}

LOOP_TEST(curl_gets_the_head_alone)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        /* The second request shows that the connection is still in step. */
        OWNED(process)
        process =
            curl(&fixture, &protocols[i], NULL,
                 ARGUMENTS("--head", "-w", "%{num_connects} %{size_download}\n",
                           interop_server_url(&ours, "/who"), interop_server_url(&ours, "/who")));
        const struct str output = process_output(process);
        CHECK(str_starts_with(output, i ? STR("HTTP/1.1 200") : STR("HTTP/2 200")));
        CHECK_CONTAINS(output, STR("content-length: 22\r\n"));
        CHECK_CONTAINS(output, STR("1 0\n"));
        CHECK(str_ends_with(output, STR("0 0\n")));
    }
}

LOOP_TEST(ten_requests_of_curl_share_a_connection)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        ours.requests = 0;
        OWNED(process)
        process = curl(&fixture, &protocols[i], NULL,
                       ARGUMENTS("-o", "/dev/null", "-w", "%{http_code}:%{num_connects} ",
                                 interop_server_url(&ours, "/who?[1-10]")));
        CHECK_EQ(process_output(process),
                 STR("200:1 200:0 200:0 200:0 200:0 200:0 200:0 200:0 200:0 200:0 "));
        CHECK_EQ(ours.requests, 10);
    }
}

/* A watch is such a stream: a line that waits in a buffer is an event that nobody hears of. */
LOOP_TEST(curl_sees_each_line_when_it_is_written)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        ours.silent = false;
        OWNED(process) process = NULL;
        CHECK_OK(process_start(
            &(struct process_options){
                .arguments = CURL_ARGUMENTS(&fixture, &protocols[i]),
                .more = ARGUMENTS("--no-buffer", interop_server_url(&ours, "/lines"))},
            &process));
        for (int n = 0; n < 10; n++) {
            const struct str line = arena_print(&fixture.folder.texts, "line %d\n", n);
            interop_server_say(&ours, line);
            CHECK_OK(process_wait_output(process, line));
            CHECK(str_ends_with(process_output(process), line));
        }
        interop_server_say(&ours, STR(""));
        CHECK_OK(process_wait(process));
    }
}

LOOP_TEST(curl_reads_what_we_compressed)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    SCOPED(interop_server) ours;
    setup(&fixture, &ours);
    SCOPED(buf) text = {0};
    interop_server_text(&text);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&fixture, &protocols[i], NULL,
                       ARGUMENTS("-v", "--compressed", interop_server_url(&ours, "/text")));
        CHECK_EQ(process_output(process), buf_str(&text));
        CHECK_CONTAINS(process_messages(process), STR("content-encoding: gzip"));
    }
}
