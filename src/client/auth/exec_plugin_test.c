#include "client/auth/exec_plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/process.h"
#include "async/scope.h"
#include "client/auth/exec_credential.h"
#include "net/tls.h"
#include "testing/certs.h"
#include "testing/sim.h"

#define V1 "client.authentication.k8s.io/v1"

/* What a plugin prints for a token and, unless it is empty, more of the status. */
#define PRINTED(token, more)                                                                \
    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{\"token\":\"" token \
    "\"" more "}}"

/* Every child has been reaped. */
static void check_no_children(void)
{
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQ(errno, ECHILD);
}

/* A plugin as a shell script in a file. */
struct script {
    char path[64];
    struct rest_config config;
};

static void script_init(struct script *script, const char *text)
{
    *script = (struct script){.path = "/tmp/exec_plugin_test.XXXXXX"};
    const int fd = mkstemp(script->path);
    CHECK(fd >= 0);
    FILE *file = fdopen(fd, "w");
    CHECK(fprintf(file, "#!/bin/sh\n%s\n", text) > 0);
    CHECK_EQ(fclose(file), 0);
    CHECK_EQ(chmod(script->path, 0700), 0);
    script->config.auth.exec = (struct rest_exec){
        .command = str_from_c(script->path),
        .api_version = STR(V1),
        .mode = REST_EXEC_IF_AVAILABLE,
    };
}

static void script_done(struct script *script)
{
    unlink(script->path);
}

LOOP_TEST(exec_plugin_runs_a_program)
{
    SCOPED(script) script;
    script_init(&script, "echo '" PRINTED("'$1-$COLOUR-${#KUBERNETES_EXEC_INFO}'", "") "'");
    const struct str args[] = {STR("arg")};
    const struct rest_exec_env env[] = {
        {STR("COLOUR"),               STR("blue")  },
        {STR("KUBERNETES_EXEC_INFO"), STR("forged")},
    };
    script.config.auth.exec.args = args;
    script.config.auth.exec.arg_count = COUNT(args);
    script.config.auth.exec.env = env;
    script.config.auth.exec.env_count = COUNT(env);
    setenv("COLOUR", "red", 1); /* NOLINT(concurrency-mt-unsafe): no other thread reads it */
    SCOPED(buf) info = {0};
    CHECK_OK(exec_credential_write_info(&info, &script.config));
    SCOPED(arena) arena = {0};
    SCOPED(buf) token = {.secret = true};
    OWNED(exec_plugin) plugin = exec_plugin_new(&script.config, NULL);
    CHECK_OK(exec_plugin_get(plugin, &token, NULL));
    CHECK_EQ(buf_str(&token), arena_print(&arena, "arg-blue-%zu", info.len));
    check_no_children();
}

LOOP_TEST(exec_plugin_gives_a_certificate)
{
    struct test_certs certs;
    test_certs_init(&certs, loop_wall(loop_current()));
    SCOPED(buf) text = {.secret = true};
    buf_add(&text, STR("cat <<'END'\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                       "\",\"status\":{\"clientCertificateData\":"));
    buf_add_json_string(&text, buf_str(&certs.client_pem));
    buf_add(&text, STR(",\"clientKeyData\":"));
    buf_add_json_string(&text, buf_str(&certs.client_key));
    buf_add(&text, STR("}}\nEND"));
    SCOPED(script) script;
    script_init(&script, buf_c(&text));
    OWNED(exec_plugin) plugin = exec_plugin_new(&script.config, NULL);
    SCOPED(buf) token = {.secret = true};
    OWNED(tls_identity) identity = NULL;
    CHECK_OK(exec_plugin_get(plugin, &token, &identity));
    CHECK_EQ(token.len, 0);
    CHECK(identity != NULL);
    test_certs_done(&certs);
}

static void check_failure(const char *text, const char *message)
{
    TEST_CASE("%s", text);
    SCOPED(script) script;
    script_init(&script, text);
    SCOPED(arena) arena = {0};
    SCOPED(buf) token = {.secret = true};
    /* Short only where the program hangs: elsewhere a busy machine may need longer. */
    const bool hangs = str_contains(str_from_c(text), STR("sleep"));
    const duration timeout = hangs ? 300 * MILLISECOND : 0;
    const struct exec_plugin_options options = {.timeout = timeout};
    OWNED(exec_plugin) plugin = exec_plugin_new(&script.config, &options);
    OWNED(error) err = exec_plugin_get(plugin, &token, NULL);
    CHECK(err != NULL);
    CHECK_EQ(error_code_name(err->code), error_code_name(ERROR_IO));
    CHECK(str_starts_with(str_from_c(err->message),
                          arena_print(&arena, "exec plugin \"%s\": %s", script.path, message)));
    CHECK(!str_contains(str_from_c(err->message), STR("planted")));
    CHECK_EQ(token.len, 0);
    check_no_children();
}

LOOP_TEST(exec_plugin_failures)
{
    check_failure("sleep 1000", "did not end within 300ms");
    check_failure("trap '' TERM INT HUP; sleep 1000; sleep 1000", "did not end within 300ms");
    check_failure("echo planted rubbish", "printed no usable ExecCredential: line 1, column 1: ");
    check_failure("exit 0", "printed no usable ExecCredential: ");
    check_failure("exit 1", "exit code 1");
    check_failure("echo 'log in' >&2; echo first >&2; exit 1", "exit code 1: \"log in\\nfirst\"");
    check_failure("echo '" PRINTED("planted", "") "'; echo no use for planted >&2; exit 2",
                  "exit code 2: \"no use for ***\"");
    check_failure("kill -KILL $$", "ended by signal 9");
    check_failure(
        "echo '" PRINTED("planted", ",\"expirationTimestamp\":\"2020-01-02T03:04:05Z\"") "'",
        "printed a credential that expired at 2020-01-02T03:04:05Z");
    check_failure("yes", "printed more than 1048576 bytes");
}

LOOP_TEST(exec_plugin_that_is_not_installed)
{
    const struct rest_config config = {
        .auth.exec = {.command = STR("/no/such/plugin"),
                      .api_version = STR(V1),
                      .install_hint = STR("get it from example.com")}
    };
    SCOPED(buf) token = {0};
    OWNED(exec_plugin) plugin = exec_plugin_new(&config, NULL);
    CHECK_FAILS(exec_plugin_get(plugin, &token, NULL), ERROR_IO,
                "exec plugin \"/no/such/plugin\": start: No such file or directory; get it from "
                "example.com");
}

LOOP_TEST(exec_plugin_is_killed_with_its_owner)
{
    SCOPED(script) script;
    script_init(&script, "sleep 1000");
    SCOPED(buf) token = {0};
    OWNED(exec_plugin) plugin = exec_plugin_new(&script.config, NULL);
    {
        FIBER_TIMEOUT(50 * MILLISECOND);
        CHECK_ERROR(exec_plugin_get(plugin, &token, NULL), ERROR_DEADLINE);
    }
    exec_plugin_free(TAKE(plugin));
    check_no_children();
}

/* In virtual time a function stands in for the program: it takes a second and counts its runs. */
static struct pretended {
    size_t runs;
    const char *out; /* NULL: fails */
} pretended;

static struct error *pretend(const struct process_options *options,
                             struct process_result *ret_result)
{
    CHECK(options->argv[0] != NULL);
    const size_t run = ++pretended.runs;
    TRY(fiber_sleep(SECOND));
    *ret_result = (struct process_result){.exit_code = pretended.out ? 0 : 1};
    if (pretended.out)
        buf_print(&ret_result->out, PRINTED("token-%zu", "%s"), run, pretended.out);
    return NULL;
}

static const struct exec_plugin_options in_pretence = {.run = pretend};

static const struct rest_config pretended_config = {
    .auth.exec = {.command = STR_INIT("pretended"), .api_version = STR_INIT(V1)}
};

static void check_token(struct exec_plugin *plugin, const char *expected)
{
    SCOPED(buf) token = {.secret = true};
    CHECK_OK(exec_plugin_get(plugin, &token, NULL));
    CHECK_EQ(buf_str(&token), str_from_c(expected));
}

SIM_TEST(exec_plugin_result_is_kept)
{
    pretended = (struct pretended){.out = ""};
    OWNED(exec_plugin) plugin = exec_plugin_new(&pretended_config, &in_pretence);
    for (int i = 0; i < 10; i++) {
        check_token(plugin, "token-1");
        CHECK_OK(fiber_sleep(24 * HOUR));
    }
    exec_plugin_invalidate(plugin, STR("token-0")); /* an old one, rejected late */
    check_token(plugin, "token-1");
    exec_plugin_invalidate(plugin, STR("token-1"));
    check_token(plugin, "token-2");
}

SIM_TEST(exec_plugin_result_expires)
{
    pretended = (struct pretended){.out = ",\"expirationTimestamp\":\"2026-01-01T02:00:00Z\""};
    OWNED(exec_plugin) plugin = exec_plugin_new(&pretended_config, &in_pretence);
    check_token(plugin, "token-1");
    CHECK_OK(fiber_sleep(30 * MINUTE));
    check_token(plugin, "token-1");
    CHECK_OK(fiber_sleep(30 * MINUTE));
    pretended.out = "";
    check_token(plugin, "token-2");
}

static struct error *get_one(void *data)
{
    SCOPED(buf) token = {.secret = true};
    TRY(exec_plugin_get(data, &token, NULL));
    CHECK_EQ(buf_str(&token), STR("token-1"));
    return NULL;
}

SIM_TEST(exec_plugin_runs_once_for_all)
{
    pretended = (struct pretended){.out = ""};
    OWNED(exec_plugin) plugin = exec_plugin_new(&pretended_config, &in_pretence);
    SCOPED(scope) scope = {0};
    SCOPED(scope) giving_up = {0};
    struct fiber *first = scope_start(&giving_up, "get", get_one, plugin);
    CHECK_OK(fiber_yield());
    for (int i = 0; i < 20; i++)
        scope_start(&scope, "get", get_one, plugin);
    CHECK_OK(fiber_sleep(500 * MILLISECOND));
    fiber_cancel(first); /* which takes nothing from the others */
    CHECK_ERROR(scope_wait(&giving_up), ERROR_CANCELED);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(pretended.runs, 1);
}

SIM_TEST(exec_plugin_fails_once_for_all)
{
    pretended = (struct pretended){.out = NULL};
    OWNED(exec_plugin) plugin = exec_plugin_new(&pretended_config, &in_pretence);
    SCOPED(scope) scope = {0};
    for (int i = 0; i < 20; i++)
        scope_start(&scope, "get", get_one, plugin);
    CHECK_FAILS(scope_wait(&scope), ERROR_IO, "exec plugin \"pretended\": exit code 1");
    CHECK_EQ(pretended.runs, 1);

    TEST_CASE("the next caller tries anew");
    pretended.out = "";
    check_token(plugin, "token-2");
}

SIM_TEST(exec_plugin_has_a_minute)
{
    pretended = (struct pretended){.out = ""};
    struct exec_plugin_options options = in_pretence;
    options.timeout = 500 * MILLISECOND;
    OWNED(exec_plugin) plugin = exec_plugin_new(&pretended_config, &options);
    SCOPED(buf) token = {0};
    CHECK_FAILS(exec_plugin_get(plugin, &token, NULL), ERROR_IO,
                "exec plugin \"pretended\": did not end within 500ms");
}

SIM_TEST(exec_plugin_that_needs_a_terminal)
{
    struct rest_config config = pretended_config;
    pretended = (struct pretended){.out = ""};
    config.auth.exec.mode = REST_EXEC_ALWAYS;
    OWNED(exec_plugin) plugin = exec_plugin_new(&config, &in_pretence);
    SCOPED(buf) token = {0};
    CHECK_FAILS(exec_plugin_get(plugin, &token, NULL), ERROR_IO,
                "exec plugin \"pretended\": needs a terminal (interactiveMode is Always)");
    CHECK_EQ(pretended.runs, 0);
}

TORTURE_TEST(exec_plugin_survives)
{
    pretended = (struct pretended){.out = ""};
    OWNED(exec_plugin) plugin = exec_plugin_new(&pretended_config, &in_pretence);
    SCOPED(scope) scope = {0};
    scope_start(&scope, "get", get_one, plugin);
    scope_start(&scope, "get", get_one, plugin);
    struct error *err = scope_wait(&scope);
    scope_cancel(&scope);
    return err;
}
