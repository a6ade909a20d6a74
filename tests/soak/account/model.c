/*
 * Compares what bindings, conditions and `corset status` say with what is in the clusters.
 *
 *   - A record that says applied is true: the objects of that version are there. With Reconcile
 *     they are of that version exactly; with ApplyOnce they exist.
 *   - A set that works has a record of everything, and of the present version with Reconcile.
 *   - The binding knows the cluster by its UID.
 *   - Conditions and status follow from that.
 *
 * Excused is what no controller can know: an object that somebody removed, or that a restored
 * backup does not have, in a cluster that is the same by its UID. The record stays until the
 * controller applies the object again; from then on it has to be true.
 */
#include <stdio.h>
#include <string.h>

#include "apimachinery/wellknown.h"
#include "client/client.h"
#include "cmd/status_source.h"
#include "json/path.h"
#include "soak/account/account.h"

/* One set, and what is found about it. */
struct subject {
    struct account *account;
    size_t number;
    char name[32];
    struct json_doc *doc;
    bool is_paused;
    bool is_refused;          /* on a cluster, for good */
    bool is_behind;           /* on a cluster that is dead */
    bool is_held;             /* by a Cluster that is paused */
    bool is_lost;             /* a cluster that is dead, and not paused */
    size_t applied[CLUSTERS]; /* resources that are recorded as such */
};

static void subject_done(struct subject *subject)
{
    json_doc_free(subject->doc);
}

