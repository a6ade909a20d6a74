/*
 * What there has to be once nothing happens any more: a function of sets, clusters and resources as
 * they are, and for ApplyOnce of what was recorded when.
 */
#include <stdio.h>

#include "clusterresourceset/types/delivery.h"
#include "json/path.h"
#include "soak/sets/sets.h"

#define FINALIZER STR("addons.cluster.x-k8s.io")

/* One set as people left it, and how it fares. */
struct subject {
    struct sets *sets;
    size_t number;
    char name[8];
    struct json_doc *doc; /* NULL: there is none */
    bool is_paused, is_deleting;
    unsigned refs, selected; /* bits */
    bool is_missing, has_wrong_type, is_unusable;
    bool is_refused, waits;    /* because of others that it depends on */
    enum delivery_drift drift; /* the worst of it */
    bool is_incomplete;        /* follows a policy, and a resource cannot be used */
};

static void subject_done(struct subject *subject)
{
    json_doc_free(subject->doc);
}

static const struct json_value *at(const struct json_doc *doc, const char *path)
{
    return json_path(doc ? json_doc_root(doc) : NULL, path);
}

static struct str text_at(const struct json_doc *doc, const char *path)
{
    return json_to_str(at(doc, path));
}

static int64_t number_of(const struct json_value *value)
{
    int64_t number;
    return json_to_int64(value, &number) ? number : 0;
}

static void read_refs(struct subject *subject)
{
    const struct json_value *ref;
    size_t resource;
    JSON_FOREACH (key, ref, at(subject->doc, "spec.resources"))
        if (sets_number(json_path_str(ref, "name"), 'r', RESOURCES, &resource))
            subject->refs |= 1U << resource;
}

/*
 * Notes which resources of the set are missing or of another type. Returns the others, a bit each;
 * *ret_broken are those of them that cannot be read.
 */
static unsigned read_resources(struct subject *subject, unsigned *ret_broken)
{
    unsigned others = 0;
    *ret_broken = 0;
    for (size_t i = 0; i < RESOURCES; i++) {
        const struct content_version *version;
        if (!(subject->refs & 1U << i))
            continue;
        const enum quality quality = catalog_judge(subject->sets, i, &version);
        subject->is_missing |= quality == ABSENT;
        subject->has_wrong_type |= quality == WRONG_TYPE;
        others |= (unsigned)(quality != ABSENT && quality != WRONG_TYPE) << i;
        *ret_broken |= (unsigned)(quality == BROKEN) << i;
    }
    return others;
}

/* For a set with a policy: while a resource cannot be used, clusters stay as they are. */
static void read_completeness(struct subject *subject)
{
    unsigned broken;
    (void)read_resources(subject, &broken);
    subject->is_unusable = broken != 0;
    subject->is_incomplete = subject->is_missing || subject->has_wrong_type || subject->is_unusable;
}

static void subject_read(struct sets *sets, size_t number, struct subject *subject)
{
    *subject = (struct subject){.sets = sets, .number = number};
    snprintf(subject->name, sizeof(subject->name), "s%zu", number);
    subject->doc = sets_find_set(sets, number);
    if (!subject->doc)
        return;
    subject->is_deleting = sets_is_deleting(subject->doc);
    subject->is_paused =
        json_get(at(subject->doc, "metadata.annotations"), STR("cluster.x-k8s.io/paused")) != NULL;
    read_refs(subject);
    subject->is_refused = precedence_refuses(sets, number);
    for (size_t i = 0; i < CLUSTERS; i++)
        if (provider_selects(sets, number, i))
            subject->selected |= 1U << i;
    if (tampering_has_policy(sets, number))
        read_completeness(subject);
}

static bool is_serving(const struct subject *subject)
{
    return subject->doc && !subject->is_paused && !subject->is_deleting;
}

static const struct json_value *find_by(const struct json_value *list, const char *member,
                                        struct str name)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, list)
        if (str_eq(json_path_str(item, member), name))
            return item;
    return NULL;
}

/* Owned by this very set; by none of its name when there is no such set. */
static struct error *check_owner(const struct subject *subject, const struct json_doc *doc,
                                 const char *what)
{
    const struct json_value *owner =
        find_by(at(doc, "metadata.ownerReferences"), "name", str_from_c(subject->name));
    if (!str_eq(json_path_str(owner, "uid"), text_at(subject->doc, "metadata.uid")))
        return error_new(ERROR_INVALID, "%s is not owned by %s as it should be", what,
                         subject->name);
    return NULL;
}

static bool is_applied(const struct json_value *item)
{
    bool applied = false;
    return json_to_bool(json_get(item, STR("applied")), &applied) && applied;
}

