/* The binding store against the embedded server: turns, conflicts, lost answers, late caches. */
#include "clusterresourceset/binding_store.h"

#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "client/client.h"
#include "clusterresourceset/types/binding.h"
#include "controller/cache/cache.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define WRITERS_MAX 24
#define C1          ((struct key){STR("ns"), STR("c1")})
#define PATCH       "PATCH " CRS_FIXTURE_BINDING
#define CREATE      "POST " CRS_FIXTURE_BINDINGS
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

struct binding_store_fixture {
    struct crs_fixture crs;
    struct writer writers[WRITERS_MAX];
    struct client *client;
    struct cache_set *caches;
    struct cache *bindings;
    struct binding_store *binding_store;
    const char *trigger, *method, *body; /* done directly, once, before such a request */
};

static void interfere(struct proxy *proxy, struct str method, struct str target)
{
    struct binding_store_fixture *fixture = proxy->data;
    const char *trigger = fixture->trigger;
    if (!trigger || !str_eq(method, str_from_c(trigger)) ||
        !str_contains(target, STR("clusterresourcesetbindings")))
        return;
    fixture->trigger = NULL;
    crs_fixture_do(&fixture->crs, fixture->method, CRS_FIXTURE_BINDING, fixture->body);
}

static void binding_store_fixture_init(struct binding_store_fixture *fixture)
{
    *fixture = (struct binding_store_fixture){0};
    crs_fixture_init(&fixture->crs);
    fixture->client = client_new(loop_current(), &(struct client_options){
                                                     .config = &fixture->crs.config,
                                                     .network = fixture->crs.apiserver.network,
                                                     .qps = -1,
                                                 });
    fixture->caches = cache_set_new(loop_current(), fixture->client);
    fixture->bindings = cache_set_get(
        fixture->caches, &(struct cache_options){.gvr = GVR_CLUSTER_RESOURCE_SET_BINDINGS});
    CHECK_OK(cache_wait_synced(fixture->bindings));
    fixture->binding_store = binding_store_new(loop_current(), fixture->client, fixture->bindings);
    fixture->crs.management.on_request = interfere;
    fixture->crs.management.data = fixture;
    crs_fixture_forget(&fixture->crs);
}

static void binding_store_fixture_done(struct binding_store_fixture *fixture)
{
    binding_store_free(fixture->binding_store);
    cache_set_free(fixture->caches);
    client_free(fixture->client);
    crs_fixture_done(&fixture->crs);
}

static struct writer *find_writer(struct binding_store_fixture *fixture, const char *set)
{
    SCOPED(buf) target = {.limit = 0};
    size_t i = 0;
    while (fixture->writers[i].set[0] && strcmp(fixture->writers[i].set, set) != 0)
        i++;
    CHECK(i < WRITERS_MAX - 1);
    struct writer *writer = &fixture->writers[i];
    if (writer->set[0])
        return writer;
    crs_fixture_set(&fixture->crs, set, "ApplyOnce", "ConfigMap/cm1");
    buf_print(&target, CRS_FIXTURE_SETS "/%s", set);
    const struct str uid = crs_fixture_look(&fixture->crs, buf_c(&target), "metadata.uid");
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

static void ensure(struct binding_store_fixture *fixture)
{
    OWNED(object) binding = NULL;
    CHECK_OK(binding_store_ensure(fixture->binding_store, C1, own(find_writer(fixture, "crs1")),
                                  &binding));
    CHECK_EQ(object_name(binding), STR("c1"));
}

static void write_down(struct binding_store_fixture *fixture, const char *set)
{
    CHECK_OK(binding_store_change(fixture->binding_store, C1, record, find_writer(fixture, set)));
}

static bool is_known(struct binding_store_fixture *fixture, const char *set)
{
    OWNED(object) binding = binding_store_find(fixture->binding_store, C1);
    return binding_has_entry(binding, str_from_c(set));
}

SIM_TEST(binding_store_makes_a_binding_once)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    CHECK(!binding_store_find(fixture.binding_store, C1));
    ensure(&fixture);
    ensure(&fixture);
    CHECK_EQ(proxy_count(&fixture.crs.management, CREATE), 1);
    write_down(&fixture, "crs1");
    write_down(&fixture, "crs1"); /* as it should be: nothing is sent */
    CHECK_EQ(proxy_count(&fixture.crs.management, PATCH), 1);
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs1"), STR("none"));
}

