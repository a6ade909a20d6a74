/* Simulated users: what they edit during a run, and the state in which they leave the objects. */
#include <stdio.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "soak/sets/sets.h"

#define PAUSE_MAX     (2 * SECOND)
#define STRANGERS_MAX (3 * SECOND)
#define PAUSED        "cluster.x-k8s.io/paused"

/* What each set may name. No resource has two sets that reconcile it: they would take turns. */
static const unsigned may_name[SETS] = {0x07, 0x0d, 0x18};

static struct json_doc *find(struct sets *sets, struct gvr gvr, char letter, size_t number)
{
    char name[8];
    snprintf(name, sizeof(name), "%c%zu", letter, number);
    return front_find(&sets->management, gvr, (struct key){STR("default"), str_from_c(name)});
}

struct json_doc *sets_find_set(struct sets *sets, size_t set)
{
    return find(sets, GVR_CLUSTER_RESOURCE_SETS, 's', set);
}

struct json_doc *sets_find_cluster(struct sets *sets, size_t cluster)
{
    return find(sets, GVR_CLUSTERS, 'c', cluster);
}

struct json_doc *sets_find_binding(struct sets *sets, size_t cluster)
{
    return find(sets, GVR_CLUSTER_RESOURCE_SET_BINDINGS, 'c', cluster);
}

bool sets_is_deleting(const struct json_doc *doc)
{
    return json_path(json_doc_root(doc), "metadata.deletionTimestamp") != NULL;
}

bool sets_number(struct str name, char letter, size_t below, size_t *ret_number)
{
    if (name.len != 2 || name.ptr[0] != letter || name.ptr[1] < '0')
        return false;
    *ret_number = (size_t)(name.ptr[1] - '0');
    return *ret_number < below;
}

/* Some of what the set may name, at least one. */
static void write_refs(struct sets *sets, size_t set, struct buf *out)
{
    unsigned refs = 0;
    bool is_first = true;
    while (!refs)
        refs = (unsigned)random_below(&sets->users_dice, 1U << RESOURCES) & may_name[set];
    sets->named[set] |= refs;
    CHECK(sets->naming_count < NAMINGS_MAX);
    sets->namings[sets->naming_count++] = (struct naming){set, refs, loop_now(loop_current())};
    buf_print(out, "\"resources\":[");
    for (size_t i = 0; i < RESOURCES; i++) {
        if (!(refs & 1U << i))
            continue;
        buf_print(out, "%s{\"name\":\"r%zu\",\"kind\":\"%s\"}", is_first ? "" : ",", i,
                  sets_places[i].is_secret ? "Secret" : "ConfigMap");
        is_first = false;
    }
    buf_print(out, "]");
}

/* metadata: what follows the name in it. */
static void post_set(struct sets *sets, size_t set, struct str metadata)
{
    SCOPED(buf) body = {.limit = 0};
    const char label = (char)('a' + set);
    buf_print(&body,
              "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\","
              "\"metadata\":{\"name\":\"s%zu\"%.*s},\"spec\":{\"strategy\":\"%s\",",
              set, STR_ARG(metadata), sets->profile.reconciles[set] ? "Reconcile" : "ApplyOnce");
    write_refs(sets, set, &body);
    if (set == 2)
        buf_print(&body,
                  ",\"clusterSelector\":{\"matchExpressions\":[{\"key\":\"%c\",\"operator\":\"In\","
                  "\"values\":[\"yes\"]}]}}}",
                  label);
    else
        buf_print(&body, ",\"clusterSelector\":{\"matchLabels\":{\"%c\":\"yes\"}}}}", label);
    (void)front_call(&sets->management, "POST", SETS_TARGET, buf_c(&body));
}

static void make_set(struct sets *sets, size_t set)
{
    SCOPED(buf) metadata = {.limit = 0};
    precedence_write(sets, &metadata);
    tampering_write(sets, set, &metadata);
    post_set(sets, set, buf_str(&metadata));
}

void simulated_users_make_set(struct sets *sets, size_t set, const char *depends_on)
{
    SCOPED(buf) metadata = {.limit = 0};
    buf_print(&metadata, ",\"annotations\":{\"corset.dev/depends-on\":\"%s\"}", depends_on);
    post_set(sets, set, buf_str(&metadata));
}

static void write_set_target(char target[static SETS_TEXT_MAX], size_t set)
{
    snprintf(target, SETS_TEXT_MAX, SETS_TARGET "/s%zu", set);
}

static void change_refs(struct sets *sets, size_t set)
{
    SCOPED(buf) body = {.limit = 0};
    char target[SETS_TEXT_MAX];
    write_set_target(target, set);
    buf_print(&body, "{\"spec\":{");
    write_refs(sets, set, &body);
    buf_print(&body, "}}");
    (void)front_call(&sets->management, "PATCH", target, buf_c(&body));
}

static void pause_set(struct sets *sets, size_t set, bool paused)
{
    char target[SETS_TEXT_MAX];
    write_set_target(target, set);
    (void)front_call(&sets->management, "PATCH", target,
                     paused ? "{\"metadata\":{\"annotations\":{\"" PAUSED "\":\"\"}}}"
                            : "{\"metadata\":{\"annotations\":{\"" PAUSED "\":null}}}");
}

static void delete_set(struct sets *sets, size_t set)
{
    char target[SETS_TEXT_MAX];
    write_set_target(target, set);
    (void)front_call(&sets->management, "DELETE", target, "");
}