/* What is said to be applied is there, whoever said so and when. */
static struct error *check_claims(const struct subject *subject, size_t cluster,
                                  const struct json_value *entry)
{
    const struct json_value *item;
    size_t resource;
    JSON_FOREACH (key, item, json_get(entry, STR("resources"))) {
        if (!is_applied(item) ||
            !sets_number(json_path_str(item, "name"), 'r', RESOURCES, &resource) ||
            subject->sets->tampered[cluster] & 1U << resource)
            continue;
        const struct content_version *version =
            catalog_find(subject->sets, resource, json_path_str(item, "hash"));
        if (!version)
            return error_new(ERROR_INVALID, "%s on c%zu: unknown hash", subject->name, cluster);
        TRY(catalog_check(subject->sets, version, cluster, false), "claim of %s", subject->name);
    }
    return NULL;
}

static struct error *disagree(const struct subject *subject, size_t cluster, size_t resource,
                              const char *how)
{
    return error_new(ERROR_INVALID, "binding c%zu: r%zu of %s %s", cluster, resource, subject->name,
                     how);
}

static struct error *check_fine(const struct subject *subject, size_t cluster,
                                const struct content_version *version,
                                const struct json_value *item)
{
    if (!is_applied(item))
        return disagree(subject, cluster, version->resource, "is not applied");
    if (!subject->sets->profile.reconciles[subject->number])
        return NULL;
    if (!str_eq(json_path_str(item, "hash"), str_from_c(version->hash)))
        return disagree(subject, cluster, version->resource, "has another hash");
    if (tampering_has_policy(subject->sets, subject->number))
        return NULL; /* see check_delivery() */
    return catalog_check(subject->sets, version, cluster, true);
}

static struct error *check_broken(struct subject *subject, size_t cluster, size_t resource,
                                  const struct json_value *item)
{
    if (is_applied(item) && !subject->sets->profile.reconciles[subject->number])
        return NULL;
    subject->is_unusable = true;
    if (!item || is_applied(item) || json_path_str(item, "hash").len)
        return disagree(subject, cluster, resource, "is not said to be unusable");
    return NULL;
}

/* One resource of a set on a cluster that it selects. */
static struct error *check_resource(struct subject *subject, size_t cluster, size_t resource,
                                    const struct json_value *entry)
{
    const struct content_version *version;
    char name[8];
    snprintf(name, sizeof(name), "r%zu", resource);
    const struct json_value *item =
        find_by(json_get(entry, STR("resources")), "name", str_from_c(name));
    switch (catalog_judge(subject->sets, resource, &version)) {
    case FINE:
        return check_fine(subject, cluster, version, item);
    case BROKEN:
        return check_broken(subject, cluster, resource, item);
    case ABSENT:
        subject->is_missing = true;
        return NULL;
    case WRONG_TYPE:
        subject->has_wrong_type = true;
        return NULL;
    default:
        return error_new(ERROR_INVALID, "r%zu was to be mended", resource);
    }
}

/* A set has a record of failures where one of its resources cannot be used, and nowhere else. */
static struct error *check_record(const struct subject *subject, size_t cluster,
                                  struct json_doc *binding)
{
    OWNED(object) object = NULL;
    TRY(object_from_doc(binding, &object));
    if (delivery_exists(object, str_from_c(subject->name)) == subject->is_unusable)
        return NULL;
    return error_new(ERROR_INVALID, "binding c%zu has %s of %s", cluster,
                     subject->is_unusable ? "no record of the failures" : "a record of failures",
                     subject->name);
}

/* A set with a policy always has a record, which says what became of its objects. */
static struct error *check_delivery(struct subject *subject, size_t cluster,
                                    const struct json_doc *binding)
{
    OWNED(json_doc) records = NULL;
    enum delivery_drift drift;
    const struct json_value *annotations = at(binding, "metadata.annotations");
    CHECK_OK(json_read(json_to_str(json_get(annotations, STR(DELIVERY_ANNOTATION))), &records));
    TRY(tampering_check(subject->sets, subject->number, cluster, subject->refs,
                        json_get(json_doc_root(records), str_from_c(subject->name)), &drift));
    if (drift > subject->drift)
        subject->drift = drift;
    return NULL;
}

static struct error *check_selected(struct subject *subject, size_t cluster,
                                    struct json_doc *binding, const struct json_value *entry)
{
    if (!entry)
        return error_new(ERROR_INVALID, "binding c%zu has no entry of %s", cluster, subject->name);
    const bool was_unusable = subject->is_unusable;
    TRY(check_owner(subject, binding, "a binding"));
    if (subject->is_incomplete)
        return NULL;
    subject->is_unusable = false;
    for (size_t i = 0; i < RESOURCES; i++)
        if (subject->refs & 1U << i)
            TRY(check_resource(subject, cluster, i, entry));
    if (tampering_has_policy(subject->sets, subject->number))
        TRY(check_delivery(subject, cluster, binding));
    else
        TRY(check_record(subject, cluster, binding));
    subject->is_unusable |= was_unusable;
    return NULL;
}

