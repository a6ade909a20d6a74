#include "apiserver/storage/store_hold.h"

#include "apiserver/storage/store_fixture_test.h"

#define ITEMS 40

/* A list of all objects, as a reader holds it. */
struct held_list {
    struct object_text *items[ITEMS];
    struct store_hold hold;
};

static void held_list_done(struct held_list *list)
{
    store_hold_end(&list->hold);
    for (size_t i = 0; i < list->hold.count; i++)
        object_text_free(list->items[i]);
}

static bool add_item(void *data, struct key key, struct object_text *text)
{
    struct held_list *list = data;
    (void)key;
    list->items[list->hold.count++] = object_text_ref(text);
    return true;
}

static void collect(struct store *store, struct held_list *list)
{
    struct store_page page;
    const struct store_range range = {.resource = STR("configmaps")};
    *list = (struct held_list){.hold.count = 0};
    CHECK_OK(store_scan(store, &range, add_item, list, &page));
    list->hold.items = list->items;
    list->hold.revision = page.revision;
    store_hold_begin(store, STR("configmaps"), &list->hold);
}

/* Writes all objects anew, a kilobyte each. */
static void rewrite(struct store *store, int64_t value)
{
    for (size_t i = 0; i < ITEMS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "n%zu", i);
        struct sample sample = {
            {STR("a"), str_from_c(name)},
            value, KILOBYTE
        };
        CHECK_OK(sample_store(store, sample_id(sample.key), STORE_ANY, &sample, NULL));
    }
}

static size_t left_in(const struct held_list *list)
{
    size_t left = 0;
    for (size_t i = 0; i < list->hold.count; i++)
        left += list->items[i] != NULL;
    return left;
}

static struct store *small_history(size_t bytes)
{
    return store_new(loop_current(), &(struct store_options){.history_bytes = bytes,
                                                             .history_events = 1000,
                                                             .history_age = HOUR});
}

SIM_TEST(store_hold_keeps_what_the_history_reaches)
{
    OWNED(store) store = small_history(MEGABYTE);
    rewrite(store, 1);
    SCOPED(held_list) list;
    collect(store, &list);
    for (int64_t value = 2; value < 10; value++)
        rewrite(store, value);
    CHECK_OK(fiber_sleep(SECOND));
    for (size_t i = 0; i < ITEMS; i++) {
        OWNED(object_text) text = NULL;
        size_t size = 0;
        CHECK_OK(store_hold_size(&list.hold, i, &size));
        CHECK_OK(store_hold_take(&list.hold, i, &text));
        CHECK_EQ(sample_value(text), 1);
        CHECK_EQ(size, object_text_size(text));
    }
    CHECK_EQ(left_in(&list), (size_t)0);
}

/* However many readers there are, and however often everything is replaced under them. */
SIM_TEST(store_hold_of_slow_readers_keeps_no_more_than_the_history)
{
    static struct held_list lists[20];
    OWNED(store) store = small_history(20 * KILOBYTE);
    rewrite(store, 0);
    for (size_t i = 0; i < COUNT(lists); i++) {
        collect(store, &lists[i]);
        rewrite(store, (int64_t)i + 1);
    }
    CHECK_OK(fiber_sleep(SECOND));
    size_t left = 0;
    for (size_t i = 0; i < COUNT(lists); i++) {
        OWNED(object_text) text = NULL;
        size_t size;
        left += left_in(&lists[i]);
        CHECK_ERROR(store_hold_take(&lists[i].hold, 0, &text), ERROR_EXPIRED);
        CHECK_ERROR(store_hold_ref(&lists[i].hold, 0, &text), ERROR_EXPIRED);
        CHECK_ERROR(store_hold_size(&lists[i].hold, 0, &size), ERROR_EXPIRED);
        held_list_done(&lists[i]);
    }
    CHECK_EQ(left, (size_t)0);
}

/* A hold that comes too late, one that ends while it is released, and one of another resource. */
SIM_TEST(store_hold_may_begin_late_and_end_early)
{
    OWNED(store) store = small_history(20 * KILOBYTE);
    rewrite(store, 1);
    struct held_list late, early;
    collect(store, &late);
    store_hold_end(&late.hold);
    collect(store, &early);
    SCOPED(held_list) other;
    collect(store, &other);
    store_hold_end(&other.hold);
    store_hold_begin(store, STR("secrets"), &other.hold);
    rewrite(store, 2);
    CHECK_ERROR(store_hold_take(&early.hold, 0, &(struct object_text *){NULL}), ERROR_EXPIRED);
    held_list_done(&early);
    store_hold_begin(store, STR("configmaps"), &late.hold);
    CHECK_ERROR(store_hold_take(&late.hold, 0, &(struct object_text *){NULL}), ERROR_EXPIRED);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK_EQ(left_in(&late), (size_t)0);
    CHECK_EQ(left_in(&other), (size_t)ITEMS);
    held_list_done(&late);
}
