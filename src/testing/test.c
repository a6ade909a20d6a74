#include "testing/test.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/memory.h"

#define DATA_FILES_MAX 16

static struct test *tests;
static char current_case[256];
static struct buf data_files[DATA_FILES_MAX];
static size_t data_count;

void test_register(struct test *test)
{
    struct test **place = &tests;
    while (*place && strcmp((*place)->name, test->name) < 0)
        place = &(*place)->next;
    test->next = *place;
    *place = test;
}

void test_case(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(current_case, sizeof(current_case), format, args);
    va_end(args);
}

void test_fail(const struct test_place *place, const char *format, ...)
{
    fflush(stdout);
    fprintf(stderr, "%s:%d: ", place->file, place->line);
    if (current_case[0])
        fprintf(stderr, "[%s] ", current_case);
    fprintf(stderr, "%s ", place->text);
    va_list args;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    abort();
}

void test_check_int(const struct test_place *place, int64_t seen, int64_t expected)
{
    if (seen != expected)
        test_fail(place, "is %lld, expected %lld", (long long)seen, (long long)expected);
}

void test_check_uint(const struct test_place *place, uint64_t seen, uint64_t expected)
{
    if (seen != expected)
        test_fail(place, "is %llu, expected %llu", (unsigned long long)seen,
                  (unsigned long long)expected);
}

void test_check_double(const struct test_place *place, double seen, double expected)
{
    if (!(seen >= expected && seen <= expected))
        test_fail(place, "is %.17g, expected %.17g", seen, expected);
}

void test_check_bool(const struct test_place *place, bool seen, bool expected)
{
    if (seen != expected)
        test_fail(place, "is %s, expected %s", seen ? "true" : "false",
                  expected ? "true" : "false");
}

void test_check_ptr(const struct test_place *place, const void *seen, const void *expected)
{
    if (seen != expected)
        test_fail(place, "is %p, expected %p", seen, expected);
}

void test_check_c(const struct test_place *place, const char *seen, const char *expected)
{
    if (!seen || !expected || strcmp(seen, expected) != 0)
        test_fail(place, "is\n  \"%s\", expected\n  \"%s\"", seen ? seen : "(null)",
                  expected ? expected : "(null)");
}

void test_check_str(const struct test_place *place, struct str seen, struct str expected)
{
    if (!str_eq(seen, expected))
        test_fail(place, "is\n  \"%.*s\" (%zu bytes), expected\n  \"%.*s\" (%zu bytes)",
                  STR_ARG(seen), seen.len, STR_ARG(expected), expected.len);
}

void test_check_contains(const struct test_place *place, struct str seen, struct str part)
{
    if (!str_contains(seen, part))
        test_fail(place, "is\n  \"%.*s\", expected to contain\n  \"%.*s\"", STR_ARG(seen),
                  STR_ARG(part));
}

void test_check_ok(const struct test_place *place, struct error *err)
{
    if (err)
        test_fail(place, "failed: %s: %s", error_code_name(err->code).ptr, err->message);
}

void test_check_error(const struct test_place *place, struct error *err, enum error_code code,
                      const char *part)
{
    if (!err)
        test_fail(place, "succeeded, expected %s", error_code_name(code).ptr);
    if (err->code != code)
        test_fail(place, "failed with %s: %s; expected %s", error_code_name(err->code).ptr,
                  err->message, error_code_name(code).ptr);
    if (!strstr(err->message, part))
        test_fail(place, "failed with the message\n  \"%s\", expected to contain\n  \"%s\"",
                  err->message, part);
    error_free(err);
}

struct str test_data(const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/tests/support/data/%s", TEST_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file)
        test_fail(TEST_PLACE(path), "cannot be opened: %s: %s", path, strerrordesc_np(errno));
    if (data_count == DATA_FILES_MAX)
        test_fail(TEST_PLACE(path), "is one data file too many for a test");
    struct buf *buf = &data_files[data_count++];
    for (;;) {
        char *room = buf_reserve(buf, 64 * KILOBYTE);
        if (!room)
            test_fail(TEST_PLACE(path), "is too large");
        const size_t n = fread(room, 1, 64 * KILOBYTE, file);
        if (n == 0)
            break;
        buf_grow(buf, n);
    }
    fclose(file);
    return buf_str(buf);
}

static void run_test(const struct test *test)
{
    test->run();
    while (data_count)
        buf_done(&data_files[--data_count]);
}

static bool run_in_child(const struct test *test)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        run_test(test);
        exit(0); /* NOLINT(concurrency-mt-unsafe): LeakSanitizer reports at exit */
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("%-6s %s\n", status == 0 ? "ok" : "FAILED", test->name);
    return status == 0;
}

int test_main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1) {
        for (const struct test *test = tests; test; test = test->next)
            if (strcmp(test->name, argv[1]) == 0) {
                run_test(test);
                return 0;
            }
        fprintf(stderr, "no test is called %s\n", argv[1]);
        return 2;
    }
    int passed = 0, failed = 0;
    for (const struct test *test = tests; test; test = test->next) {
        if (run_in_child(test))
            passed++;
        else
            failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed ? 1 : 0;
}