/*
 * Other sets come first on the cluster. What is missing or of another type is told all the same; if
 * that is all there is, an entry without results is all there can be.
 */
static bool is_held_back(struct subject *subject, size_t cluster, const struct json_value *entry)
{
    unsigned broken;
    return precedence_holds_back(subject->sets, subject->number, cluster, entry) &&
           (read_resources(subject, &broken) || !entry);
}

static struct error *check_binding(struct subject *subject, size_t cluster)
{
    OWNED(json_doc) binding = sets_find_binding(subject->sets, cluster);
    const struct json_value *entry =
        find_by(at(binding, "spec.bindings"), "clusterResourceSetName", str_from_c(subject->name));
    TRY(check_claims(subject, cluster, entry));
    if (!subject->doc) {
        if (entry)
            return error_new(ERROR_INVALID, "binding c%zu has an entry of %s, which is gone",
                             cluster, subject->name);
        return check_owner(subject, binding, "a binding");
    }
    if (!is_serving(subject) || subject->is_refused || !(subject->selected & 1U << cluster))
        return NULL;
    if (is_held_back(subject, cluster, entry)) {
        subject->waits = true;
        return NULL;
    }
    return check_selected(subject, cluster, binding, entry);
}

struct expected {
    const char *type, *status, *reason;
};

static struct error *check_condition(const struct subject *subject, const struct expected *expected)
{
    const struct json_value *found =
        find_by(at(subject->doc, "status.conditions"), "type", str_from_c(expected->type));
    const struct str status = json_path_str(found, "status"),
                     reason = json_path_str(found, "reason");
    if (!str_eq(status, str_from_c(expected->status)) ||
        (expected->reason && !str_eq(reason, str_from_c(expected->reason))))
        return error_new(ERROR_INVALID, "%s: %s is %.*s/%.*s instead of %s/%s", subject->name,
                         expected->type, STR_ARG(status), STR_ARG(reason), expected->status,
                         expected->reason ? expected->reason : "any");
    if (number_of(json_get(found, STR("observedGeneration"))) !=
        number_of(at(subject->doc, "metadata.generation")))
        return error_new(ERROR_INVALID, "%s: %s is of another generation", subject->name,
                         expected->type);
    return NULL;
}

static struct error *check_observed(const struct subject *subject)
{
    const int64_t observed = number_of(at(subject->doc, "status.observedGeneration")),
                  generation = number_of(at(subject->doc, "metadata.generation"));
    if (observed != generation)
        return error_new(ERROR_INVALID, "%s: observedGeneration is %lld instead of %lld",
                         subject->name, (long long)observed, (long long)generation);
    return NULL;
}

static struct error *check_drift(const struct subject *subject)
{
    static const struct expected expected[] = {
        [DELIVERY_UNDRIFTED] = {"DriftFree", "True",  "NoDrift"  },
        [DELIVERY_DRIFTED] = {"DriftFree", "False", "Drifted"  },
        [DELIVERY_CONTESTED] = {"DriftFree", "False", "Contested"},
    };
    const bool minds = subject->sets->drift != DELIVERY_POLICY_DRIFT_IGNORE &&
                       tampering_has_policy(subject->sets, subject->number);
    if (minds && subject->is_incomplete)
        return NULL; /* of what the clusters had before */
    if (minds)
        return check_condition(subject, &expected[subject->drift]);
    if (find_by(at(subject->doc, "status.conditions"), "type", STR("DriftFree")))
        return error_new(ERROR_INVALID, "%s tells of drift", subject->name);
    return NULL;
}

/* What the conditions say is what the bindings say. */
static struct error *check_applied(const struct subject *subject)
{
    const bool failed = subject->has_wrong_type || subject->is_unusable;
    subject->sets->has_trouble |= failed || subject->is_missing;
    struct expected applied = {"ResourcesApplied", "False", "InternalError"};
    if (subject->has_wrong_type)
        applied.reason = "WrongSecretType";
    else if (subject->is_unusable || (subject->waits && !subject->is_missing))
        applied.reason = "NotApplied";
    else if (!subject->is_missing)
        applied = (struct expected){"ResourcesApplied", "True", "Applied"};
    TRY(check_condition(subject, &applied));
    TRY(check_drift(subject));
    const bool goes_on = (subject->is_unusable && !subject->is_incomplete) || subject->waits;
    const struct expected progress = {"InProgress", goes_on ? "True" : "False", NULL};
    TRY(check_condition(subject, &progress));
    TRY(check_condition(subject, &(struct expected){"Failed", failed ? "True" : "False", NULL}));
    return failed || subject->waits ? NULL : check_observed(subject);
}