static void edit_resource(struct sets *sets, size_t resource)
{
    static const enum quality qualities[] = {FINE, FINE, FINE, FINE, BROKEN, PARTIAL, WRONG_TYPE};
    const enum quality drawn = qualities[random_below(&sets->users_dice, COUNT(qualities))];
    const bool is_fit = drawn != WRONG_TYPE || sets_places[resource].is_secret;
    catalog_write(sets, resource, is_fit ? drawn : FINE);
}

static void edit_set(struct sets *sets, size_t set)
{
    switch (random_below(&sets->users_dice, 7)) {
    case 0:
        pause_set(sets, set, true);
        break;
    case 1:
    case 2:
        pause_set(sets, set, false);
        break;
    case 3:
        delete_set(sets, set);
        break;
    case 4: /* and another one of that name, as soon as there may be one */
        delete_set(sets, set);
        make_set(sets, set);
        break;
    default:
        make_set(sets, set);
        change_refs(sets, set);
        break;
    }
}

static void make_if_gone(struct sets *sets, size_t cluster)
{
    OWNED(json_doc) doc = sets_find_cluster(sets, cluster);
    if (!doc && !sets->wipes[cluster])
        provider_make(sets, cluster);
}

static void edit_cluster(struct sets *sets, size_t cluster)
{
    struct front *front = &sets->workloads[cluster];
    switch (random_below(&sets->users_dice, 9)) {
    case 0:
    case 1:
        provider_delete(sets, cluster, false);
        break;
    case 2:
        provider_delete(sets, cluster, true);
        break;
    case 3:
    case 4:
        make_if_gone(sets, cluster);
        break;
    case 5:
        provider_rotate(sets, cluster);
        break;
    case 6:
        front->unauthorized = !front->unauthorized;
        trace_print(&sets->trace, "world: c%zu knows %s", cluster,
                    front->unauthorized ? "nobody" : "everybody");
        break;
    default:
        provider_label(sets, cluster);
        break;
    }
}

static void edit_something(struct sets *sets)
{
    struct random *dice = &sets->users_dice;
    const size_t set = random_below(dice, SETS), cluster = random_below(dice, CLUSTERS),
                 resource = random_below(dice, RESOURCES);
    switch (random_below(dice, 12)) {
    case 0:
    case 1:
    case 2:
        edit_resource(sets, resource);
        break;
    case 3:
        catalog_remove(sets, resource);
        break;
    case 4:
    case 5:
        edit_set(sets, set);
        break;
    case 6:
    case 7:
        foreign_write(sets, cluster);
        break;
    case 8:
        if (sets->profile.resyncs)
            foreign_reset(sets, cluster, set);
        break;
    default:
        edit_cluster(sets, cluster);
        break;
    }
}

struct error *simulated_users_edit(void *data)
{
    struct sets *sets = data;
    for (;;) {
        TRY(fiber_sleep(draw_span(&sets->users_dice, PAUSE_MAX)));
        FIBER_SHIELD(FOREVER);
        edit_something(sets);
        precedence_edit(sets);
        tampering_edit(sets);
    }
}

void simulated_users_begin(struct sets *sets)
{
    tampering_begin(sets);
    for (size_t i = 0; i < RESOURCES; i++)
        if (draw_chance(&sets->users_dice, 0.8))
            catalog_write(sets, i, FINE);
    for (size_t i = 0; i < CLUSTERS; i++)
        if (draw_chance(&sets->users_dice, 0.8))
            provider_make(sets, i);
    for (size_t i = 0; i < SETS; i++)
        if (draw_chance(&sets->users_dice, 0.8))
            make_set(sets, i);
}

/* What is tried for ever is mended; most of the rest too. */
static void mend_resource(struct sets *sets, size_t resource)
{
    const struct content_version *version;
    const enum quality quality = catalog_judge(sets, resource, &version);
    if (quality == PARTIAL || (quality != FINE && sets->profile.has_policy) ||
        (quality != FINE && draw_chance(&sets->users_dice, 0.7)))
        catalog_write(sets, resource, FINE);
}

void simulated_users_end(struct sets *sets)
{
    tampering_end(sets);
    for (size_t i = 0; i < SETS; i++)
        if (draw_chance(&sets->users_dice, 0.8))
            pause_set(sets, i, false);
    for (size_t i = 0; i < RESOURCES; i++)
        mend_resource(sets, i);
    for (size_t i = 0; i < SETS; i++)
        if (draw_chance(&sets->users_dice, 0.7))
            make_set(sets, i);
    for (size_t i = 0; i < CLUSTERS; i++)
        if (draw_chance(&sets->users_dice, 0.6))
            make_if_gone(sets, i);
}

/* One or two resources cannot be used any more. */
void simulated_users_spoil(struct sets *sets)
{
    static const enum quality qualities[] = {BROKEN, BROKEN, WRONG_TYPE, ABSENT};
    for (size_t i = 0; i < 2; i++) {
        const size_t resource = random_below(&sets->users_dice, RESOURCES);
        const enum quality drawn = qualities[random_below(&sets->users_dice, COUNT(qualities))];
        if (drawn == ABSENT)
            catalog_remove(sets, resource);
        else
            catalog_write(sets, resource,
                          sets_places[resource].is_secret || drawn == BROKEN ? drawn : BROKEN);
    }
}
