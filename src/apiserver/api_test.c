#include "apiserver/api.h"

#include "apiserver/apiserver_fixture_test.h"
#include "apiserver/auth/auth.h"
#include "apiserver/crd/crd_pool.h"
#include "apiserver/gc/gc_internal.h"

/* An API over a store whose commits take a moment. */
struct place {
    struct folder_fixture folder;
    struct crd_pool *pool;
    struct api *api;
};

static void place_init(struct place *place)
{
    *place = (struct place){.pool = crd_pool_new()};
    folder_fixture_init(&place->folder);
    const char *path = folder_fixture_file(&place->folder, "corset.db");
    struct store *store = NULL;
    CHECK_OK(store_open(loop_current(), &(struct store_options){.path = path}, &store));
    const struct api_options options = {
        .loop = loop_current(), .store = store, .pool = place->pool};
    CHECK_OK(api_new(&options, &place->api));
}

static void place_done(struct place *place)
{
    api_free(place->api);
    crd_pool_free(place->pool);
    folder_fixture_done(&place->folder);
}

static const struct store_id orphan_id = {
    STR_INIT("configmaps"), {STR_INIT("default"), STR_INIT("orphan")}
};

#define OWNER(uid)                                                                           \
    "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"owner\"," \
    "\"uid\":\"" uid "\"}],"

static struct error *put_text(void *data, struct store_edit *edit)
{
    SCOPED(buf) text = {.limit = 0};
    const char *parts = data;
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
              "\"default\",\"name\":\"orphan\",\"uid\":\"u1\",%s\"resourceVersion\":\"%lld\"}}",
              parts, (long long)edit->revision);
    edit->action = STORE_PUT;
    return object_text_from_json(buf_str(&text), &edit->text);
}

static struct error *write_orphan(void *data)
{
    struct place *place = data;
    static char parts[] = OWNER("gone");
    return api_change(place->api, orphan_id, STORE_ANY, put_text, parts, NULL);
}

static bool is_stored(struct place *place, struct store_id id)
{
    SCOPED(store_object) found = {0};
    OWNED(error) missing = store_get(place->api->store, id, &found);
    return !missing;
}

SIM_TEST(what_follows_a_write_does_so_although_its_writer_left)
{
    SCOPED(place) place;
    SCOPED(scope) scope = {0};
    place_init(&place);
    scope_start(&scope, "writer", write_orphan, &place);
    CHECK_OK(fiber_yield());
    scope_cancel(&scope);
    error_free(scope_wait(&scope));
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(!is_stored(&place, orphan_id));
}

SIM_TEST(what_follows_a_write_does_so_although_its_time_is_up)
{
    SCOPED(place) place;
    place_init(&place);
    {
        FIBER_TIMEOUT(0);
        error_free(write_orphan(&place));
    }
    CHECK_OK(fiber_sleep(SECOND));
    CHECK(!is_stored(&place, orphan_id));
}

struct change {
    struct place *place;
    struct store_id id;
    const char *parts;
};

static struct error *put_change(void *data, struct store_edit *edit)
{
    const struct change *change = data;
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"namespace\":"
              "\"default\",\"name\":\"%.*s\",\"uid\":\"uid-%.*s\",%s\"resourceVersion\":\"%lld\"}}",
              STR_ARG(change->id.key.name), STR_ARG(change->id.key.name), change->parts,
              (long long)edit->revision);
    edit->action = STORE_PUT;
    return object_text_from_json(buf_str(&text), &edit->text);
}

static struct error *write_change(void *data)
{
    struct change *change = data;
    return api_change(change->place->api, change->id, STORE_ANY, put_change, change, NULL);
}

static struct error *delete_text(void *data, struct store_edit *edit)
{
    (void)data;
    edit->action = STORE_DELETE;
    return object_text_from_json(object_text_json(edit->previous), &edit->text);
}

static struct store_id config_map(const char *name)
{
    return (struct store_id){
        STR("configmaps"), {STR("default"), str_from_c(name)}
    };
}

