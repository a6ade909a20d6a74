#include "client/auth/token_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "async/process.h"
#include "async/scope.h"
#include "testing/certs.h"
#include "testing/sim.h"

/* The file; workers of a simulated loop run on its thread. */
struct file {
    const char *text; /* NULL: not there */
    size_t reads;
};

static struct error *read_it(void *data, struct str path, struct buf *out)
{
    struct file *file = data;
    file->reads++;
    if (!file->text)
        return error_new(ERROR_NOT_FOUND, "open %.*s: not there", STR_ARG(path));
    buf_add(out, str_from_c(file->text));
    return NULL;
}

static struct token_source *source_of(struct file *file, const struct rest_config *config)
{
    return token_source_new(
        config, &(struct token_source_options){.read_file = read_it, .read_data = file});
}

static void check_token(struct token_source *source, const char *expected)
{
    SCOPED(buf) token = {.secret = true};
    CHECK_OK(token_source_get(source, &token, NULL));
    CHECK_EQ(buf_str(&token), str_from_c(expected));
}

SIM_TEST(token_source_without_credentials)
{
    const struct rest_config config = {
        .auth = {.username = STR("basic"), .password = STR("b")}
    };
    OWNED(token_source) source = token_source_new(&config, NULL);
    check_token(source, "");
}

SIM_TEST(token_source_of_a_text)
{
    const struct rest_config config = {.auth = {.token = STR("static")}};
    OWNED(token_source) source = token_source_new(&config, NULL);
    struct tls_identity *identity = (void *)source;
    SCOPED(buf) token = {.secret = true};
    CHECK_OK(token_source_get(source, &token, &identity));
    CHECK(identity == NULL);
    token_source_reject(source, buf_str(&token));
    check_token(source, "static");
    CHECK_EQ(sim_jobs_done(loop_current()), 0);
}

static struct error *pretend(const struct process_options *options,
                             struct process_result *ret_result)
{
    static const char printed[] = "{\"kind\":\"ExecCredential\",\"apiVersion\":\"v\","
                                  "\"status\":{\"token\":\"%s\"}}";
    static int runs;
    CHECK_EQ(options->argv[0], "run");
    *ret_result = (struct process_result){0};
    buf_print(&ret_result->out, printed, runs++ ? "second" : "first");
    return NULL;
}

SIM_TEST(token_source_of_a_plugin)
{
    const struct rest_config config = {
        .auth.exec = {.command = STR("run"), .api_version = STR("v")}
    };
    const struct token_source_options options = {.exec = {.run = pretend}};
    OWNED(token_source) source = token_source_new(&config, &options);
    check_token(source, "first");
    check_token(source, "first");
    token_source_reject(source, STR("first"));
    check_token(source, "second");
}

SIM_TEST(token_source_rereads_every_minute)
{
    struct file file = {.text = "one\n"};
    const struct rest_config config = {
        .auth = {.token = STR("zero"), .token_file = STR("/t")}
    };
    OWNED(token_source) source = source_of(&file, &config);
    check_token(source, "one");
    file.text = "two";
    for (int i = 0; i < 5; i++) {
        CHECK_OK(fiber_sleep(10 * SECOND));
        check_token(source, "one");
    }
    CHECK_EQ(file.reads, 1);
    CHECK_OK(fiber_sleep(11 * SECOND));
    check_token(source, "two");
    CHECK_EQ(file.reads, 2);
}

SIM_TEST(token_source_rereads_what_was_rejected)
{
    struct file file = {.text = "one"};
    const struct rest_config config = {.auth = {.token_file = STR("/t")}};
    OWNED(token_source) source = source_of(&file, &config);
    check_token(source, "one");
    file.text = "two";
    token_source_reject(source, STR("zero")); /* an old one, rejected late */
    check_token(source, "one");
    token_source_reject(source, STR("one"));
    check_token(source, "two");
}

SIM_TEST(token_source_keeps_the_last_good_token)
{
    const char *const bad[] = {NULL, "", "\n", "two lines\nof it"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        TEST_CASE("bad content %zu", i);
        struct file file = {.text = "good"};
        const struct rest_config config = {.auth = {.token_file = STR("/t")}};
        OWNED(token_source) source = source_of(&file, &config);
        check_token(source, "good");
        file.text = bad[i];
        CHECK_OK(fiber_sleep(MINUTE));
        check_token(source, "good");
        CHECK_EQ(file.reads, 2);
        check_token(source, "good");
        CHECK_EQ(file.reads, 2); /* not at every request */
        file.text = "new";
        CHECK_OK(fiber_sleep(10 * SECOND));
        check_token(source, "new");
    }
}

