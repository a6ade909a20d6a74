/* The binding_store against the embedded server: turns, conflicts, lost answers, caches that are
 * late. */
#include "clusterresourceset/binding_store.h"

#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "client/client.h"
#include "clusterresourceset/types/binding.h"
#include "controller/cache/cache.h"
#include "scenarios/clusterresourceset/crs_rig.h"

#define WRITERS_MAX 24
#define C1          ((struct key){STR("ns"), STR("c1")})
#define PATCH       "PATCH " CRS_RIG_BINDING
#define CREATE      "POST " CRS_RIG_BINDINGS
#define FOREIGN_ENTRY \
    "{\"metadata\":{\"labels\":{\"by\":\"x\"}},\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"foreign\"}]}}"
#define FOREIGN                                                                                   \
    "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSetBinding\"," \
    "\"metadata\":{\"name\":\"c1\"},\"spec\":{\"clusterName\":\"c1\",\"bindings\":[{"             \
    "\"clusterResourceSetName\":\"foreign\"}]}}"

/* A set that exists, because those that do not are collected with what they own. */
struct writer {
    char set[32], uid[64];
};

struct books {
    struct crs_rig rig;
    struct writer writers[WRITERS_MAX];
    struct client *client;
    struct cache_set *caches;
    struct cache *bindings;
    struct binding_store *binding_store;
    const char *trigger, *method, *body; /* done directly, once, before such a request */
};

static void interfere(struct proxy *proxy, struct str method, struct str target)
{
    struct books *books = proxy->data;
    const char *trigger = books->trigger;
    if (!trigger || !str_eq(method, str_from_c(trigger)) ||
        !str_contains(target, STR("clusterresourcesetbindings")))
        return;
    books->trigger = NULL;
    crs_rig_do(&books->rig, books->method, CRS_RIG_BINDING, books->body);
}

static void books_init(struct books *books)
{
    *books = (struct books){0};
    crs_rig_init(&books->rig);
    books->client = client_new(loop_current(), &(struct client_options){
                                                   .config = &books->rig.config,
                                                   .network = books->rig.desk.network,
                                                   .qps = -1,
                                               });
    books->caches = cache_set_new(loop_current(), books->client);
    books->bindings = cache_set_get(
        books->caches, &(struct cache_options){.gvr = GVR_CLUSTER_RESOURCE_SET_BINDINGS});
    CHECK_OK(cache_wait_synced(books->bindings));
    books->binding_store = binding_store_new(loop_current(), books->client, books->bindings);
    books->rig.management.on_request = interfere;
    books->rig.management.data = books;
    crs_rig_forget(&books->rig);
}

static void books_done(struct books *books)
{
    binding_store_free(books->binding_store);
    cache_set_free(books->caches);
    client_free(books->client);
    crs_rig_done(&books->rig);
}

static struct writer *find_writer(struct books *books, const char *set)
{
    SCOPED(buf) target = {.limit = 0};
    size_t i = 0;
    while (books->writers[i].set[0] && strcmp(books->writers[i].set, set) != 0)
        i++;
    CHECK(i < WRITERS_MAX - 1);
    struct writer *writer = &books->writers[i];
    if (writer->set[0])
        return writer;
    crs_rig_set(&books->rig, set, "ApplyOnce", "ConfigMap/cm1");
    buf_print(&target, CRS_RIG_SETS "/%s", set);
    const struct str uid = crs_rig_look(&books->rig, buf_c(&target), "metadata.uid");
    snprintf(writer->set, sizeof(writer->set), "%s", set);
    snprintf(writer->uid, sizeof(writer->uid), "%.*s", STR_ARG(uid));
    return writer;
}

static struct owner_reference own(const struct writer *writer)
{
    return crs_owner_reference(str_from_c(writer->set), str_from_c(writer->uid));
}

static struct error *record(void *data, struct object *binding, struct object **ret_binding)
{
    return binding_record(binding, &(struct binding_change){.owner = own(data)}, ret_binding);
}

static struct error *forget(void *data, struct object *binding, struct object **ret_binding)
{
    return binding_forget(binding, own(data), ret_binding);
}

