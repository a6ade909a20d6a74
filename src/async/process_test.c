#include "async/process.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "async/fiber.h"
#include "async/scope.h"
#include "base/arena.h"
#include "testing/sim.h"

static struct error *run_shell(const char *script, struct process_options options,
                               struct process_result *result)
{
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    options.argv = argv;
    return process_run(&options, result);
}

/* Every child has been reaped. */
static void check_no_children(void)
{
    CHECK_EQ(waitpid(-1, NULL, WNOHANG), -1);
    CHECK_EQ(errno, ECHILD);
}

LOOP_TEST(process_ends)
{
    const struct {
        const char *name, *script, *input, *out, *errors;
        int exit_code, signal;
    } cases[] = {
        {"says nothing",         "exit 0",                  "",      "",      "",     0,  0      },
        {"prints",               "echo hi",                 "",      "hi\n",  "",     0,  0      },
        {"prints both ways",     "echo a; echo b >&2",      "",      "a\n",   "b\n",  0,  0      },
        {"fails",                "echo no >&2; exit 3",     "",      "",      "no\n", 3,  0      },
        {"reads its input",      "cat",                     "hello", "hello", "",     0,  0      },
        {"has no input",         "cat; echo end",           "",      "end\n", "",     0,  0      },
        {"ignores its input",    "exit 0",                  "hello", "",      "",     0,  0      },
        {"is killed",            "kill -TERM $$",           "",      "",      "",     -1, SIGTERM},
        {"closes its output",    "exec >&- 2>&-; exit 4",   "",      "",      "",     4,  0      },
        {"leaves others behind", "sleep 2 & echo $((1+1))", "",      "2\n",   "",     0,  0      },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(process_result) result = {0};
        const struct process_options options = {.input = str_from_c(cases[i].input)};
        CHECK_OK(run_shell(cases[i].script, options, &result));
        CHECK_EQ(result.exit_code, cases[i].exit_code);
        CHECK_EQ(result.signal, cases[i].signal);
        CHECK_EQ(buf_str(&result.out), str_from_c(cases[i].out));
        CHECK_EQ(buf_str(&result.errors), str_from_c(cases[i].errors));
        check_no_children();
    }
}

LOOP_TEST(process_environment_is_given)
{
    const char *const env[] = {"COLOUR=blue", NULL};
    SCOPED(process_result) result = {0};
    CHECK_OK(run_shell("echo $COLOUR $HOME", (struct process_options){.env = env}, &result));
    CHECK_EQ(buf_str(&result.out), STR("blue\n"));
}

LOOP_TEST(process_that_does_not_exist)
{
    const char *const paths[] = {"/does/not/exist", "no-such-program-here"};
    for (size_t i = 0; i < COUNT(paths); i++) {
        TEST_CASE("%s", paths[i]);
        const char *const argv[] = {paths[i], NULL};
        SCOPED(process_result) result = {0};
        CHECK_FAILS(process_run(&(struct process_options){.argv = argv}, &result), ERROR_NOT_FOUND,
                    "start: No such file");
    }
    check_no_children();
}

LOOP_TEST(process_has_only_its_streams)
{
    SCOPED(process_result) result = {0};
    CHECK_OK(run_shell("ls /proc/$$/fd", (struct process_options){0}, &result));
    CHECK_EQ(buf_str(&result.out), STR("0\n1\n2\n"));
}

LOOP_TEST(process_output_is_bounded)
{
    SCOPED(process_result) result = {0};
    const struct process_options options = {.output_max = 1000};
    CHECK_FAILS(run_shell("yes", options, &result), ERROR_TOO_LARGE, "more than 1000 bytes");
    check_no_children();

    TEST_CASE("exactly the limit fits");
    CHECK_OK(run_shell("printf %1000d 1", options, &result));
    CHECK_EQ(result.out.len, 1000);
    process_result_done(&result);

    TEST_CASE("one more does not");
    CHECK_ERROR(run_shell("printf %1001d 1", options, &result), ERROR_TOO_LARGE);

    TEST_CASE("of messages the beginning stays");
    CHECK_OK(run_shell("printf %5000d 1 >&2; echo ok", options, &result));
    CHECK_EQ(result.errors.len, 1000);
    CHECK_EQ(buf_str(&result.out), STR("ok\n"));
}

