/* Our client against "openssl s_server", which speaks HTTP/1.0 and ends bodies by closing. */
#include "async/fiber.h"
#include "async/loop.h"
#include "peers/interop/interop_fixture.h"
#include "peers/interop/process.h"
#include "testing/sim.h"

#define FILE_BYTES (1 * MEGABYTE)

/* The option that allows this version alone, and what the server's page says then. */
static const struct version {
    const char *option, *name;
} versions[] = {
    {"-tls1_2", "Protocol  : TLSv1.2"},
    {"-tls1_3", "Protocol  : TLSv1.3"},
};

struct s_server {
    struct process *process;
    uint16_t port;
};

static void s_server_done(struct s_server *server)
{
    process_free(server->process);
}

/* It chooses a port itself and prints it: "ACCEPT 127.0.0.1:44697". */
static uint16_t accepted_port(struct process *process)
{
    const struct str mark = STR("ACCEPT 127.0.0.1:");
    for (;;) {
        CHECK_OK(process_wait_output(process, mark));
        const struct str output = process_output(process);
        struct str rest = str_skip(output, str_find(output, mark) + mark.len), digits;
        uint64_t port;
        if (str_cut(&rest, '\n', &digits)) {
            CHECK(str_to_uint64(digits, &port) && port <= UINT16_MAX);
            return (uint16_t)port;
        }
        CHECK_OK(fiber_sleep(MILLISECOND)); /* the rest of the line is on its way */
    }
}

/* mode is "-www", a page about the connection, or "-WWW", the files of the folder. */
static void s_server_init(struct s_server *server, const struct interop_fixture *fixture,
                          const char *version, const char *mode)
{
    *server = (struct s_server){0};
    CHECK_OK(process_start(
        &(struct process_options){
            .arguments =
                ARGUMENTS("openssl", "s_server", "-accept", "127.0.0.1:0", "-cert",
                          fixture->server_file, "-key", fixture->server_key_file, "-CAfile",
                          fixture->authority_file, "-Verify", "1", "-verify_return_error"),
            .more = ARGUMENTS(version, mode),
            .directory = fixture->folder.path,
        },
        &server->process));
    server->port = accepted_port(server->process);
}

LOOP_TEST(openssl_knows_our_client_by_its_certificate)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    interop_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(versions); i++) {
        TEST_CASE("%s", versions[i].name);
        SCOPED(s_server) server;
        s_server_init(&server, &fixture, versions[i].option, "-www");
        const struct http_client_options options =
            interop_fixture_client_options(&fixture, server.port);
        OWNED(http_client) client = http_client_new(loop_current(), &options);
        SCOPED(answer) answer = {0};
        /* A connection each, and the first one's session shortens the others' handshakes. */
        for (int n = 0; n < 3; n++) {
            CHECK_OK(client_get(client, STR("/"), &answer));
            CHECK_EQ(answer.status, 200);
            CHECK_EQ(answer.http2, false);
            CHECK_CONTAINS(buf_str(&answer.body), str_from_c(versions[i].name));
            CHECK_CONTAINS(buf_str(&answer.body), n == 0 ? STR("\nNew, ") : STR("\nReused, "));
            CHECK_CONTAINS(buf_str(&answer.body), STR("test-client"));
            CHECK(str_ends_with(str_trim(buf_str(&answer.body)), STR("</HTML>")));
        }
    }
}

LOOP_TEST(a_file_comes_whole_from_openssl)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    interop_fixture_init(&fixture);
    SCOPED(buf) noise = {0};
    interop_fixture_noise(&noise, FILE_BYTES);
    folder_write(&fixture.folder, "noise.bin", buf_str(&noise));
    for (size_t i = 0; i < COUNT(versions); i++) {
        TEST_CASE("%s", versions[i].name);
        SCOPED(s_server) server;
        s_server_init(&server, &fixture, versions[i].option, "-WWW");
        const struct http_client_options options =
            interop_fixture_client_options(&fixture, server.port);
        OWNED(http_client) client = http_client_new(loop_current(), &options);
        SCOPED(answer) answer = {0};
        CHECK_OK(client_get(client, STR("/noise.bin"), &answer));
        CHECK_EQ(answer.status, 200);
        CHECK(str_eq(buf_str(&answer.body), buf_str(&noise)));
    }
}

/* In TLS 1.3 the server's refusal comes after our handshake has ended, in place of the answer. */
LOOP_TEST(openssl_turns_a_client_without_certificate_away)
{
    FIBER_TIMEOUT(INTEROP_FIXTURE_TIMEOUT);
    SCOPED(interop_fixture) fixture;
    interop_fixture_init(&fixture);
    for (size_t i = 0; i < COUNT(versions); i++) {
        TEST_CASE("%s", versions[i].name);
        SCOPED(s_server) server;
        s_server_init(&server, &fixture, versions[i].option, "-www");
        struct http_client_options options = interop_fixture_client_options(&fixture, server.port);
        options.endpoint.identity = NULL;
        OWNED(http_client) client = http_client_new(loop_current(), &options);
        SCOPED(answer) answer = {0};
        CHECK_ERROR(client_get(client, STR("/"), &answer), ERROR_TLS);
    }
}
