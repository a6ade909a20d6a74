#include "base/arena.h"

#include <stdint.h>

#include "testing/test.h"

TEST(arena_memory_is_zeroed_and_aligned)
{
    SCOPED(arena) arena = {0};
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *ptr = arena_alloc(&arena, size);
        CHECK_EQ((uintptr_t)ptr % _Alignof(max_align_t), (uintptr_t)0);
        for (size_t i = 0; i < size; i++)
            CHECK_EQ(ptr[i], (unsigned char)0);
        for (size_t i = 0; i < size; i++)
            ptr[i] = 0xff;
    }
}

TEST(arena_limit_is_an_error)
{
    SCOPED(arena) arena = {.limit = 100};
    CHECK(arena_try_alloc(&arena, 64) != NULL);
    CHECK(arena_try_alloc(&arena, 64) == NULL);
    CHECK_OK(arena_check(&arena));
    CHECK(arena_alloc(&arena, 64) != NULL);
    CHECK_ERROR(arena_check(&arena), ERROR_TOO_LARGE);
    arena_clear(&arena);
    CHECK_OK(arena_check(&arena));
}

static void count_release(void *ptr)
{
    int *order = ptr;
    *order = *order * 10 + 1;
}

TEST(arena_releases_what_it_holds)
{
    int first = 1, second = 2;
    SCOPED(arena) arena = {0};
    arena_hold(&arena, count_release, &first);
    arena_hold(&arena, count_release, &second);
    CHECK_EQ(first, 1);
    arena_clear(&arena);
    CHECK_EQ(first, 11);
    CHECK_EQ(second, 21);
}

TEST(arena_text)
{
    SCOPED(arena) arena = {0};
    CHECK_EQ(arena_print(&arena, "%s-%d", "a", 1), STR("a-1"));
    CHECK_EQ(arena_c(&arena, STR("abc")), "abc");
    CHECK_EQ(arena_str(&arena, STR("a\0b")), STR("a\0b"));
    CHECK_EQ(ARENA_JOIN(&arena, STR("a"), ((struct str){NULL, 0}), STR("\0b")), STR("a\0b"));
    CHECK_EQ(ARENA_JOIN(&arena, STR("")).len, (size_t)0);
}