LOOP_TEST(process_of_much_output_and_input)
{
    SCOPED(buf) input = {0};
    for (int i = 0; i < 100000; i++)
        buf_add(&input, STR("0123456"));
    SCOPED(process_result) result = {0};
    CHECK_OK(run_shell("cat", (struct process_options){.input = buf_str(&input)}, &result));
    CHECK_EQ(buf_str(&result.out), buf_str(&input));
}

/* The program and what it started print their numbers and hang. */
static struct error *run_hanging(void *data)
{
    struct error **ret_err = data;
    SCOPED(process_result) result = {0};
    *ret_err =
        run_shell("trap '' TERM INT; sleep 1000 & wait", (struct process_options){0}, &result);
    return NULL;
}

LOOP_TEST(process_dies_with_the_deadline)
{
    struct error *err = NULL;
    {
        FIBER_TIMEOUT(20 * MILLISECOND);
        CHECK_OK(run_hanging(&err));
    }
    CHECK_FAILS(err, ERROR_DEADLINE, "a program");
    check_no_children();
}

LOOP_TEST(process_dies_with_a_cancellation)
{
    struct error *err = NULL;
    {
        SCOPED(scope) scope = {0};
        scope_start(&scope, "run", run_hanging, &err);
        CHECK_OK(fiber_sleep(20 * MILLISECOND));
        scope_cancel(&scope);
        CHECK_OK(scope_wait(&scope));
    }
    CHECK_ERROR(err, ERROR_CANCELED);
    check_no_children();
}

LOOP_TEST(process_children_die_too)
{
    char path[] = "/tmp/process_test.XXXXXX";
    const int fd = mkstemp(path);
    CHECK(fd >= 0);
    SCOPED(arena) arena = {0};
    const struct str script = arena_print(&arena, "sleep 1000 & echo $! >%s; wait", path);
    SCOPED(process_result) result = {0};
    {
        FIBER_TIMEOUT(500 * MILLISECOND);
        CHECK_ERROR(run_shell(script.ptr, (struct process_options){0}, &result), ERROR_DEADLINE);
    }
    char text[32] = {0};
    CHECK(pread(fd, text, sizeof(text) - 1, 0) > 1);
    int64_t pid;
    CHECK(str_to_int64(str_trim(str_from_c(text)), &pid));
    /* Whoever adopted it reaps it in its own time; what counts is that it does not run. */
    for (int i = 0; i < 100 && kill((pid_t)pid, 0) == 0; i++) {
        SCOPED(arena) scratch = {0};
        FILE *stat = fopen(arena_print(&scratch, "/proc/%d/stat", (int)pid).ptr, "r");
        char line[256] = {0};
        if (!stat || !fgets(line, sizeof(line), stat) || strstr(line, ") Z "))
            i = 100;
        if (stat)
            fclose(stat);
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
        CHECK(i != 99);
    }
    close(fd);
    unlink(path);
}

struct many {
    size_t ended;
};

static struct error *run_one(void *data)
{
    struct many *many = data;
    SCOPED(process_result) result = {0};
    TRY(run_shell("echo done", (struct process_options){0}, &result));
    CHECK_EQ(buf_str(&result.out), STR("done\n"));
    many->ended++;
    return NULL;
}

LOOP_TEST(process_runs_several_at_once)
{
    struct many many = {0};
    SCOPED(scope) scope = {0};
    for (int i = 0; i < 20; i++)
        scope_start(&scope, "run", run_one, &many);
    CHECK_OK(scope_wait(&scope));
    CHECK_EQ(many.ended, 20);
    check_no_children();
}
