#include "apiserver/storage/store_fixture_test.h"
#include "base/random.h"

static const struct store_options defaults;

/* Collects "namespace/name=value " of every visit; stops itself after so many. */
struct seen {
    struct buf text;
    size_t stop_after, visits;
};

static void seen_done(struct seen *seen)
{
    buf_done(&seen->text);
}

static bool see(void *data, struct key key, struct object_text *text)
{
    struct seen *seen = data;
    key_write(&seen->text, key);
    buf_print(&seen->text, "=%" PRId64 " ", sample_value(text));
    return ++seen->visits != seen->stop_after;
}

static void fill(struct store *store)
{
    const struct key keys[] = {KEY("b", "x"), KEY("a-b", "x"), KEY("a", "y"), KEY("a", "x"),
                               KEY("a", "x-y")};
    for (size_t i = 0; i < COUNT(keys); i++)
        CHECK_OK(sample_put(store, keys[i], (int64_t)i, STORE_NEW, NULL));
}

SIM_TEST(store_scan_visits_in_order)
{
    const struct {
        const char *name;
        struct store_range range;
        size_t stop_after;
        const char *seen;
        bool has_more;
        size_t remaining;
    } cases[] = {
        {"everything",
         {.count_remaining = true},
         0,                                                                    "a-b/x=1 a/x=3 a/x-y=4 a/y=2 b/x=0 ",
         false,                                                                                                             0},
        {"a namespace",             {.namespace = STR("a")},                0, "a/x=3 a/x-y=4 a/y=2 ",               false, 0},
        {"a namespace that is not", {.namespace = STR("aa")},               0, "",                                   false, 0},
        {"a page",                  {.limit = 2, .count_remaining = true},  0, "a-b/x=1 a/x=3 ",                     true,  3},
        {"the next",                {.limit = 2, .after = KEY("a", "x")},   0, "a/x-y=4 a/y=2 ",                     true,  0},
        {"the last",                {.limit = 2, .after = KEY("a", "y")},   0, "b/x=0 ",                             false, 0},
        {"just enough",             {.namespace = STR("a"), .limit = 3},    0, "a/x=3 a/x-y=4 a/y=2 ",               false, 0},
        {"the visitor stops",       {.count_remaining = true},              1, "a-b/x=1 ",                           true,  4},
        {"the visitor stops last",  {.namespace = STR("b")},                1, "b/x=0 ",                             false, 0},
        {"across namespaces",       {.limit = 1, .after = KEY("a-b", "x")}, 0, "a/x=3 ",                             true,  0},
        {"after what is gone",      {.after = KEY("a", "w"), .limit = 1},   0, "a/x=3 ",                             true,  0},
        {"after another namespace",
         {.namespace = STR("b"), .after = KEY("a", "x")},
         0,                                                                    "b/x=0 ",
         false,                                                                                                             0},
    };
    OWNED(store) store = store_new(loop_current(), &defaults);
    fill(store);
    for (size_t i = 0; i < COUNT(cases); i++)
        for (int64_t revision = 0; revision <= 6; revision += 6) {
            TEST_CASE("%s at %d", cases[i].name, (int)revision);
            SCOPED(seen) seen = {.stop_after = cases[i].stop_after};
            struct store_range range = cases[i].range;
            range.resource = STR("configmaps");
            range.revision = revision;
            struct store_page page;
            CHECK_OK(store_scan(store, &range, see, &seen, &page));
            CHECK_EQ(buf_str(&seen.text), str_from_c(cases[i].seen));
            CHECK_EQ(page.has_more, cases[i].has_more);
            CHECK_EQ(page.remaining, cases[i].remaining);
            CHECK_EQ(page.revision, 6);
        }
}

SIM_TEST(store_scan_of_nothing)
{
    OWNED(store) store = store_new(loop_current(), &defaults);
    const struct store_range range = {.resource = STR("secrets")};
    struct store_page page;
    SCOPED(seen) seen = {0};
    CHECK_OK(store_scan(store, &range, see, &seen, &page));
    CHECK_EQ(page.revision, 1);
    CHECK(!page.has_more && seen.visits == 0);
}

/* By pages; the zero limit is one page. */
static struct error *scan_at(struct store *store, int64_t revision, size_t limit, struct seen *seen)
{
    char last[64];
    struct store_page page;
    struct store_range range = {
        .resource = STR("configmaps"), .limit = limit, .revision = revision};
    do {
        TRY(store_scan(store, &range, see, seen, &page));
        struct str text = str_trim(buf_str(&seen->text)), key;
        text = str_skip(text, str_find_last_char(text, ' ') + 1);
        str_cut(&text, '=', &key);
        snprintf(last, sizeof(last), "%.*s", STR_ARG(key));
        TRY(key_read(str_from_c(last), &range.after));
    } while (page.has_more);
    return NULL;
}

#define STEPS 300

/* At random: every state that was is found again for as long as the history reaches, by pages. */
SIM_TEST(store_scan_finds_the_past_again)
{
    OWNED(store)
    store =
        store_new(loop_current(), &(struct store_options){.history_events = 100, .history_age = 1});
    static struct seen states[STEPS + 2];
    struct random *random = loop_random(loop_current());
    while (store_revision(store) <= STEPS) {
        char name[16];
        snprintf(name, sizeof(name), "n%d", (int)random_below(random, 20));
        const struct key key = {random_below(random, 2) ? STR("a") : STR("b"), str_from_c(name)};
        if (random_below(random, 3) == 0)
            error_free(sample_delete(store, key, STORE_ANY));
        else
            CHECK_OK(sample_put(store, key, store_revision(store), STORE_ANY, NULL));
        struct seen *state = &states[store_revision(store)];
        if (!state->text.len)
            CHECK_OK(scan_at(store, 0, 0, state));
        CHECK_OK(fiber_sleep(SECOND));
    }
    size_t expired = 0;
    for (int64_t revision = 1; revision <= STEPS + 1; revision++) {
        TEST_CASE("revision %d", (int)revision);
        SCOPED(seen) seen = {0};
        struct error *err = scan_at(store, revision, 1 + (size_t)revision % 7, &seen);
        if (err) {
            CHECK_ERROR(err, ERROR_EXPIRED);
            expired++;
        } else {
            CHECK_EQ(buf_str(&seen.text), buf_str(&states[revision].text));
        }
        seen_done(&states[revision]);
    }
    CHECK_EQ(expired, (size_t)(STEPS - 100));
    SCOPED(seen) seen = {0};
    CHECK_ERROR(scan_at(store, STEPS + 2, 0, &seen), ERROR_TIMEOUT);
}
