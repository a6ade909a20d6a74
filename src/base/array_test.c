#include "base/array.h"

#include "testing/test.h"

struct numbers {
    int *items;
    size_t count, capacity;
};

TEST(array_keeps_what_was_pushed)
{
    struct numbers numbers = {0};
    for (int i = 0; i < 1000; i++) {
        ARRAY_PUSH(numbers.items, numbers.count, numbers.capacity, i);
        CHECK(numbers.count <= numbers.capacity);
        CHECK(numbers.capacity <= 2 * numbers.count + 4);
    }
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(numbers.items[i], i);
    mem_free(numbers.items);
}

TEST(array_in_an_arena_keeps_what_was_pushed)
{
    SCOPED(arena) arena = {.limit = 0};
    struct numbers numbers = {0};
    for (int i = 0; i < 1000; i++)
        ARENA_ARRAY_PUSH(&arena, numbers.items, numbers.count, numbers.capacity, i);
    CHECK_EQ(numbers.count, (size_t)1000);
    for (int i = 0; i < 1000; i++)
        CHECK_EQ(numbers.items[i], i);
}

TEST(array_reserve_makes_room_at_once)
{
    size_t capacity = 0;
    int *items = array_reserve(NULL, &capacity, 100, sizeof(int));
    CHECK(capacity >= 100);
    int *same = array_reserve(items, &capacity, 100, sizeof(int));
    CHECK(same == items);
    mem_free(same);
}