SIM_TEST(token_source_without_any_good_token)
{
    struct file file = {.text = NULL};
    const struct rest_config config = {.auth = {.token_file = STR("/t")}};
    OWNED(token_source) source = source_of(&file, &config);
    SCOPED(buf) token = {.secret = true};
    CHECK_FAILS(token_source_get(source, &token, NULL), ERROR_IO, "token file: open /t: not there");
    file.text = "";
    CHECK_FAILS(token_source_get(source, &token, NULL), ERROR_IO, "token file: no token in it");
    CHECK_EQ(token.len, 0);
    file.text = "here";
    check_token(source, "here");
}

static struct error *get_once(void *data)
{
    SCOPED(buf) token = {.secret = true};
    TRY(token_source_get(data, &token, NULL));
    CHECK_EQ(buf_str(&token), STR("shared"));
    return NULL;
}

SIM_TEST(token_source_reads_once_for_all)
{
    struct file file = {.text = "shared"};
    const struct rest_config config = {.auth = {.token_file = STR("/t")}};
    OWNED(token_source) source = source_of(&file, &config);
    SCOPED(scope) scope = {0};
    for (int i = 0; i < 20; i++)
        scope_start(&scope, "get", get_once, source);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(file.reads, 1);
}

SIM_TEST(token_source_reader_that_gives_up)
{
    struct file file = {.text = "shared"};
    const struct rest_config config = {.auth = {.token_file = STR("/t")}};
    OWNED(token_source) source = source_of(&file, &config);
    SCOPED(scope) scope = {0};
    struct fiber *first = scope_start(&scope, "get", get_once, source);
    CHECK_OK(fiber_yield());
    scope_start(&scope, "get", get_once, source);
    CHECK_OK(fiber_yield());
    fiber_cancel(first);
    CHECK_ERROR(scope_wait(&scope), ERROR_CANCELED); /* the first; the second reads anew */
}

TORTURE_TEST(token_source_survives)
{
    struct file file = {.text = "shared"};
    const struct rest_config config = {.auth = {.token_file = STR("/t")}};
    OWNED(token_source) source = source_of(&file, &config);
    TRY(get_once(source));
    TRY(fiber_sleep(MINUTE));
    SCOPED(scope) scope = {0};
    scope_start(&scope, "get", get_once, source);
    scope_start(&scope, "get", get_once, source);
    return scope_wait(&scope);
}

static void write_file(const char *directory, const char *name, struct str text)
{
    SCOPED(arena) arena = {0};
    FILE *file = fopen(arena_print(&arena, "%s/%s", directory, name).ptr, "w");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(text.ptr, 1, text.len, file), text.len);
    CHECK_EQ(fclose(file), 0);
}

/* The real thing, but for the clock: files, workers, and what a pod knows. */
SIM_TEST(token_source_of_a_pod_rotates)
{
    char directory[] = "/tmp/token_source_test.XXXXXX";
    CHECK(mkdtemp(directory) != NULL);
    struct test_certs certs;
    test_certs_init(&certs, SIM_EPOCH);
    write_file(directory, "ca.crt", buf_str(&certs.authority_pem));
    write_file(directory, "token", STR("first\n"));
    SCOPED(rest_config) config = {0};
    const struct kubeconfig_in_cluster_options options = {
        .host = STR("10.0.0.1"), .port = STR("443"), .directory = str_from_c(directory)};
    CHECK_OK(kubeconfig_in_cluster(&options, &config));
    OWNED(token_source) source = token_source_new(&config, NULL);
    check_token(source, "first");
    write_file(directory, "token", STR("second\n"));
    CHECK_OK(fiber_sleep(59 * SECOND));
    check_token(source, "first");
    CHECK_OK(fiber_sleep(2 * SECOND));
    check_token(source, "second");
    SCOPED(arena) arena = {0};
    remove(arena_print(&arena, "%s/token", directory).ptr);
    remove(arena_print(&arena, "%s/ca.crt", directory).ptr);
    remove(directory);
    test_certs_done(&certs);
}