static void ensure(struct books *books)
{
    OWNED(object) binding = NULL;
    CHECK_OK(
        binding_store_ensure(books->binding_store, C1, own(find_writer(books, "crs1")), &binding));
    CHECK_EQ(object_name(binding), STR("c1"));
}

static void write_down(struct books *books, const char *set)
{
    CHECK_OK(binding_store_change(books->binding_store, C1, record, find_writer(books, set)));
}

static bool is_known(struct books *books, const char *set)
{
    OWNED(object) binding = binding_store_find(books->binding_store, C1);
    return binding_has_entry(binding, str_from_c(set));
}

SIM_TEST(ledger_makes_a_binding_once)
{
    SCOPED(books) books;
    books_init(&books);
    CHECK(!binding_store_find(books.binding_store, C1));
    ensure(&books);
    ensure(&books);
    CHECK_EQ(proxy_count(&books.rig.management, CREATE), 1);
    write_down(&books, "crs1");
    write_down(&books, "crs1"); /* as it should be: nothing is sent */
    CHECK_EQ(proxy_count(&books.rig.management, PATCH), 1);
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs1"), STR("none"));
}

SIM_TEST(ledger_knows_what_it_wrote_before_the_cache_does)
{
    SCOPED(books) books;
    SCOPED(arena) arena = {0};
    books_init(&books);
    books.rig.management.holds_watches = true;
    ensure(&books);
    write_down(&books, "crs1");
    CHECK(!cache_get_text(books.bindings, C1));
    CHECK(is_known(&books, "crs1"));
    CHECK_EQ(
        binding_store_version(books.binding_store, C1, &arena),
        arena_str(&arena, crs_rig_look(&books.rig, CRS_RIG_BINDING, "metadata.resourceVersion")));
    write_down(&books, "crs2"); /* upon what it wrote: no conflict, no read */
    CHECK_EQ(proxy_count(&books.rig.management, PATCH), 2);
    CHECK_EQ(proxy_count(&books.rig.management, "GET " CRS_RIG_BINDING), 0);
    books.rig.management.holds_watches = false;
    CHECK_OK(fiber_sleep(SECOND));
    crs_rig_do(&books.rig, "DELETE", CRS_RIG_BINDING, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(!binding_store_find(books.binding_store, C1)); /* what it wrote is not brought up again */
}

SIM_TEST(a_binding_that_others_made_first_is_taken)
{
    SCOPED(books) books;
    books_init(&books);
    books.rig.management.holds_watches = true;
    crs_rig_do(&books.rig, "POST", CRS_RIG_BINDINGS, FOREIGN); /* unknown to the cache */
    ensure(&books);
    CHECK_EQ(proxy_count(&books.rig.management, CREATE), 1);
    write_down(&books, "crs1");
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "foreign"), STR("none"));
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs1"), STR("none"));
    books.rig.management.holds_watches = false;
}

SIM_TEST(a_binding_that_only_the_cache_still_shows_is_made_anew)
{
    SCOPED(books) books;
    books_init(&books);
    ensure(&books);
    write_down(&books, "foreign");
    CHECK_OK(fiber_sleep(SECOND));
    books.rig.management.holds_watches = true;
    crs_rig_do(&books.rig, "DELETE", CRS_RIG_BINDING, NULL);
    CHECK(is_known(&books, "foreign"));
    ensure(&books);
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "foreign"), STR("-"));
    write_down(&books, "crs1");
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs1"), STR("none"));
    books.rig.management.holds_watches = false;
}

struct clerk {
    struct books *books;
    struct writer *writer;
    struct error *err;
    bool withdraws;
};

static struct error *work(void *data)
{
    struct clerk *clerk = data;
    OWNED(object) binding = NULL;
    struct binding_store *binding_store = clerk->books->binding_store;
    if (clerk->withdraws) {
        clerk->err = binding_store_change_or_delete(binding_store, C1, forget, clerk->writer);
        return NULL;
    }
    clerk->err = binding_store_ensure(binding_store, C1, own(clerk->writer), &binding);
    if (!clerk->err)
        clerk->err = binding_store_change(binding_store, C1, record, clerk->writer);
    return NULL;
}