/* Both are part of one commit; who is decided first and who goes on first is up to the seed. */
static void write_both(struct place *place, const char *name, const char *first, const char *second)
{
    struct change changes[] = {
        {place, config_map(name), first },
        {place, config_map(name), second},
    };
    SCOPED(scope) scope = {0};
    for (size_t i = 0; i < COUNT(changes); i++)
        scope_start(&scope, "writer", write_change, &changes[i]);
    CHECK_OK(scope_wait(&scope));
}

static bool has_owner(struct place *place, struct store_id id)
{
    SCOPED(store_object) found = {0};
    CHECK_OK(store_get(place->api->store, id, &found));
    return str_contains(object_text_json(found.text), STR("ownerReferences"));
}

SIM_TEST(dependents_are_known_in_whatever_order_their_writers_go_on)
{
    SCOPED(place) place;
    place_init(&place);
    struct change owner = {&place, config_map("owner"), ""};
    CHECK_OK(write_change(&owner));
    char names[40][8];
    bool owned[COUNT(names)];
    for (size_t i = 0; i < COUNT(names); i++) {
        snprintf(names[i], sizeof(names[i]), "d%zu", i);
        struct change change = {&place, config_map(names[i]), OWNER("uid-owner")};
        CHECK_OK(write_change(&change));
        write_both(&place, names[i], "", OWNER("uid-owner"));
        owned[i] = has_owner(&place, change.id);
    }
    CHECK_OK(api_change(place.api, owner.id, STORE_ANY, delete_text, NULL, NULL));
    CHECK_OK(fiber_sleep(5 * SECOND));
    for (size_t i = 0; i < COUNT(names); i++) {
        TEST_CASE("%s", names[i]);
        CHECK_EQ(is_stored(&place, config_map(names[i])), !owned[i]);
    }
}

/* Else each request would sort them, and each reference to an owner would search them. */
SIM_TEST(kinds_are_sorted_once_for_a_state_of_the_definitions)
{
    SCOPED(place) place;
    SCOPED(arena) arena = {0};
    place_init(&place);
    const struct kind_list first = api_kinds(place.api, &arena);
    CHECK(api_kinds(place.api, &arena).items == first.items);
    place.api->kinds_revision++;
    const struct kind_list second = api_kinds(place.api, &arena);
    CHECK(second.items != first.items);
    CHECK_EQ(second.count, first.count);
    CHECK(second.items[0] == first.items[0]);
    CHECK(api_find_custom(place.api, GVK("example.com", "v1", "Gizmo")) == NULL);
}

static struct error *count_turns(void *data)
{
    size_t *turns = data;
    for (;;) {
        TRY(fiber_yield());
        ++*turns;
    }
}

#define GOING "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\","
#define OWNED_BY(uid)                                                                        \
    "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"owner\"," \
    "\"uid\":\"" uid "\",\"blockOwnerDeletion\":true}],"

/* All dependents are held, so nothing is written that would suspend by itself. */
SIM_TEST(an_owner_with_many_dependents_is_looked_at_in_several_turns)
{
    SCOPED(place) place;
    SCOPED(scope) scope = {0};
    SCOPED(arena) arena = {0};
    size_t turns = 0;
    place_init(&place);
    for (int i = 0; i < 3 * GC_OWNERS_AT_ONCE; i++) {
        struct change dependent = {&place, config_map(arena_print(&arena, "d%d", i).ptr),
                                   GOING "\"finalizers\":[\"test/hold\"]," OWNED_BY("uid-owner")};
        CHECK_OK(write_change(&dependent));
    }
    struct change owner = {&place, config_map("owner"),
                           GOING "\"finalizers\":[\"foregroundDeletion\"],"};
    CHECK_OK(write_change(&owner));
    CHECK_OK(fiber_sleep(SECOND));
    scope_start(&scope, "neighbour", count_turns, &turns);
    CHECK_OK(gc_foreground(place.api->gc, owner.id));
    scope_cancel(&scope);
    error_free(scope_wait(&scope));
    CHECK(turns >= 2);
    CHECK(is_stored(&place, owner.id));
}