SIM_TEST(binding_store_knows_what_it_wrote_before_the_cache_does)
{
    SCOPED(binding_store_fixture) fixture;
    SCOPED(arena) arena = {0};
    binding_store_fixture_init(&fixture);
    fixture.crs.management.holds_watches = true;
    ensure(&fixture);
    write_down(&fixture, "crs1");
    CHECK(!cache_get_text(fixture.bindings, C1));
    CHECK(is_known(&fixture, "crs1"));
    CHECK_EQ(binding_store_version(fixture.binding_store, C1, &arena),
             arena_str(&arena, crs_fixture_look(&fixture.crs, CRS_FIXTURE_BINDING,
                                                "metadata.resourceVersion")));
    write_down(&fixture, "crs2"); /* upon what it wrote: no conflict, no read */
    CHECK_EQ(proxy_count(&fixture.crs.management, PATCH), 2);
    CHECK_EQ(proxy_count(&fixture.crs.management, "GET " CRS_FIXTURE_BINDING), 0);
    fixture.crs.management.holds_watches = false;
    CHECK_OK(fiber_sleep(SECOND));
    crs_fixture_do(&fixture.crs, "DELETE", CRS_FIXTURE_BINDING, NULL);
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(
        !binding_store_find(fixture.binding_store, C1)); /* what it wrote is not brought up again */
}

SIM_TEST(a_binding_that_others_made_first_is_taken)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    fixture.crs.management.holds_watches = true;
    crs_fixture_do(&fixture.crs, "POST", CRS_FIXTURE_BINDINGS, FOREIGN); /* unknown to the cache */
    ensure(&fixture);
    CHECK_EQ(proxy_count(&fixture.crs.management, CREATE), 1);
    write_down(&fixture, "crs1");
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "foreign"), STR("none"));
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs1"), STR("none"));
    fixture.crs.management.holds_watches = false;
}

SIM_TEST(a_binding_that_only_the_cache_still_shows_is_made_anew)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    ensure(&fixture);
    write_down(&fixture, "foreign");
    CHECK_OK(fiber_sleep(SECOND));
    fixture.crs.management.holds_watches = true;
    crs_fixture_do(&fixture.crs, "DELETE", CRS_FIXTURE_BINDING, NULL);
    CHECK(is_known(&fixture, "foreign"));
    ensure(&fixture);
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "foreign"), STR("-"));
    write_down(&fixture, "crs1");
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs1"), STR("none"));
    fixture.crs.management.holds_watches = false;
}

struct call {
    struct binding_store_fixture *fixture;
    struct writer *writer;
    struct error *err;
    bool withdraws;
};

static struct error *work(void *data)
{
    struct call *call = data;
    OWNED(object) binding = NULL;
    struct binding_store *binding_store = call->fixture->binding_store;
    if (call->withdraws) {
        call->err = binding_store_change_or_delete(binding_store, C1, forget, call->writer);
        return NULL;
    }
    call->err = binding_store_ensure(binding_store, C1, own(call->writer), &binding);
    if (!call->err)
        call->err = binding_store_change(binding_store, C1, record, call->writer);
    return NULL;
}

static void run_calls(struct binding_store_fixture *fixture, struct call *calls, size_t count,
                      bool withdraws)
{
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "set-%zu", i);
        calls[i] = (struct call){
            .fixture = fixture, .writer = find_writer(fixture, name), .withdraws = withdraws};
    }
    for (size_t i = 0; i < count; i++)
        scope_start(&scope, "call", work, &calls[i]);
    CHECK_OK(scope_wait(&scope));
    for (size_t i = 0; i < count; i++)
        CHECK_OK(TAKE(calls[i].err));
}