static void run_clerks(struct books *books, struct clerk *clerks, size_t count, bool withdraws)
{
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "set-%zu", i);
        clerks[i] = (struct clerk){
            .books = books, .writer = find_writer(books, name), .withdraws = withdraws};
    }
    for (size_t i = 0; i < count; i++)
        scope_start(&scope, "clerk", work, &clerks[i]);
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < count; i++)
        CHECK_OK(TAKE(clerks[i].err));
}

SIM_TEST(writers_of_one_process_take_turns)
{
    SCOPED(books) books;
    struct clerk clerks[20];
    books_init(&books);
    run_clerks(&books, clerks, COUNT(clerks), false);
    CHECK_EQ(crs_rig_elements(&books.rig, CRS_RIG_BINDING, "spec.bindings"), COUNT(clerks));
    CHECK_EQ(crs_rig_elements(&books.rig, CRS_RIG_BINDING, "metadata.ownerReferences"),
             COUNT(clerks));
    CHECK_EQ(proxy_count(&books.rig.management, PATCH), COUNT(clerks)); /* no conflict */
    CHECK_EQ(proxy_count(&books.rig.management, CREATE), 1);
    run_clerks(&books, clerks, COUNT(clerks), true);
    CHECK(!crs_rig_exists(&books.rig, CRS_RIG_BINDING));
}

SIM_TEST(crs_54_what_others_wrote_meanwhile_is_kept)
{
    SCOPED(books) books;
    books_init(&books);
    ensure(&books);
    books.trigger = "PATCH";
    books.method = "PATCH";
    books.body = FOREIGN_ENTRY;
    const int64_t begun = loop_now(loop_current());
    write_down(&books, "crs1");
    CHECK(crs_rig_seconds_since(begun) < 0.2);
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "foreign"), STR("none"));
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs1"), STR("none"));
    CHECK_EQ(crs_rig_look(&books.rig, CRS_RIG_BINDING, "metadata.labels.by"), STR("x"));
    CHECK_EQ(proxy_count(&books.rig.management, PATCH), 2);
}

SIM_TEST(who_is_late_again_and_again_is_told)
{
    SCOPED(books) books;
    books_init(&books);
    ensure(&books);
    proxy_fail(
        &books.rig.management,
        (struct proxy_fault){.method = "PATCH", .part = "bindings/c1", .times = 5, .status = 409});
    CHECK_ERROR(binding_store_change(books.binding_store, C1, record, find_writer(&books, "crs1")),
                ERROR_CONFLICT);
    CHECK_EQ(proxy_count(&books.rig.management, PATCH), 5);
    write_down(&books, "crs1");
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs1"), STR("none"));
}

SIM_TEST(a_write_whose_answer_is_lost_is_found_done)
{
    SCOPED(books) books;
    books_init(&books);
    books.rig.management.holds_watches = true;
    const struct proxy_fault lost = {
        .part = "clusterresourcesetbindings", .times = 1, .after = true};
    struct proxy_fault create = lost, patch = lost;
    OWNED(object) binding = NULL;
    create.method = "POST";
    patch.method = "PATCH";
    proxy_fail(&books.rig.management, create);
    proxy_fail(&books.rig.management, patch);
    OWNED(error)
    err = binding_store_ensure(books.binding_store, C1, own(find_writer(&books, "crs1")), &binding);
    CHECK(err && !binding);
    CHECK(crs_rig_exists(&books.rig, CRS_RIG_BINDING));
    ensure(&books);
    OWNED(error)
    again = binding_store_change(books.binding_store, C1, record, find_writer(&books, "crs1"));
    CHECK(again);
    write_down(&books, "crs1"); /* a conflict with ourselves: read, and nothing is left to do */
    CHECK_EQ(crs_rig_elements(&books.rig, CRS_RIG_BINDING, "spec.bindings"), 1);
    books.rig.management.holds_watches = false;
}

