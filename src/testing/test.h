/*
 * Tests: TEST(name) registers itself, CHECK_* print both values and end the test.
 *
 * A test program runs every test in a process of its own, or the one named on its command line in
 * this process, which is what CTest and a debugger use. Memory still allocated at the end is a
 * failure under LeakSanitizer.
 *
 *     TEST(str_cut)
 *     {
 *         const struct { const char *name; ... } cases[] = {...};
 *         for (size_t i = 0; i < COUNT(cases); i++) {
 *             TEST_CASE(cases[i].name);
 *             CHECK_EQ(f(cases[i].in), cases[i].out);
 *         }
 *     }
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/str.h"

struct test {
    const char *name;
    void (*run)(void);
    struct test *next;
};

void test_register(struct test *test);

/* Used by test programs; the program's main() is in test_main.c. */
int test_main(int argc, char **argv);

#define TEST(id)                                                     \
    static void id##_test_(void);                                    \
    __attribute__((constructor)) static void id##_register_(void)    \
    {                                                                \
        static struct test test_ = {.name = #id, .run = id##_test_}; \
        test_register(&test_);                                       \
    }                                                                \
    static void id##_test_(void)

/* Names the present row of a table, which a failing check prints. The text is copied. */
void test_case(const char *format, ...) PRINTF_LIKE(1, 2);
#define TEST_CASE(...) test_case(__VA_ARGS__)

struct test_place {
    const char *file;
    int line;
    const char *text;
};
#define TEST_PLACE(text) (&(const struct test_place){__FILE__, __LINE__, text})

_Noreturn void test_fail(const struct test_place *place, const char *format, ...) PRINTF_LIKE(2, 3);

void test_check_int(const struct test_place *place, int64_t seen, int64_t expected);
void test_check_uint(const struct test_place *place, uint64_t seen, uint64_t expected);
void test_check_double(const struct test_place *place, double seen, double expected);
void test_check_bool(const struct test_place *place, bool seen, bool expected);
void test_check_ptr(const struct test_place *place, const void *seen, const void *expected);
void test_check_c(const struct test_place *place, const char *seen, const char *expected);
void test_check_str(const struct test_place *place, struct str seen, struct str expected);
void test_check_contains(const struct test_place *place, struct str seen, struct str part);

/* Both free the error. */
void test_check_ok(const struct test_place *place, struct error *err);
void test_check_error(const struct test_place *place, struct error *err, enum error_code code,
                      const char *part);

#define CHECK(condition)                                   \
    do {                                                   \
        if (!(condition))                                  \
            test_fail(TEST_PLACE(#condition), "is false"); \
    } while (0)

/* Numbers, booleans, pointers, C strings and struct str. */
#define CHECK_EQ(seen, expected) \
    _Generic((seen),                                                                          \
        bool: test_check_bool,                                                                \
        char: test_check_int, signed char: test_check_int, short: test_check_int,             \
        int: test_check_int, long: test_check_int, long long: test_check_int,                 \
        unsigned char: test_check_uint, unsigned short: test_check_uint,                      \
        unsigned: test_check_uint, unsigned long: test_check_uint,                            \
        unsigned long long: test_check_uint, double: test_check_double,                       \
        char *: test_check_c, const char *: test_check_c,                                     \
        struct str: test_check_str, default: test_check_ptr)(TEST_PLACE(#seen), seen, expected)

#define CHECK_CONTAINS(seen, part) test_check_contains(TEST_PLACE(#seen), seen, part)

/* The call succeeds. */
#define CHECK_OK(call) test_check_ok(TEST_PLACE(#call), call)

/* The call fails with this code; CHECK_FAILS also wants this text in the message. */
#define CHECK_ERROR(call, code)       test_check_error(TEST_PLACE(#call), call, code, "")
#define CHECK_FAILS(call, code, part) test_check_error(TEST_PLACE(#call), call, code, part)

/*
 * The content of a file below tests/support/data, released at the end of the test. Fails the test
 * if the file is absent.
 */
struct str test_data(const char *name);
