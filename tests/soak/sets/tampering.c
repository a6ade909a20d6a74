/*
 * A DeliveryPolicy that sets which reconcile follow, and somebody who changes, deletes and remakes
 * their objects in clusters.
 *
 * At rest every object of such a set is the set's, or its record says that it has drifted, or that
 * it is contested: changed after every repair.
 */
#include <stdio.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "clusterresourceset/apply/apply_policy.h"
#include "clusterresourceset/types/crs_spec.h"
#include "clusterresourceset/types/delivery.h"
#include "json/path.h"
#include "soak/sets/sets.h"

#define POLICY        "p"
#define TARGET        "/apis/corset.dev/v1alpha1/namespaces/default/deliverypolicies"
#define EDITS         0.4 /* of what users do, there is this much of ours */
#define OPPOSES_EVERY (3 * SECOND)

static const char *const names[] = {[DELIVERY_POLICY_DRIFT_IGNORE] = "Ignore",
                                    [DELIVERY_POLICY_DRIFT_REPORT] = "Report",
                                    [DELIVERY_POLICY_DRIFT_REPAIR] = "Repair"};

bool tampering_has_policy(const struct sets *sets, size_t set)
{
    return sets->profile.has_policy && sets->profile.reconciles[set];
}

void tampering_write(struct sets *sets, size_t set, struct buf *metadata)
{
    if (tampering_has_policy(sets, set))
        buf_print(metadata, ",\"annotations\":{\"" CRS_POLICY_ANNOTATION "\":\"" POLICY "\"}");
}

static void write_policy(struct sets *sets, enum delivery_policy_drift drift)
{
    char body[SETS_TEXT_MAX];
    sets->drift = drift;
    snprintf(body, sizeof(body),
             "{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\",\"metadata\":{"
             "\"name\":\"" POLICY "\"},\"spec\":{\"drift\":\"%s\"%s%s}}",
             names[drift], sets->profile.has_values ? ",\"values\":\"Cluster\"" : "",
             sets->profile.prunes ? ",\"prune\":{\"when\":[\"Removed\"],\"maxObjects\":1000}" : "");
    if (front_call(&sets->management, "PATCH", TARGET "/" POLICY, body) == 404)
        (void)front_call(&sets->management, "POST", TARGET, body);
}

static void edit_policy(struct sets *sets)
{
    const enum delivery_policy_drift drift =
        (enum delivery_policy_drift)random_below(&sets->tampering_dice, COUNT(names));
    if (draw_chance(&sets->tampering_dice, 0.2))
        (void)front_call(&sets->management, "DELETE", TARGET "/" POLICY, "");
    else
        write_policy(sets, drift);
}

void tampering_begin(struct sets *sets)
{
    if (sets->profile.has_policy)
        write_policy(sets, DELIVERY_POLICY_DRIFT_REPAIR);
}

void tampering_end(struct sets *sets)
{
    static const enum delivery_policy_drift last[] = {
        DELIVERY_POLICY_DRIFT_REPAIR, DELIVERY_POLICY_DRIFT_REPAIR, DELIVERY_POLICY_DRIFT_REPORT,
        DELIVERY_POLICY_DRIFT_IGNORE};
    if (!sets->profile.has_policy)
        return;
    write_policy(sets, sets->profile.has_opponent
                           ? DELIVERY_POLICY_DRIFT_REPAIR
                           : last[random_below(&sets->tampering_dice, COUNT(last))]);
}

static void write_target(char target[static SETS_TEXT_MAX], size_t resource, char letter)
{
    const int len =
        snprintf(target, SETS_TEXT_MAX, "/api/v1/namespaces/%s/%s", sets_places[resource].namespace,
                 sets_places[resource].holds_secrets ? "secrets" : "configmaps");
    if (letter)
        snprintf(target + len, SETS_TEXT_MAX - (size_t)len, "/r%zu-%c", resource, letter);
}

/* Deleted, and made by hand with the label. */
static void remake(struct front *front, size_t resource, char letter)
{
    char target[SETS_TEXT_MAX], body[SETS_TEXT_MAX];
    write_target(target, resource, letter);
    (void)front_call(front, "DELETE", target, "");
    write_target(target, resource, '\0');
    snprintf(body, sizeof(body),
             "{\"metadata\":{\"name\":\"r%zu-%c\",\"labels\":{\"" APPLY_MANAGED_LABEL
             "\":\"true\"}},\"data\":{\"v\":\"eA==\"}}",
             resource, letter);
    (void)front_call(front, "POST", target, body);
}