SIM_TEST(a_change_of_a_binding_that_is_gone_says_so)
{
    SCOPED(books) books;
    books_init(&books);
    CHECK_ERROR(binding_store_change(books.binding_store, C1, record, find_writer(&books, "crs1")),
                ERROR_NOT_FOUND);
    ensure(&books);
    books.rig.management.holds_watches = true;
    crs_rig_do(&books.rig, "DELETE", CRS_RIG_BINDING, NULL);
    CHECK_ERROR(binding_store_change(books.binding_store, C1, record, find_writer(&books, "crs1")),
                ERROR_NOT_FOUND);
    books.rig.management.holds_watches = false;
}

SIM_TEST(crs_49_and_crs_50_a_set_withdraws)
{
    SCOPED(books) books;
    books_init(&books);
    ensure(&books);
    write_down(&books, "crs1");
    write_down(&books, "crs2");
    CHECK_OK(binding_store_change_or_delete(books.binding_store, C1, forget,
                                            find_writer(&books, "crs1")));
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs1"), STR("-"));
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs2"), STR("none"));
    CHECK_EQ(crs_rig_elements(&books.rig, CRS_RIG_BINDING, "metadata.ownerReferences"), 1);
    CHECK_OK(binding_store_change_or_delete(books.binding_store, C1, forget,
                                            find_writer(&books, "crs2")));
    CHECK(!crs_rig_exists(&books.rig, CRS_RIG_BINDING));
    CHECK_OK(binding_store_change_or_delete(books.binding_store, C1, forget,
                                            find_writer(&books, "crs2")));
}

SIM_TEST(the_last_one_to_withdraw_spares_who_has_just_come)
{
    SCOPED(books) books;
    books_init(&books);
    ensure(&books);
    write_down(&books, "crs1");
    books.trigger = "DELETE";
    books.method = "PATCH";
    books.body = FOREIGN_ENTRY;
    CHECK_OK(binding_store_change_or_delete(books.binding_store, C1, forget,
                                            find_writer(&books, "crs1")));
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "foreign"), STR("none"));
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs1"), STR("-"));
    CHECK_EQ(crs_rig_elements(&books.rig, CRS_RIG_BINDING, "metadata.ownerReferences"), 0);
}

SIM_TEST(who_is_not_in_a_binding_leaves_it_alone)
{
    SCOPED(books) books;
    books_init(&books);
    ensure(&books); /* by crs1, whose entry follows later */
    CHECK_OK(binding_store_change_or_delete(books.binding_store, C1, forget,
                                            find_writer(&books, "crs2")));
    CHECK(crs_rig_exists(&books.rig, CRS_RIG_BINDING));
}

SIM_TEST(who_is_cancelled_finishes_a_write_and_gives_up_a_turn)
{
    SCOPED(books) books;
    SCOPED(scope) first = {0};
    SCOPED(scope) second = {0};
    books_init(&books);
    struct clerk clerks[] = {
        {.books = &books, .writer = find_writer(&books, "crs1")},
        {.books = &books, .writer = find_writer(&books, "crs2")}
    };
    ensure(&books);
    CHECK_OK(fiber_sleep(SECOND));
    sim_network_set_faults(books.rig.desk.network, STR("management.test"),
                           &(struct sim_faults){.latency = 100 * MILLISECOND});
    scope_start(&first, "clerk", work, &clerks[0]);
    CHECK_OK(fiber_sleep(260 * MILLISECOND)); /* read, and now writing */
    scope_start(&second, "clerk", work, &clerks[1]);
    CHECK_OK(fiber_sleep(20 * MILLISECOND));
    scope_cancel(&second);
    scope_cancel(&first);
    CHECK_OK(scope_wait(&second));
    CHECK_OK(scope_wait(&first));
    CHECK_OK(TAKE(clerks[0].err));
    CHECK_ERROR(TAKE(clerks[1].err), ERROR_CANCELED);
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs1"), STR("none"));
    CHECK_EQ(crs_rig_entry(&books.rig, "c1", "crs2"), STR("-"));
    write_down(&books, "crs3"); /* the turn is free */
}
