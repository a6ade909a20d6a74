#include "controller/queue_turns.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/random.h"
#include "testing/test.h"

#define KEYS 600

struct fixture_key {
    struct queue_turn turn;
    char name[16]; /* "a1x": tenant a, group 1, target x; then whatever tells keys apart */
    bool is_held;
};

struct turns_fixture {
    struct queue_turns turns;
    struct fixture_key keys[KEYS];
    size_t count;
    struct buf taken; /* names of keys, in the order in which they were taken */
};

static void turns_fixture_init(struct turns_fixture *fixture, size_t workers, size_t target_max)
{
    *fixture = (struct turns_fixture){0};
    queue_turns_init(&fixture->turns, workers, target_max);
}

static void turns_fixture_done(struct turns_fixture *fixture)
{
    queue_turns_done(&fixture->turns);
    buf_done(&fixture->taken);
}

static struct fixture_key *add_key(struct turns_fixture *fixture, const char *name, int priority)
{
    struct fixture_key *key = &fixture->keys[fixture->count++];
    snprintf(key->name, sizeof(key->name), "%s", name);
    const struct str whole = str_from_c(key->name);
    const struct queue_parties parties = {str_from(whole.ptr, 1), str_from(whole.ptr + 1, 1),
                                          str_from(whole.ptr + 2, whole.len > 2 ? 1 : 0)};
    queue_turns_add(&fixture->turns, &key->turn, parties, priority);
    return key;
}

/* "a1 b1 a2" */
static void add_keys(struct turns_fixture *fixture, const char *names, int priority)
{
    struct str rest = str_from_c(names), name;
    while (rest.len) {
        str_cut(&rest, ' ', &name);
        char text[16];
        snprintf(text, sizeof(text), "%.*s", STR_ARG(name));
        add_key(fixture, text, priority);
    }
}

static struct fixture_key *take_key(struct turns_fixture *fixture)
{
    struct queue_turn *turn = queue_turns_take(&fixture->turns);
    if (!turn)
        return NULL;
    struct fixture_key *key = CONTAINER_OF(turn, struct fixture_key, turn);
    buf_print(&fixture->taken, "%s%s", fixture->taken.len ? " " : "", key->name);
    key->is_held = true;
    return key;
}

static void end_key(struct turns_fixture *fixture, struct fixture_key *key)
{
    queue_turns_end(&fixture->turns, &key->turn);
    key->is_held = false;
}

/* All that may be taken, without any end; then how many wait for a worker, and for a target. */
static void check_taken(struct turns_fixture *fixture, const char *expected, size_t ready,
                        size_t aside)
{
    buf_clear(&fixture->taken);
    while (take_key(fixture))
        continue;
    CHECK_EQ(buf_str(&fixture->taken), str_from_c(expected));
    CHECK_EQ(queue_turns_ready(&fixture->turns), ready);
    CHECK_EQ(fixture->turns.aside, aside);
}