static const struct json_value *at(const struct json_doc *doc, const char *path)
{
    return json_path(doc ? json_doc_root(doc) : NULL, path);
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

static bool is_applied(const struct json_value *record)
{
    bool applied = false;
    return json_to_bool(json_get(record, STR("applied")), &applied) && applied;
}

/* A record from before the loss says nothing of what was begun since and did not get to its end. */
static bool is_excused(const struct account *account, size_t cluster, size_t place,
                       const struct json_value *record)
{
    const struct loss *loss = &account->workloads[cluster].losses[place];
    timestamp recorded;
    CHECK(timestamp_read(json_path_str(record, "lastAppliedTime"), &recorded));
    return loss->lost && (loss->touched < loss->lost || recorded <= loss->time);
}

/*
 * Whether an object in a cluster bears out the record. What ApplyOnce applied the other set may
 * have changed since. Who was paused in the middle of its work has not recorded the newer version
 * that it was about to bring.
 */
static bool bears_out(const struct subject *subject, size_t cluster, unsigned number,
                      unsigned recorded)
{
    if (!account_reconciles(subject->number))
        return number > 0;
    return subject->is_paused || subject->account->workloads[cluster].is_paused
               ? number >= recorded
               : number == recorded;
}

/* The objects of a version that is said to be applied. */
static struct error *check_objects(const struct subject *subject, size_t cluster,
                                   const struct content_version *version,
                                   const struct json_value *record)
{
    for (size_t i = 0; i < OBJECTS; i++) {
        const size_t place = version->resource * OBJECTS + i;
        const unsigned number = contents_look(subject->account, cluster, place);
        if (is_excused(subject->account, cluster, place, record) ||
            bears_out(subject, cluster, number, version->number))
            continue;
        return error_new(ERROR_INVALID,
                         "%s is said to have r%zu on c%zu, which has version %u of o%zu instead "
                         "of %u",
                         subject->name, version->resource, cluster, number, place, version->number);
    }
    return NULL;
}

static struct error *disagree(const struct subject *subject, size_t cluster, size_t resource,
                              const char *how)
{
    return error_new(ERROR_INVALID, "binding c%zu: r%zu of %s %s", cluster, resource, subject->name,
                     how);
}

static struct error *check_claim(const struct subject *subject, size_t cluster, size_t resource,
                                 const struct json_value *record)
{
    const struct content_version *version =
        contents_find(subject->account, resource, json_path_str(record, "hash"));
    if (!version || version->quality != FINE)
        return disagree(subject, cluster, resource, "is applied, and cannot be");
    return check_objects(subject, cluster, version, record);
}

/* What a set that works has to say of a resource on a cluster that lives. */
static struct error *check_progress(struct subject *subject, size_t cluster, size_t resource,
                                    const struct json_value *record)
{
    const struct content_version *version = contents_current(subject->account, resource);
    const struct str hash = json_path_str(record, "hash");
    if (is_applied(record) && !account_reconciles(subject->number))
        return NULL;
    if (version->quality == FINE)
        return is_applied(record) && str_eq(hash, str_from_c(version->hash))
                   ? NULL
                   : disagree(subject, cluster, resource, "is not applied");
    subject->is_refused = true;
    if (!record || is_applied(record))
        return disagree(subject, cluster, resource, "is not said to be refused");
    return NULL;
}

/* A dead cluster cannot get what it lacks, and a paused one must not. */
static void note_lack(struct subject *subject, size_t cluster, size_t resource,
                      const struct json_value *record)
{
    const struct content_version *version = contents_current(subject->account, resource);
    const bool is_old = account_reconciles(subject->number) &&
                        !str_eq(json_path_str(record, "hash"), str_from_c(version->hash));
    if (is_applied(record) && !is_old)
        return;
    if (subject->account->workloads[cluster].is_paused)
        subject->is_held = true;
    else
        subject->is_behind = true;
}

static struct error *check_resource(struct subject *subject, size_t cluster, size_t resource,
                                    const struct json_value *entry)
{
    const struct workload *workload = &subject->account->workloads[cluster];
    char name[32];
    snprintf(name, sizeof(name), "r%zu", resource);
    const struct json_value *record =
        find_by(json_get(entry, STR("resources")), "name", str_from_c(name));
    subject->applied[cluster] += is_applied(record);
    subject->is_lost |= workload->is_dead && !workload->is_paused;
    if (is_applied(record) && !workload->is_dead)
        TRY(check_claim(subject, cluster, resource, record));
    if (subject->is_paused)
        return NULL;
    if (!workload->is_dead && !workload->is_paused)
        return check_progress(subject, cluster, resource, record);
    note_lack(subject, cluster, resource, record);
    return NULL;
}

static struct error *check_uid(struct account *account, size_t cluster)
{
    char uid[UID_MAX], recorded[UID_MAX];
    fleet_uid(account, cluster, uid);
    fleet_recorded_uid(account, cluster, recorded);
    if (recorded[0] && strcmp(uid, recorded) != 0 && !account->workloads[cluster].is_dead)
        return error_new(ERROR_INVALID, "binding c%zu is about %s, the cluster is %s", cluster,
                         recorded, uid);
    return NULL;
}

static struct error *check_binding(struct subject *subject, size_t cluster)
{
    OWNED(json_doc)
    binding = account_find(subject->account, GVR_CLUSTER_RESOURCE_SET_BINDINGS, 'c', cluster);
    const struct json_value *entry =
        find_by(at(binding, "spec.bindings"), "clusterResourceSetName", str_from_c(subject->name));
    for (size_t i = 0; i < RESOURCES; i++)
        if (account_names(subject->number, i))
            TRY(check_resource(subject, cluster, i, entry));
    return NULL;
}

static struct error *check_condition(const struct subject *subject, const char *type,
                                     bool is_wanted)
{
    const struct str status = json_path_str(
        find_by(at(subject->doc, "status.conditions"), "type", str_from_c(type)), "status");
    if (!str_eq(status, is_wanted ? STR("True") : STR("False")))
        return error_new(ERROR_INVALID, "%s: %s is %.*s", subject->name, type, STR_ARG(status));
    return NULL;
}

static struct error *check_conditions(const struct subject *subject)
{
    TRY(check_condition(subject, "Paused", subject->is_paused));
    if (subject->is_paused)
        return NULL;
    TRY(check_condition(subject, "ResourcesApplied",
                        !subject->is_refused && !subject->is_behind && !subject->is_held));
    return check_condition(subject, "Failed", subject->is_refused || subject->is_behind);
}

static enum status_state expected_state(const struct subject *subject)
{
    if (subject->is_paused)
        return STATUS_PAUSED;
    if (subject->is_refused || subject->is_behind)
        return STATUS_FAILED;
    if (subject->is_lost)
        return STATUS_UNREACHABLE;
    return subject->is_held ? STATUS_PAUSED : STATUS_APPLIED;
}

/* A dead cluster is not said to have anything, unless the set is paused and nobody asks. */
static bool is_cell_right(const struct subject *subject, size_t cluster, enum status_state state)
{
    const struct workload *workload = &subject->account->workloads[cluster];
    const bool has_all = subject->applied[cluster] == REFERENCES;
    if (workload->is_paused)
        return state == STATUS_PAUSED;
    if (workload->is_dead)
        return state != STATUS_APPLIED || subject->is_paused;
    if (has_all)
        return state == STATUS_APPLIED;
    return state == (subject->is_paused ? STATUS_PAUSED : STATUS_FAILED);
}

/* What status says of the set on each cluster. */
static struct error *check_cells(const struct subject *subject, const struct status_model *status)
{
    for (size_t i = 0; i < subject->account->clusters; i++) {
        char name[32];
        snprintf(name, sizeof(name), "c%zu", i);
        const struct status_cluster *cluster = status_model_find_cluster(status, str_from_c(name));
        const struct status_cell *cell = NULL;
        for (size_t k = 0; cluster && k < cluster->cell_count; k++)
            if (str_eq(cluster->cells[k].set->key.name, str_from_c(subject->name)))
                cell = &cluster->cells[k];
        if (!cell || cell->applied != subject->applied[i] ||
            !is_cell_right(subject, i, cell->state))
            return error_new(ERROR_INVALID, "status of %s on %s is %s, %zu of %d", subject->name,
                             name, cell ? status_state_name(cell->state) : "missing",
                             cell ? cell->applied : 0, REFERENCES);
    }
    return NULL;
}

static struct error *check_set_state(const struct subject *subject,
                                     const struct status_model *status)
{
    const struct status_set *set = status_model_find_set(status, str_from_c(subject->name));
    const enum status_state expected = expected_state(subject);
    if (!set || set->state != expected)
        return error_new(ERROR_INVALID, "status of %s is %s instead of %s", subject->name,
                         set ? status_state_name(set->state) : "missing",
                         status_state_name(expected));
    return NULL;
}

static void subject_read(struct account *account, size_t number, struct subject *subject)
{
    *subject = (struct subject){.account = account, .number = number};
    snprintf(subject->name, sizeof(subject->name), "s%zu", number);
    subject->doc = account_find(account, GVR_CLUSTER_RESOURCE_SETS, 's', number);
    subject->is_paused =
        json_get(at(subject->doc, "metadata.annotations"), STR("cluster.x-k8s.io/paused")) != NULL;
}

static struct error *check_set(struct subject *subject)
{
    for (size_t i = 0; i < subject->account->clusters; i++)
        TRY(check_binding(subject, i));
    return check_conditions(subject);
}

static struct error *check_status(const struct subject *subjects)
{
    SCOPED(status_model) status = {0};
    bool is_fine = true, is_lost = false;
    CHECK_OK(status_source_list(subjects->account->client, STR(""), &status));
    for (size_t i = 0; i < SETS; i++) {
        TRY(check_set_state(&subjects[i], &status));
        TRY(check_cells(&subjects[i], &status));
        is_lost |= subjects[i].is_lost;
        is_fine &= status_state_is_fine(expected_state(&subjects[i]));
    }
    /* Whether a cluster that no set asks for was ever connected is nobody's business here. */
    if (status_model_is_applied(&status) != is_fine && !(is_fine && is_lost))
        return error_new(ERROR_INVALID, "the exit code of status says %s",
                         is_fine ? "trouble" : "all is well");
    return NULL;
}

struct error *model_check(struct account *account)
{
    struct subject subjects[SETS];
    struct error *err = NULL;
    for (size_t i = 0; i < account->clusters; i++)
        TRY(check_uid(account, i));
    for (size_t i = 0; i < SETS; i++)
        subject_read(account, i, &subjects[i]);
    for (size_t i = 0; i < SETS && !err; i++)
        err = check_set(&subjects[i]);
    if (!err)
        err = check_status(subjects);
    for (size_t i = 0; i < SETS; i++)
        subject_done(&subjects[i]);
    return err;
}