SIM_TEST(writers_of_one_process_take_turns)
{
    SCOPED(binding_store_fixture) fixture;
    struct call calls[20];
    binding_store_fixture_init(&fixture);
    run_calls(&fixture, calls, COUNT(calls), false);
    CHECK_EQ(crs_fixture_elements(&fixture.crs, CRS_FIXTURE_BINDING, "spec.bindings"),
             COUNT(calls));
    CHECK_EQ(crs_fixture_elements(&fixture.crs, CRS_FIXTURE_BINDING, "metadata.ownerReferences"),
             COUNT(calls));
    CHECK_EQ(proxy_count(&fixture.crs.management, PATCH), COUNT(calls)); /* no conflict */
    CHECK_EQ(proxy_count(&fixture.crs.management, CREATE), 1);
    run_calls(&fixture, calls, COUNT(calls), true);
    CHECK(!crs_fixture_exists(&fixture.crs, CRS_FIXTURE_BINDING));
}

SIM_TEST(crs_54_what_others_wrote_meanwhile_is_kept)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    ensure(&fixture);
    fixture.trigger = "PATCH";
    fixture.method = "PATCH";
    fixture.body = FOREIGN_ENTRY;
    const int64_t begun = loop_now(loop_current());
    write_down(&fixture, "crs1");
    CHECK(crs_fixture_seconds_since(begun) < 0.2);
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "foreign"), STR("none"));
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs1"), STR("none"));
    CHECK_EQ(crs_fixture_look(&fixture.crs, CRS_FIXTURE_BINDING, "metadata.labels.by"), STR("x"));
    CHECK_EQ(proxy_count(&fixture.crs.management, PATCH), 2);
}

SIM_TEST(who_is_late_again_and_again_is_told)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    ensure(&fixture);
    proxy_fail(
        &fixture.crs.management,
        (struct proxy_fault){.method = "PATCH", .part = "bindings/c1", .times = 5, .status = 409});
    CHECK_ERROR(
        binding_store_change(fixture.binding_store, C1, record, find_writer(&fixture, "crs1")),
        ERROR_CONFLICT);
    CHECK_EQ(proxy_count(&fixture.crs.management, PATCH), 5);
    write_down(&fixture, "crs1");
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs1"), STR("none"));
}

SIM_TEST(a_write_whose_answer_is_lost_is_found_done)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    fixture.crs.management.holds_watches = true;
    const struct proxy_fault lost = {
        .part = "clusterresourcesetbindings", .times = 1, .after = true};
    struct proxy_fault create = lost, patch = lost;
    OWNED(object) binding = NULL;
    create.method = "POST";
    patch.method = "PATCH";
    proxy_fail(&fixture.crs.management, create);
    proxy_fail(&fixture.crs.management, patch);
    OWNED(error)
    err = binding_store_ensure(fixture.binding_store, C1, own(find_writer(&fixture, "crs1")),
                               &binding);
    CHECK(err && !binding);
    CHECK(crs_fixture_exists(&fixture.crs, CRS_FIXTURE_BINDING));
    ensure(&fixture);
    OWNED(error)
    again = binding_store_change(fixture.binding_store, C1, record, find_writer(&fixture, "crs1"));
    CHECK(again);
    write_down(&fixture, "crs1"); /* a conflict with ourselves: read, and nothing is left to do */
    CHECK_EQ(crs_fixture_elements(&fixture.crs, CRS_FIXTURE_BINDING, "spec.bindings"), 1);
    fixture.crs.management.holds_watches = false;
}

