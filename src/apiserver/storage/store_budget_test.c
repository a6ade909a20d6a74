#include "apiserver/storage/store_budget.h"

#include "apiserver/storage/store_place_test.h"

#define A     KEY("ns", "a")
#define LIMIT (20 * (int64_t)KILOBYTE)

static struct error *put_padded(struct store *store, struct key key, size_t padding,
                                int64_t expected)
{
    struct sample sample = {key, 1, padding};
    return sample_store(store, sample_id(key), expected, &sample, NULL);
}

TEST(store_budgets_add_up)
{
    struct store_budget whole = {.limit = 100};
    struct store_budget parts[] = {
        {.parent = &whole, .limit = 80},
        {.parent = &whole               },
    };
    CHECK(store_budget_allows(&parts[0], 80));
    CHECK(!store_budget_allows(&parts[0], 81));
    CHECK(store_budget_allows(&parts[1], 100));
    store_budget_add(&parts[1], 60);
    CHECK_EQ(whole.used, (int64_t)60);
    CHECK(store_budget_allows(&parts[0], 40));
    CHECK(!store_budget_allows(&parts[0], 41));
    store_budget_add(&parts[1], -60);
    CHECK(store_budget_allows(&parts[0], 80));
}

/* Growing is refused, changing and deleting are not. */
SIM_TEST(store_holds_no_more_than_its_limit)
{
    struct store_budget whole = {0};
    struct store *store =
        store_new(loop_current(), &(struct store_options){.limit = LIMIT, .budget = &whole});
    int count = 0;
    struct error *err;
    for (;; count++) {
        char name[32];
        snprintf(name, sizeof(name), "n%d", count);
        err = put_padded(store, (struct key){STR("ns"), str_from_c(name)}, 4000, STORE_NEW);
        if (err)
            break;
    }
    CHECK_EQ(count, 4);
    CHECK_EQ(err->http_status, 500);
    CHECK_FAILS(err, ERROR_UNKNOWN, "etcdserver: mvcc: database space exceeded");
    CHECK_EQ(whole.used, store->budget.used);
    CHECK(whole.used > 16000 && whole.used <= LIMIT);
    CHECK_OK(put_padded(store, KEY("ns", "n0"), 4000, STORE_ANY));
    CHECK_OK(put_padded(store, KEY("ns", "n0"), 100, STORE_ANY));
    CHECK_OK(put_padded(store, KEY("ns", "n0"), 4000, STORE_ANY));
    CHECK_FAILS(put_padded(store, KEY("ns", "n0"), 9000, STORE_ANY), ERROR_UNKNOWN, "exceeded");
    CHECK_OK(sample_delete(store, KEY("ns", "n1"), STORE_ANY));
    CHECK_OK(put_padded(store, A, 4000, STORE_NEW));
    for (int i = 0; i < 4; i++) {
        const struct key keys[] = {KEY("ns", "n0"), KEY("ns", "n2"), KEY("ns", "n3"), A};
        CHECK_OK(sample_delete(store, keys[i], STORE_ANY));
    }
    CHECK_EQ(whole.used, (int64_t)0);
    store_free(store);
}

struct grower {
    struct store *store;
    int number, refused;
};

static struct error *grower_run(void *data)
{
    struct grower *grower = data;
    char name[32];
    snprintf(name, sizeof(name), "g%d", grower->number);
    OWNED(error)
    err = put_padded(grower->store, (struct key){STR("ns"), str_from_c(name)}, 4000, STORE_NEW);
    grower->refused = err != NULL;
    return NULL;
}

/* What is accepted counts before it is durable. What is loaded counts, too. */
LOOP_TEST(store_counts_writes_that_are_under_way)
{
    SCOPED(place) place = {0};
    place_init(&place);
    struct store_budget whole = {.limit = LIMIT};
    const struct store_options options = {.path = place.path, .budget = &whole};
    struct store *store = NULL;
    CHECK_OK(store_open(loop_current(), &options, &store));
    struct grower growers[10];
    {
        SCOPED(scope) scope = {0};
        for (int i = 0; i < 10; i++) {
            growers[i] = (struct grower){store, i, 0};
            scope_start(&scope, "grower", grower_run, &growers[i]);
        }
        CHECK_OK(scope_wait(&scope));
    }
    int refused = 0;
    for (int i = 0; i < 10; i++)
        refused += growers[i].refused;
    CHECK_EQ(refused, 6);
    const int64_t used = whole.used;
    store_free(store);
    CHECK_EQ(whole.used, (int64_t)0);
    CHECK_OK(store_open(loop_current(), &options, &store));
    CHECK_EQ(whole.used, used);
    CHECK_FAILS(put_padded(store, A, 4000, STORE_NEW), ERROR_UNKNOWN, "exceeded");
    CHECK_OK(sample_delete(store, KEY("ns", "g0"), STORE_ANY));
    store_free(store);
}