/* Only what there is, in clusters that stay. */
static void change_object(struct sets *sets, size_t cluster, size_t resource, char letter)
{
    static const char *const changes[] = {
        "{\"data\":{\"v\":\"eA==\"}}",
        "{\"data\":{\"v\":\"eQ==\",\"other\":\"eQ==\"}}",
        "{\"data\":null}",
        "{\"metadata\":{\"labels\":{\"corset.dev/managed\":null}}}",
        "{\"metadata\":{\"managedFields\":[{}]}}",
        "{\"metadata\":{\"labels\":{\"team\":\"theirs\"},\"annotations\":{\"a\":\"b\"}}}",
    };
    struct front *front = &sets->workloads[cluster];
    OWNED(json_doc) object = catalog_find_object(sets, cluster, resource, letter);
    char target[SETS_TEXT_MAX];
    const size_t drawn = random_below(&sets->tampering_dice, COUNT(changes) + 3);
    if (!object || sets->is_going[cluster] || sets->wipes[cluster])
        return;
    sets->tampered[cluster] |= 1U << resource;
    write_target(target, resource, letter);
    if (drawn < COUNT(changes))
        (void)front_call(front, "PATCH", target, changes[drawn]);
    else if (drawn == COUNT(changes))
        remake(front, resource, letter);
    else
        (void)front_call(front, "DELETE", target, "");
}

/* What was recorded of all sets on a cluster goes. A resync makes it anew. */
static void lose_record(struct sets *sets, size_t cluster)
{
    char target[SETS_TEXT_MAX];
    snprintf(target, sizeof(target), BINDINGS_TARGET "/c%zu", cluster);
    (void)front_call(&sets->management, "PATCH", target,
                     "{\"metadata\":{\"annotations\":{\"" DELIVERY_ANNOTATION "\":null}}}");
}

void tampering_edit(struct sets *sets)
{
    struct random *dice = &sets->tampering_dice;
    if (!sets->profile.has_policy || !draw_chance(dice, EDITS))
        return;
    if (draw_chance(dice, 0.2))
        edit_policy(sets);
    if (sets->profile.prunes && sets->profile.resyncs && draw_chance(dice, 0.2))
        lose_record(sets, random_below(dice, CLUSTERS));
    for (size_t i = random_below(dice, 4); i > 0; i--)
        change_object(sets, random_below(dice, CLUSTERS), random_below(dice, RESOURCES),
                      draw_chance(dice, 0.7) ? 'a' : 'b');
}

/* What the set applied is in its entry, and the object has it. */
static bool is_ours(size_t set, const struct content_version *version,
                    const struct json_doc *object)
{
    char manager[32];
    const struct json_value *entry, *root = json_doc_root(object);
    snprintf(manager, sizeof(manager), "corset:default/s%zu", set);
    JSON_FOREACH (key, entry, json_path(root, "metadata.managedFields")) {
        const struct json_value *fields = json_get(entry, STR("fieldsV1"));
        const struct json_value *labels = json_path(fields, "f:metadata.f:labels");
        if (str_eq(json_path_str(entry, "manager"), str_from_c(manager)) &&
            str_eq(json_path_str(entry, "operation"), STR("Apply")))
            return json_path(fields, "f:data.f:v") &&
                   json_get(labels, STR("f:" APPLY_MANAGED_LABEL)) &&
                   catalog_is_of(version, object);
    }
    return false;
}

/* Whether the values in the object are those that the Cluster has now. */
static bool has_values(struct sets *sets, size_t cluster, const struct json_doc *object)
{
    SCOPED(buf) expected = {.limit = 0};
    OWNED(json_doc) doc = sets_find_cluster(sets, cluster);
    const struct json_value *metadata = json_path(json_doc_root(doc), "metadata");
    if (!sets->profile.has_values)
        return true;
    buf_print(&expected, "%.*s %.*s", STR_ARG(json_path_str(metadata, "labels.b")),
              STR_ARG(json_path_str(metadata, "uid")));
    return str_eq(json_path_str(json_doc_root(object), "metadata.annotations.at"),
                  buf_str(&expected));
}

