#include "peers/interop/process.h"

#include <signal.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "peers/interop/folder.h"
#include "testing/sim.h"

#define SHELL(script) (&(struct process_options){.arguments = ARGUMENTS("sh", "-c", script)})

LOOP_TEST(process_separates_what_a_program_prints)
{
    FIBER_TIMEOUT(30 * SECOND);
    OWNED(process) process = NULL;
    CHECK_OK(process_run(SHELL("echo out; echo err >&2; env | sort"), &process));
    CHECK_CONTAINS(process_output(process), STR("out\n"));
    CHECK_CONTAINS(process_output(process), STR("LC_ALL=C\n"));
    CHECK(!str_contains(process_output(process), STR("HOME=")));
    CHECK_EQ(process_messages(process), STR("err\n"));
}

LOOP_TEST(process_reads_a_file_and_runs_where_it_is_told)
{
    FIBER_TIMEOUT(30 * SECOND);
    SCOPED(folder) folder;
    folder_init(&folder);
    OWNED(process) process = NULL;
    CHECK_OK(process_run(
        &(struct process_options){
            .arguments = ARGUMENTS("cat"),
            .more = ARGUMENTS("-", "file"),
            .directory = folder.path,
            .input = folder_write(&folder, "file", STR("hello\n")),
        },
        &process));
    CHECK_EQ(process_output(process), STR("hello\nhello\n"));
}

LOOP_TEST(process_failures_say_why)
{
    FIBER_TIMEOUT(30 * SECOND);
    OWNED(process) process = NULL;
    CHECK_FAILS(
        process_run(&(struct process_options){.arguments = ARGUMENTS("no-such-program")}, &process),
        ERROR_NOT_FOUND, "no-such-program is not installed");
    CHECK_FAILS(process_run(SHELL("echo no good >&2; exit 3"), &process), ERROR_IO,
                "sh exited with 3: no good");
    CHECK_FAILS(process_run(SHELL("kill -TERM $$"), &process), ERROR_IO, "ended by signal 15");
    CHECK_FAILS(process_run(&(struct process_options){.arguments = ARGUMENTS("cat", "/dev/zero"),
                                                      .output_limit = KILOBYTE},
                            &process),
                ERROR_TOO_LARGE, "");
}

LOOP_TEST(process_is_killed_at_the_deadline)
{
    FIBER_TIMEOUT(30 * SECOND);
    OWNED(process) process = NULL;
    const int64_t begun = loop_now(loop_current());
    {
        FIBER_TIMEOUT(50 * MILLISECOND);
        CHECK_FAILS(process_run(SHELL("echo $$ >&2; exec sleep 1000"), &process), ERROR_DEADLINE,
                    "sh: ");
    }
    CHECK(loop_now(loop_current()) - begun < 20 * SECOND);
}

LOOP_TEST(process_output_is_seen_while_it_runs)
{
    FIBER_TIMEOUT(30 * SECOND);
    OWNED(process) process = NULL;
    CHECK_OK(process_start(SHELL("echo $$.; exec sleep 1000"), &process));
    CHECK_OK(process_wait_output(process, STR(".")));
    struct str rest = process_output(process), number;
    uint64_t pid;
    CHECK(str_cut(&rest, '.', &number));
    CHECK(str_to_uint64(number, &pid));
    CHECK_EQ(kill((pid_t)pid, 0), 0);
    process_free(TAKE(process));
    CHECK_EQ(kill((pid_t)pid, 0), -1);
}

LOOP_TEST(process_that_ends_early_is_not_waited_for)
{
    FIBER_TIMEOUT(30 * SECOND);
    OWNED(process) process = NULL;
    CHECK_OK(process_start(SHELL("echo something"), &process));
    CHECK_FAILS(process_wait_output(process, STR("else")), ERROR_IO, "something");
}
