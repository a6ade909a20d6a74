#include "base/map.h"

#include <stdio.h>

#include "base/random.h"
#include "testing/test.h"

static void *number(uintptr_t value)
{
    return (void *)value; /* NOLINT(performance-no-int-to-ptr): values are never followed */
}

#define KEY_MAX 32

static struct str key_of(size_t i, char text[static KEY_MAX])
{
    const int len = snprintf(text, KEY_MAX, "key-%zu", i);
    return str_from(text, (size_t)len);
}

TEST(map_zero_is_empty)
{
    SCOPED(map) map = {0};
    CHECK_EQ(map_count(&map), (size_t)0);
    CHECK(map_find(&map, STR("a")) == NULL);
    CHECK(map_take(&map, STR("a")) == NULL);
    CHECK(!map_remove(&map, STR("a")));
    CHECK(map_first(&map) == NULL);
    MAP_FOREACH (entry, &map)
        CHECK(entry == NULL);
    CHECK(map.entries == NULL);
    map_clear(&map);
    map_done(&map);
}

TEST(map_puts_and_takes)
{
    SCOPED(map) map = {0};
    char key[] = "key";
    CHECK(map_put(&map, str_from_c(key), number(1)) == NULL);
    key[0] = 'x';
    CHECK_EQ(map_find(&map, STR("key")), number(1));
    CHECK_EQ(map_put(&map, STR("key"), number(2)), number(1));
    CHECK_EQ(map_find(&map, STR("key")), number(2));
    CHECK_EQ(map_count(&map), (size_t)1);
    CHECK(map_put(&map, STR(""), NULL) == NULL);
    CHECK(map_put(&map, STR("a\0b"), number(3)) == NULL);
    CHECK(map_has(&map, STR("")) && map_find(&map, STR("")) == NULL);
    CHECK(!map_has(&map, STR("a")));
    CHECK_EQ(map_take(&map, STR("a\0b")), number(3));
    CHECK(!map_has(&map, STR("a\0b")));
    CHECK_EQ(map_count(&map), (size_t)2);
}

TEST(map_gives_memory_back_when_empty)
{
    SCOPED(map) map = {0};
    char key[KEY_MAX];
    for (size_t i = 0; i < 100; i++)
        map_put(&map, key_of(i, key), number(1));
    CHECK(map.index != NULL);
    for (size_t i = 0; i < 100; i++)
        map_take(&map, key_of(i, key));
    CHECK(map.entries == NULL && map.index == NULL);
}

TEST(map_shrinks_when_used_again)
{
    SCOPED(map) map = {0};
    char key[KEY_MAX];
    for (size_t i = 0; i < 1000; i++) {
        map_put(&map, key_of(i, key), number(1));
        if (i >= 3)
            map_take(&map, key_of(i - 3, key));
    }
    CHECK_EQ(map_count(&map), (size_t)3);
    CHECK(map.capacity <= 8);
}

static int released;

static void release(void *value)
{
    released = released * 10 + (int)(uintptr_t)value;
}

TEST(map_releases_what_it_holds)
{
    SCOPED(map) map = {.release = release};
    for (uintptr_t i = 1; i <= 5; i++)
        map_put(&map, str_from(&"012345"[i], 1), number(i));
    CHECK_EQ(map_put(&map, STR("1"), number(6)), number(1));
    CHECK_EQ(map_take(&map, STR("2")), number(2));
    CHECK_EQ(released, 0);
    CHECK(map_remove(&map, STR("3")));
    CHECK_EQ(released, 3);
    map_clear(&map);
    CHECK_EQ(released, 3645);
    CHECK(map_put(&map, STR("7"), number(7)) == NULL);
    map_done(&map);
    CHECK_EQ(released, 36457);
}

TEST(map_visits_in_order_of_insertion)
{
    SCOPED(map) map = {0};
    char key[KEY_MAX];
    for (size_t i = 0; i < 1000; i++)
        map_put(&map, key_of(i * 7919 % 1000, key), number(i));
    uintptr_t expected = 0;
    MAP_FOREACH (entry, &map) {
        CHECK_EQ(map_key(entry), key_of(expected * 7919 % 1000, key));
        CHECK_EQ(entry->value, number(expected));
        expected++;
    }
    CHECK_EQ(expected, (uintptr_t)1000);
}

TEST(map_elements_may_go_while_visited)
{
    for (uintptr_t size = 1; size < 60; size++) {
        SCOPED(map) map = {0};
        char key[KEY_MAX];
        for (uintptr_t i = 0; i < size; i++)
            map_put(&map, key_of(i, key), number(i));
        uintptr_t seen = 0;
        MAP_FOREACH (entry, &map) {
            CHECK_EQ(entry->value, number(seen++));
            map_remove(&map, map_key(entry));
        }
        TEST_CASE("%zu elements", (size_t)size);
        CHECK_EQ(seen, size);
        CHECK_EQ(map_count(&map), (size_t)0);
    }
}

TEST(map_visits_nest)
{
    SCOPED(map) map = {0};
    map_put(&map, STR("a"), number(1));
    map_put(&map, STR("b"), number(2));
    uintptr_t sum = 0;
    MAP_FOREACH (outer, &map)
        MAP_FOREACH (inner, &map)
            sum = sum * 100 + (uintptr_t)outer->value * 10 + (uintptr_t)inner->value;
    CHECK_EQ(sum, (uintptr_t)11122122);
}

/* A model of 64 places beside the map, for small maps and for indexed ones. */
static void compare(const struct map *map, const uintptr_t *model, size_t keys)
{
    size_t count = 0;
    for (size_t i = 0; i < keys; i++) {
        char key[KEY_MAX];
        CHECK_EQ(map_find(map, key_of(i, key)), number(model[i]));
        count += model[i] != 0;
    }
    CHECK_EQ(map_count(map), count);
    MAP_FOREACH (entry, map)
        count--;
    CHECK_EQ(count, (size_t)0);
}

TEST(map_agrees_with_a_model)
{
    struct random random;
    random_init(&random, 2024);
    for (size_t keys = 4; keys <= 64; keys *= 4) {
        SCOPED(map) map = {0};
        uintptr_t model[64] = {0};
        for (uintptr_t step = 1; step <= 10000; step++) {
            const size_t i = (size_t)random_below(&random, keys);
            char text[KEY_MAX];
            const struct str key = key_of(i, text);
            const bool put = random_below(&random, 100) < (step / 1000 % 2 ? 70 : 30);
            const uintptr_t value = put ? step : 0;
            TEST_CASE("%zu keys, step %zu", keys, (size_t)step);
            if (put)
                CHECK_EQ(map_put(&map, key, number(value)), number(model[i]));
            else
                CHECK_EQ(map_take(&map, key), number(model[i]));
            model[i] = value;
            if (step % 97 == 0)
                compare(&map, model, keys);
        }
        compare(&map, model, keys);
    }
}
