/* Our server against curl, over both protocols. */
#include "async/fiber.h"
#include "peers/interop/ground.h"
#include "peers/interop/process.h"
#include "peers/interop/site.h"
#include "testing/sim.h"

#define UPLOAD_BYTES (5 * MEGABYTE)

/* What curl, "%{http_version}" and our server call a protocol. */
static const struct protocol {
    const char *option, *version, *name;
} protocols[] = {
    {"--http2",   "2",   "h2"},
    {"--http1.1", "1.1", "h1"},
};

#define CURL_ARGUMENTS(ground, protocol)                                                     \
    ARGUMENTS("curl", "-q", "-sS", "--max-time", "60", "--cacert", (ground)->authority_file, \
              "--cert", (ground)->client_file, "--key", (ground)->client_key_file,           \
              (protocol)->option)

/* Suspends until curl has ended, and well. It reads the file as its input, if there is one. */
static struct process *curl(const struct ground *ground, const struct protocol *protocol,
                            const char *input, const char *const *more)
{
    struct process *process;
    CHECK_OK(process_run(&(struct process_options){.arguments = CURL_ARGUMENTS(ground, protocol),
                                                   .more = more,
                                                   .input = input,
                                                   .output_limit = 2 * UPLOAD_BYTES},
                         &process));
    return process;
}

/* The answer of "/who": protocol, method, client, length of the body. */
static struct str who(struct ground *ground, const struct protocol *protocol, const char *rest)
{
    return arena_print(&ground->folder.texts, "%s|%s\n", protocol->name, rest);
}

static void setup(struct ground *ground, struct site *site)
{
    ground_init(ground);
    site_init(site, ground, &(struct http_limits){0});
}

LOOP_TEST(curl_gets_and_is_known_by_its_certificate)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&ground, &protocols[i], NULL,
                       ARGUMENTS("-w", "%{http_version}", site_url(&site, "/who")));
        struct str output = process_output(process), line;
        CHECK(str_cut(&output, '\n', &line));
        CHECK_EQ(str_from(line.ptr, line.len + 1),
                 who(&ground, &protocols[i], "GET|test-client|0"));
        CHECK_EQ(output, str_from_c(protocols[i].version));
    }
}

LOOP_TEST(curl_without_a_certificate_is_nobody)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){.arguments =
                                      ARGUMENTS("curl", "-q", "-sS", "--cacert",
                                                ground.authority_file, site_url(&site, "/who"))},
        &process));
    CHECK_EQ(process_output(process), STR("h2|GET||0\n"));
}

LOOP_TEST(curl_gets_back_what_it_posts)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    SCOPED(buf) noise = {0};
    ground_noise(&noise, UPLOAD_BYTES);
    const char *file = folder_write(&ground.folder, "noise.bin", buf_str(&noise));
    const char *data = arena_print(&ground.folder.texts, "@%s", file).ptr;
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&ground, &protocols[i], NULL,
                       ARGUMENTS("--data-binary", data, site_url(&site, "/echo")));
        CHECK(str_eq(process_output(process), buf_str(&noise)));
    }
}

/* Of unknown length: chunked over HTTP/1.1. */
LOOP_TEST(curl_gets_back_what_it_uploads_from_its_input)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    SCOPED(buf) noise = {0};
    ground_noise(&noise, UPLOAD_BYTES);
    const char *file = folder_write(&ground.folder, "noise.bin", buf_str(&noise));
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&ground, &protocols[i], file,
                       ARGUMENTS("-v", "-T", "-", site_url(&site, "/echo")));
        CHECK(str_eq(process_output(process), buf_str(&noise)));
        const struct str chunked = STR("> Transfer-Encoding: chunked");
        CHECK_EQ(str_contains(process_messages(process), chunked), i == 1);
    }
}

LOOP_TEST(curl_is_told_to_continue)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    /* Longer than the test may take: curl would send the body by itself after this many seconds. */
    const char *const patience = "80";
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&ground, &protocols[i], NULL,
                       ARGUMENTS("-v", "-H", "Expect: 100-continue", "--expect100-timeout",
                                 patience, "--data-binary", "hello", site_url(&site, "/who")));
        CHECK_EQ(process_output(process), who(&ground, &protocols[i], "POST|test-client|5"));
        CHECK_CONTAINS(process_messages(process), i ? STR("< HTTP/1.1 100") : STR("< HTTP/2 100"));
        CHECK_CONTAINS(process_messages(process), i ? STR("< HTTP/1.1 200") : STR("< HTTP/2 200"));
    }
}

LOOP_TEST(curl_gets_the_head_alone)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        /* The second request shows that the connection is still in step. */
        OWNED(process)
        process = curl(&ground, &protocols[i], NULL,
                       ARGUMENTS("--head", "-w", "%{num_connects} %{size_download}\n",
                                 site_url(&site, "/who"), site_url(&site, "/who")));
        const struct str output = process_output(process);
        CHECK(str_starts_with(output, i ? STR("HTTP/1.1 200") : STR("HTTP/2 200")));
        CHECK_CONTAINS(output, STR("content-length: 22\r\n"));
        CHECK_CONTAINS(output, STR("1 0\n"));
        CHECK(str_ends_with(output, STR("0 0\n")));
    }
}

LOOP_TEST(ten_requests_of_curl_share_a_connection)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        site.requests = 0;
        OWNED(process)
        process = curl(&ground, &protocols[i], NULL,
                       ARGUMENTS("-o", "/dev/null", "-w", "%{http_code}:%{num_connects} ",
                                 site_url(&site, "/who?[1-10]")));
        CHECK_EQ(process_output(process),
                 STR("200:1 200:0 200:0 200:0 200:0 200:0 200:0 200:0 200:0 200:0 "));
        CHECK_EQ(site.requests, 10);
    }
}

/* A watch is such a stream: a line that waits in a buffer is an event that nobody hears of. */
LOOP_TEST(curl_sees_each_line_when_it_is_written)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        site.silent = false;
        OWNED(process) process = NULL;
        CHECK_OK(process_start(
            &(struct process_options){.arguments = CURL_ARGUMENTS(&ground, &protocols[i]),
                                      .more = ARGUMENTS("--no-buffer", site_url(&site, "/lines"))},
            &process));
        for (int n = 0; n < 10; n++) {
            const struct str line = arena_print(&ground.folder.texts, "line %d\n", n);
            site_say(&site, line);
            CHECK_OK(process_wait_output(process, line));
            CHECK(str_ends_with(process_output(process), line));
        }
        site_say(&site, STR(""));
        CHECK_OK(process_wait(process));
    }
}

LOOP_TEST(curl_reads_what_we_compressed)
{
    FIBER_TIMEOUT(GROUND_TIMEOUT);
    SCOPED(ground) ground;
    SCOPED(site) site;
    setup(&ground, &site);
    SCOPED(buf) text = {0};
    site_text(&text);
    for (size_t i = 0; i < COUNT(protocols); i++) {
        TEST_CASE("%s", protocols[i].name);
        OWNED(process)
        process = curl(&ground, &protocols[i], NULL,
                       ARGUMENTS("-v", "--compressed", site_url(&site, "/text")));
        CHECK_EQ(process_output(process), buf_str(&text));
        CHECK_CONTAINS(process_messages(process), STR("content-encoding: gzip"));
    }
}