/* Nothing is applied, and trying again is of no use. */
static struct error *check_refused(const struct subject *subject)
{
    static const struct expected expected[] = {
        {"ResourcesApplied", "False", "InternalError"},
        {"InProgress",       "False", "Stopped"      },
        {"Failed",           "True",  "operatorError"},
    };
    for (size_t i = 0; i < COUNT(expected); i++)
        TRY(check_condition(subject, &expected[i]));
    return NULL;
}

/* Without clusters nothing is in progress, and nothing fails. */
static struct error *check_idle(const struct subject *subject)
{
    const struct json_value *conditions = at(subject->doc, "status.conditions");
    static const char *const types[] = {"InProgress", "Failed"};
    for (size_t i = 0; i < COUNT(types); i++)
        if (str_eq(json_path_str(find_by(conditions, "type", str_from_c(types[i])), "status"),
                   STR("True")))
            return error_new(ERROR_INVALID, "%s: %s is True without a cluster", subject->name,
                             types[i]);
    return check_observed(subject);
}

static struct error *check_resources(const struct subject *subject)
{
    for (size_t i = 0; i < RESOURCES; i++) {
        const struct content_version *version;
        OWNED(json_doc) doc = sets_find_resource(subject->sets, i);
        if (!(subject->refs & 1U << i) || !doc ||
            catalog_judge(subject->sets, i, &version) == WRONG_TYPE)
            continue;
        TRY(check_owner(subject, doc, "a resource"));
    }
    return NULL;
}

static struct error *check_status(const struct subject *subject)
{
    if (subject->is_paused)
        return check_condition(subject, &(struct expected){"Paused", "True", "Paused"});
    TRY(check_condition(subject, &(struct expected){"Paused", "False", "NotPaused"}));
    if (subject->is_refused)
        return check_refused(subject);
    if (!subject->selected)
        return check_idle(subject);
    TRY(check_resources(subject));
    return check_applied(subject);
}

static bool has_finalizer(const struct json_doc *doc)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, at(doc, "metadata.finalizers"))
        if (str_eq(json_to_str(item), FINALIZER))
            return true;
    return false;
}

static struct error *check_set(struct sets *sets, size_t number)
{
    SCOPED(subject) subject = {0};
    subject_read(sets, number, &subject);
    if (subject.is_deleting && !subject.is_paused)
        return error_new(ERROR_INVALID, "%s is still there", subject.name);
    if (subject.doc && !has_finalizer(subject.doc))
        return error_new(ERROR_INVALID, "%s has no finalizer", subject.name);
    for (size_t i = 0; i < CLUSTERS; i++)
        TRY(check_binding(&subject, i));
    return subject.doc ? check_status(&subject) : NULL;
}

/* Nobody gets what nobody ever meant for it. */
static struct error *check_strangers(struct sets *sets, size_t cluster)
{
    for (size_t i = 0; i < RESOURCES; i++) {
        bool is_meant = false;
        for (size_t set = 0; set < SETS; set++)
            is_meant |= (sets->named[set] & 1U << i) && (sets->chosen[set] & 1U << cluster);
        const struct content_version any = {.resource = i, .objects = 1};
        OWNED(error) lack = catalog_check(sets, &any, cluster, false);
        if (!is_meant && !lack)
            return error_new(ERROR_INVALID, "c%zu has r%zu-a, and nobody wanted it", cluster, i);
    }
    return NULL;
}

static struct error *check_cluster(struct sets *sets, size_t cluster)
{
    OWNED(json_doc) doc = sets_find_cluster(sets, cluster);
    OWNED(json_doc) binding = sets_find_binding(sets, cluster);
    if (doc && sets_is_deleting(doc))
        return error_new(ERROR_INVALID, "c%zu is still there", cluster);
    if (!doc && binding)
        return error_new(ERROR_INVALID, "c%zu is gone, and its binding is not", cluster);
    if (sets->wipes[cluster])
        return error_new(ERROR_INVALID, "c%zu is still being wiped", cluster);
    return check_strangers(sets, cluster);
}

bool model_delivers(struct sets *sets, size_t set, size_t cluster, size_t resource)
{
    SCOPED(subject) subject = {0};
    subject_read(sets, set, &subject);
    return is_serving(&subject) && subject.refs & 1U << resource &&
           subject.selected & 1U << cluster;
}

struct error *model_check(struct sets *sets)
{
    sets->has_trouble = false;
    for (size_t i = 0; i < CLUSTERS; i++)
        TRY(check_cluster(sets, i));
    for (size_t i = 0; i < SETS; i++)
        TRY(check_set(sets, i));
    return NULL;
}