static bool is_opposed(const struct sets *sets, size_t set, size_t cluster)
{
    const struct opponent *opponent = &sets->opponent;
    return opponent->is_active && opponent->set == set && opponent->cluster == cluster;
}

static bool has_drifted(struct sets *sets, size_t set, size_t cluster,
                        const struct content_version *version)
{
    for (unsigned i = 0; i < version->objects; i++) {
        OWNED(json_doc)
        object = catalog_find_object(sets, cluster, version->resource, (char)('a' + i));
        if (!object || !is_ours(set, version, object) || !has_values(sets, cluster, object))
            return true;
    }
    return false;
}

struct error *tampering_check(struct sets *sets, size_t set, size_t cluster, unsigned refs,
                              const struct json_value *record, enum delivery_drift *ret_drift)
{
    static const char *const states[] = {[DELIVERY_UNDRIFTED] = "Ready",
                                         [DELIVERY_DRIFTED] = "Drifted",
                                         [DELIVERY_CONTESTED] = "Contested"};
    const struct content_version *version;
    const struct str state = json_path_str(record, "state");
    bool drifted = false;
    for (size_t i = 0; i < RESOURCES; i++)
        if (refs & 1U << i && catalog_judge(sets, i, &version) == FINE)
            drifted |= has_drifted(sets, set, cluster, version);
    *ret_drift = is_opposed(sets, set, cluster)                ? DELIVERY_CONTESTED
                 : !drifted                                    ? DELIVERY_UNDRIFTED
                 : sets->drift == DELIVERY_POLICY_DRIFT_IGNORE ? DELIVERY_UNDRIFTED
                                                               : DELIVERY_DRIFTED;
    if (*ret_drift == DELIVERY_DRIFTED && sets->drift == DELIVERY_POLICY_DRIFT_REPAIR)
        return error_new(ERROR_INVALID, "objects of s%zu on c%zu are not repaired", set, cluster);
    if (!str_eq(state, str_from_c(states[*ret_drift])))
        return error_new(ERROR_INVALID, "s%zu on c%zu is %.*s instead of %s", set, cluster,
                         STR_ARG(state), states[*ret_drift]);
    return NULL;
}

/* Somebody who sets a field again, always. */
static struct error *oppose(void *data)
{
    struct sets *sets = data;
    const struct opponent *opponent = &sets->opponent;
    char target[SETS_TEXT_MAX];
    write_target(target, opponent->resource, 'a');
    for (;;) {
        TRY(fiber_sleep(OPPOSES_EVERY));
        FIBER_SHIELD(FOREVER);
        OWNED(json_doc)
        object = catalog_find_object(sets, opponent->cluster, opponent->resource, 'a');
        if (!object || !str_eq(json_path_str(json_doc_root(object), "data.v"), STR("eg==")))
            (void)front_call(&sets->workloads[opponent->cluster], "PATCH", target,
                             "{\"data\":{\"v\":\"eg==\"}}");
    }
}

/* Draws what is opposed of what is the set's. False: nothing is. */
static bool draw_opponent(struct sets *sets)
{
    struct opponent *opponent = &sets->opponent;
    const struct content_version *version;
    for (opponent->set = 0; opponent->set < SETS; opponent->set++)
        for (opponent->cluster = 0; opponent->cluster < CLUSTERS; opponent->cluster++)
            for (opponent->resource = 0; opponent->resource < RESOURCES; opponent->resource++)
                if (tampering_has_policy(sets, opponent->set) &&
                    model_delivers(sets, opponent->set, opponent->cluster, opponent->resource) &&
                    catalog_judge(sets, opponent->resource, &version) == FINE)
                    return true;
    return false;
}

void tampering_oppose(struct sets *sets, struct scope *scope)
{
    if (!sets->profile.has_opponent || !draw_opponent(sets))
        return;
    trace_print(&sets->trace, "world: somebody opposes s%zu on c%zu", sets->opponent.set,
                sets->opponent.cluster);
    sets->tampered[sets->opponent.cluster] |= 1U << sets->opponent.resource;
    sets->opponent.is_active = true;
    scope_start(scope, "opponent", oppose, sets);
}