SIM_TEST(a_change_of_a_binding_that_is_gone_says_so)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    CHECK_ERROR(
        binding_store_change(fixture.binding_store, C1, record, find_writer(&fixture, "crs1")),
        ERROR_NOT_FOUND);
    ensure(&fixture);
    fixture.crs.management.holds_watches = true;
    crs_fixture_do(&fixture.crs, "DELETE", CRS_FIXTURE_BINDING, NULL);
    CHECK_ERROR(
        binding_store_change(fixture.binding_store, C1, record, find_writer(&fixture, "crs1")),
        ERROR_NOT_FOUND);
    fixture.crs.management.holds_watches = false;
}

SIM_TEST(crs_49_and_crs_50_a_set_withdraws)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    ensure(&fixture);
    write_down(&fixture, "crs1");
    write_down(&fixture, "crs2");
    CHECK_OK(binding_store_change_or_delete(fixture.binding_store, C1, forget,
                                            find_writer(&fixture, "crs1")));
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs1"), STR("-"));
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs2"), STR("none"));
    CHECK_EQ(crs_fixture_elements(&fixture.crs, CRS_FIXTURE_BINDING, "metadata.ownerReferences"),
             1);
    CHECK_OK(binding_store_change_or_delete(fixture.binding_store, C1, forget,
                                            find_writer(&fixture, "crs2")));
    CHECK(!crs_fixture_exists(&fixture.crs, CRS_FIXTURE_BINDING));
    CHECK_OK(binding_store_change_or_delete(fixture.binding_store, C1, forget,
                                            find_writer(&fixture, "crs2")));
}

SIM_TEST(the_last_one_to_withdraw_spares_who_has_just_come)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    ensure(&fixture);
    write_down(&fixture, "crs1");
    fixture.trigger = "DELETE";
    fixture.method = "PATCH";
    fixture.body = FOREIGN_ENTRY;
    CHECK_OK(binding_store_change_or_delete(fixture.binding_store, C1, forget,
                                            find_writer(&fixture, "crs1")));
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "foreign"), STR("none"));
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs1"), STR("-"));
    CHECK_EQ(crs_fixture_elements(&fixture.crs, CRS_FIXTURE_BINDING, "metadata.ownerReferences"),
             0);
}

SIM_TEST(who_is_not_in_a_binding_leaves_it_alone)
{
    SCOPED(binding_store_fixture) fixture;
    binding_store_fixture_init(&fixture);
    ensure(&fixture); /* by crs1, whose entry follows later */
    CHECK_OK(binding_store_change_or_delete(fixture.binding_store, C1, forget,
                                            find_writer(&fixture, "crs2")));
    CHECK(crs_fixture_exists(&fixture.crs, CRS_FIXTURE_BINDING));
}

SIM_TEST(who_is_cancelled_finishes_a_write_and_gives_up_a_turn)
{
    SCOPED(binding_store_fixture) fixture;
    SCOPED(scope) first = {0};
    SCOPED(scope) second = {0};
    binding_store_fixture_init(&fixture);
    struct call calls[] = {
        {.fixture = &fixture, .writer = find_writer(&fixture, "crs1")},
        {.fixture = &fixture, .writer = find_writer(&fixture, "crs2")}
    };
    ensure(&fixture);
    CHECK_OK(fiber_sleep(SECOND));
    sim_network_set_faults(fixture.crs.apiserver.network, STR("management.test"),
                           &(struct sim_faults){.latency = 100 * MILLISECOND});
    scope_start(&first, "call", work, &calls[0]);
    CHECK_OK(fiber_sleep(260 * MILLISECOND)); /* read, and now writing */
    scope_start(&second, "call", work, &calls[1]);
    CHECK_OK(fiber_sleep(20 * MILLISECOND));
    scope_cancel(&second);
    scope_cancel(&first);
    CHECK_OK(scope_wait(&second));
    CHECK_OK(scope_wait(&first));
    CHECK_OK(TAKE(calls[0].err));
    CHECK_ERROR(TAKE(calls[1].err), ERROR_CANCELED);
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs1"), STR("none"));
    CHECK_EQ(crs_fixture_entry(&fixture.crs, "c1", "crs2"), STR("-"));
    write_down(&fixture, "crs3"); /* the turn is free */
}