TEST(turns_go_round_tenants_then_groups)
{
    const struct {
        const char *name, *low, *normal, *expected;
    } cases[] = {
        {"one group is a line",               "",      "a1x a1y a1z",            "a1x a1y a1z"           },
        {"who comes late waits for one turn", "",      "a1 a1 a1 a1 b1",         "a1 b1 a1 a1 a1"        },
        {"groups take turns, too",            "",      "a1x a1y a1z a2x a2y b1", "a1x b1 a2x a1y a2y a1z"},
        {"priority comes before groups",      "a1 a1", "a2 a2 a3",               "a2 a3 a2 a1 a1"        },
        {"and not before other tenants",      "b1 b1", "a1 a1 a1",               "b1 a1 b1 a1 a1"        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(turns_fixture) fixture;
        turns_fixture_init(&fixture, 0, 0);
        add_keys(&fixture, cases[i].low, QUEUE_LOW);
        add_keys(&fixture, cases[i].normal, QUEUE_NORMAL);
        check_taken(&fixture, cases[i].expected, 0, 0);
    }
}

TEST(a_raised_key_goes_with_its_new_priority)
{
    SCOPED(turns_fixture) fixture;
    turns_fixture_init(&fixture, 0, 1);
    struct fixture_key *last = add_key(&fixture, "a1z", QUEUE_LOW);
    add_keys(&fixture, "a1x a2y", QUEUE_NORMAL);
    queue_turns_raise(&last->turn, QUEUE_NORMAL + 1);
    check_taken(&fixture, "a1z a2y a1x", 0, 0);
    TEST_CASE("while its target is busy");
    add_keys(&fixture, "a1z", QUEUE_NORMAL);
    struct fixture_key *raised = add_key(&fixture, "a2z", QUEUE_LOW);
    check_taken(&fixture, "", 0, 2);
    queue_turns_raise(&raised->turn, QUEUE_NORMAL + 1);
    end_key(&fixture, last);
    check_taken(&fixture, "a2z", 0, 1);
}

TEST(a_target_is_given_so_many_at_a_time)
{
    SCOPED(turns_fixture) fixture;
    turns_fixture_init(&fixture, 0, 2);
    add_keys(&fixture, "a1x a2x a3x a4x a5y b1x", QUEUE_NORMAL);
    check_taken(&fixture, "a1x b1x a2x a5y", 0, 2);
    TEST_CASE("the first that waits gets the place, and nobody before it");
    end_key(&fixture, &fixture.keys[0]);
    add_keys(&fixture, "a6x", QUEUE_NORMAL + 1);
    CHECK_EQ(queue_turns_ready(&fixture.turns), (size_t)2);
    check_taken(&fixture, "a3x", 0, 2);
    TEST_CASE("then by priority");
    end_key(&fixture, &fixture.keys[1]);
    check_taken(&fixture, "a6x", 0, 1);
    end_key(&fixture, &fixture.keys[2]);
    check_taken(&fixture, "a4x", 0, 0);
}

/* 32 workers: two are kept, and a tenant that holds none gets one of them. */
TEST(no_tenant_takes_the_last_workers)
{
    SCOPED(turns_fixture) fixture;
    turns_fixture_init(&fixture, 32, 0);
    for (size_t i = 0; i < 100; i++)
        add_key(&fixture, "a1", QUEUE_NORMAL);
    for (size_t i = 0; i < 30; i++)
        CHECK(take_key(&fixture) != NULL);
    check_taken(&fixture, "", 70, 0);
    add_keys(&fixture, "b1 b1 c1", QUEUE_NORMAL);
    check_taken(&fixture, "b1 c1", 71, 0);
    TEST_CASE("and goes on when it holds fewer");
    end_key(&fixture, &fixture.keys[0]);
    end_key(&fixture, &fixture.keys[1]);
    end_key(&fixture, &fixture.keys[2]);
    check_taken(&fixture, "a1", 70, 0);
}

/* One tenant alone gets as many workers as were asked for, beside those that are kept. */
TEST(workers_are_enough_for_one_tenant)
{
    for (size_t wanted = 1; wanted <= 300; wanted += wanted / 3 + 1) {
        TEST_CASE("%zu", wanted);
        SCOPED(turns_fixture) fixture;
        const size_t workers = queue_turns_workers_for(wanted);
        turns_fixture_init(&fixture, workers, 0);
        for (size_t i = 0; i < wanted; i++)
            add_key(&fixture, "a1", QUEUE_NORMAL);
        for (size_t i = 0; i < wanted; i++)
            CHECK(take_key(&fixture) != NULL);
        CHECK(workers <= wanted + wanted / 8 + 1);
    }
}

/* However many keys the others have, the next one to be taken is the other tenant's. */
TEST(a_flood_of_keys_delays_another_tenant_by_one_key)
{
    SCOPED(turns_fixture) fixture;
    turns_fixture_init(&fixture, 1024, 2);
    for (size_t i = 0; i < KEYS - 1; i++) {
        const char name[] = {'a', (char)('0' + i % 10), (char)('A' + i % 60), '\0'};
        add_key(&fixture, name, QUEUE_NORMAL);
    }
    struct fixture_key *first = take_key(&fixture);
    add_key(&fixture, "b1x", QUEUE_LOW);
    CHECK(first != NULL);
    CHECK(take_key(&fixture) != NULL);
    buf_clear(&fixture.taken);
    CHECK(take_key(&fixture) != NULL);
    CHECK_EQ(buf_str(&fixture.taken), STR("b1x"));
}

static void check_limits(const struct turns_fixture *fixture, size_t workers, size_t target_max)
{
    size_t held = 0, at[128] = {0};
    for (size_t i = 0; i < fixture->count; i++) {
        const struct fixture_key *key = &fixture->keys[i];
        held += key->is_held;
        if (key->is_held && key->name[2])
            CHECK(++at[((key->name[0] - 'a') * 10 + key->name[2] - 'x')] <= target_max);
    }
    CHECK(held <= workers);
}

/* With any order of adding, taking and ending every key is taken, once, within the limits. */
TEST(every_key_gets_its_turn)
{
    for (uint64_t seed = 1; seed <= 50; seed++) {
        TEST_CASE("seed %llu", (unsigned long long)seed);
        struct random random;
        random_init(&random, seed);
        SCOPED(turns_fixture) fixture;
        turns_fixture_init(&fixture, 16, 2);
        for (size_t held = 0; fixture.count < KEYS || held || fixture.turns.waiting;) {
            if (fixture.count < KEYS && random_below(&random, 2)) {
                const char name[] = {
                    (char)('a' + random_below(&random, 3)), (char)('1' + random_below(&random, 3)),
                    (char)(random_below(&random, 4) ? 'x' + random_below(&random, 3) : 0), '\0'};
                add_key(&fixture, name, (int)random_below(&random, 2) * 100 - 100);
            }
            if (held < 16 && take_key(&fixture))
                held++;
            check_limits(&fixture, 16, 2);
            struct fixture_key *key =
                &fixture.keys[random_below(&random, fixture.count + 1) % KEYS];
            if (key->is_held) {
                end_key(&fixture, key);
                held--;
            }
        }
        CHECK_EQ(map_count(&fixture.turns.tenants), (size_t)0);
    }
}
