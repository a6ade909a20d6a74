/*
 * Leader election, like client-go's tools/leaderelection on a Lease.
 *
 *     leader_acquire()   try_acquire() every retry period, with jitter, until it leads
 *     leader_hold()      renew_lease() every retry period until it fails for the renew deadline
 *
 * Safety rests on two clocks that never need to agree. The leader stops at "until", which is the
 * renew deadline after the moment before its last successful write was sent. A candidate waits for
 * the whole lease duration after it has seen the record change. Since the renew deadline is shorter
 * than the lease duration, the leader has stopped before a candidate can begin.
 *
 * Writes name the resourceVersion that was read, so of two candidates one gets ERROR_CONFLICT.
 */
#include "controller/leader.h"

#include <unistd.h>

#include "apimachinery/object.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/random.h"
#include "base/timestamp.h"
#include "client/client.h"
#include "json/edit.h"

#define LEASE_DURATION_DEFAULT (15 * SECOND)
#define RENEW_DEADLINE_DEFAULT (10 * SECOND)
#define RETRY_PERIOD_DEFAULT   (2 * SECOND)
#define RETRY_JITTER           1.2
#define REQUEST_LIMIT_MIN      SECOND

static const struct metrics_family families[] = {
    METRICS_GAUGE("leader_election_master_status",
                  "Whether this process holds the lease: 1 for the leader, 0 for all others.",
                  "name"),
};

struct leader {
    struct loop *loop;
    struct leader_options options;
    struct arena texts;
    duration request_limit;
    struct metrics *own_metrics;
    struct metrics_series *status;

    struct object *lease; /* as it was last seen; NULL: none */
    struct buf record;    /* the JSON of its spec, which a living leader changes */
    int64_t changed;      /* when this record was first seen */

    bool leads;
    int64_t until; /* when leading ends unless it is renewed */
};

/* The conditions and texts of client-go's NewLeaderElector(). */
static struct error *check_durations(const struct leader_options *options)
{
    if (options->lease_duration <= options->renew_deadline)
        return error_new(ERROR_INVALID, "lease duration must be greater than renew deadline");
    if ((double)options->renew_deadline <= (double)options->retry_period * RETRY_JITTER)
        return error_new(ERROR_INVALID,
                         "renew deadline must be greater than 1.2 times the retry period");
    if (options->retry_period < 0)
        return error_new(ERROR_INVALID, "retry period must be greater than zero");
    return NULL;
}

/* The name that controller-runtime makes. The random part is not from the loop, which tests seed.
 */
static struct str make_identity(struct arena *arena)
{
    char host[256] = "unknown", uuid[RANDOM_UUID_LEN + 1];
    struct random random;
    random_init_secure(&random);
    if (gethostname(host, sizeof(host) - 1) != 0)
        host[0] = '\0';
    const struct str unique = random_uuid(&random, uuid);
    return arena_print(arena, "%s_%.*s", host, STR_ARG(unique));
}

static void set_defaults(struct leader_options *options)
{
    if (!options->lease_duration)
        options->lease_duration = LEASE_DURATION_DEFAULT;
    if (!options->renew_deadline)
        options->renew_deadline = RENEW_DEADLINE_DEFAULT;
    if (!options->retry_period)
        options->retry_period = RETRY_PERIOD_DEFAULT;
}

struct error *leader_new(struct loop *loop, const struct leader_options *options,
                         struct leader **ret_leader)
{
    struct leader_options full = *options;
    set_defaults(&full);
    TRY(check_durations(&full));
    if (!full.lease.name.len || !full.lease.namespace.len)
        return error_new(ERROR_INVALID, "the lease needs a namespace and a name");
    struct leader *leader = NEW(struct leader);
    leader->loop = loop;
    leader->options = full;
    leader->options.lease = key_copy(&leader->texts, full.lease);
    leader->options.identity = full.identity.len ? arena_str(&leader->texts, full.identity)
                                                 : make_identity(&leader->texts);
    const duration half = full.renew_deadline / 2;
    leader->request_limit = half > REQUEST_LIMIT_MIN ? half : REQUEST_LIMIT_MIN;
    struct metrics *metrics = full.metrics;
    if (!metrics)
        metrics = leader->own_metrics = metrics_new();
    metrics_register(metrics, families, COUNT(families));
    leader->status =
        metrics_series_ref(METRICS_SERIES(metrics, &families[0], leader->options.lease.name));
    *ret_leader = leader;
    return NULL;
}

void leader_free(struct leader *leader)
{
    if (!leader)
        return;
    metrics_series_unref(leader->status);
    metrics_free(leader->own_metrics);
    object_free(leader->lease);
    buf_done(&leader->record);
    arena_done(&leader->texts);
    mem_free(leader);
}

bool leader_check(const struct leader *leader)
{
    return leader->leads && loop_now(leader->loop) < leader->until;
}

bool leader_may_write(void *data)
{
    return leader_check(data);
}

static void set_leads(struct leader *leader, bool leads)
{
    leader->leads = leads;
    metrics_set(leader->status, leads);
}

/* Takes the object. A changed record starts the wait of candidates anew. */
static void observe_lease(struct leader *leader, struct object *lease)
{
    SCOPED(buf) record = {0};
    json_write(&record, object_spec(lease));
    object_free(leader->lease);
    leader->lease = lease;
    if (leader->changed && str_eq(buf_str(&record), buf_str(&leader->record)))
        return;
    buf_clear(&leader->record);
    buf_add(&leader->record, buf_str(&record));
    leader->changed = loop_now(leader->loop);
}

static struct str holder_of(const struct leader *leader)
{
    return json_to_str(object_path(leader->lease, "spec.holderIdentity"));
}

/* A lease without a holder was released. */
static bool is_held_by_another(const struct leader *leader)
{
    const struct str identity = holder_of(leader);
    return identity.len && !str_eq(identity, leader->options.identity);
}

/* The duration that the holder has written into the lease; the own one if that is unusable. */
static duration lease_duration_of(const struct leader *leader)
{
    int64_t seconds;
    const struct json_value *value = object_path(leader->lease, "spec.leaseDurationSeconds");
    if (!json_to_int64(value, &seconds) || seconds <= 0 || seconds > HOUR / SECOND * 24)
        return leader->options.lease_duration;
    return seconds * SECOND;
}

static void set_time(struct json_edit *edit, struct json_place place, const struct leader *leader)
{
    char text[TIMESTAMP_TEXT_MAX];
    json_edit_set_str(edit, place, timestamp_write_micro(loop_wall(leader->loop), text));
}

static void set_identity(struct json_edit *edit, const struct leader *leader)
{
    json_edit_set_str(edit, JSON_PLACE("apiVersion"), STR("coordination.k8s.io/v1"));
    json_edit_set_str(edit, JSON_PLACE("kind"), STR("Lease"));
    json_edit_set_str(edit, JSON_PLACE("metadata.name"), leader->options.lease.name);
    json_edit_set_str(edit, JSON_PLACE("metadata.namespace"), leader->options.lease.namespace);
}

static int64_t transitions_of(const struct leader *leader)
{
    int64_t count = 0;
    if (leader->lease)
        (void)json_to_int64(object_path(leader->lease, "spec.leaseTransitions"), &count);
    return count;
}

/* The lease with this process as its holder, renewed now. Unknown fields stay. */
static struct error *make_held_lease(const struct leader *leader, struct object **ret_object)
{
    const bool is_ours = leader->lease && str_eq(holder_of(leader), leader->options.identity);
    OWNED(json_doc) doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, leader->lease ? object_root(leader->lease) : NULL);
    set_identity(&edit, leader);
    json_edit_set_str(&edit, JSON_PLACE("spec.holderIdentity"), leader->options.identity);
    json_edit_set_int(&edit, JSON_PLACE("spec.leaseDurationSeconds"),
                      (leader->options.lease_duration + SECOND - 1) / SECOND);
    if (!is_ours)
        set_time(&edit, JSON_PLACE("spec.acquireTime"), leader);
    set_time(&edit, JSON_PLACE("spec.renewTime"), leader);
    json_edit_set_int(&edit, JSON_PLACE("spec.leaseTransitions"),
                      transitions_of(leader) + (leader->lease && !is_ours));
    TRY(json_edit_finish(&edit, &doc));
    return object_from_doc(doc, ret_object);
}

/* Writes the lease. The renew deadline counts from the moment before it was sent. Suspends. */
static struct error *write_lease(struct leader *leader)
{
    const struct client_write_options options = {.timeout = leader->request_limit};
    OWNED(object) wanted = NULL;
    struct object *written;
    TRY(make_held_lease(leader, &wanted));
    const int64_t sent = loop_now(leader->loop);
    struct client *client = leader->options.client;
    if (leader->lease)
        TRY(client_update(client, GVR_LEASES, wanted, &options, &written));
    else
        TRY(client_create(client, GVR_LEASES, wanted, &options, &written));
    observe_lease(leader, written);
    leader->until = sent + leader->options.renew_deadline;
    return NULL;
}

/* Reads the lease. A lease that does not exist is not an error. Suspends. */
static struct error *read_lease(struct leader *leader)
{
    const struct client_get_options options = {.timeout = leader->request_limit};
    struct object *lease;
    struct error *err =
        client_get(leader->options.client, GVR_LEASES, leader->options.lease, &options, &lease);
    if (!err) {
        observe_lease(leader, lease);
        return NULL;
    }
    if (error_is(err, ERROR_NOT_FOUND)) {
        object_free(TAKE(leader->lease));
        leader->changed = 0;
    }
    return error_ignore(err, ERROR_NOT_FOUND);
}

/* One attempt to get or keep the lease. *ret_held is false if another process holds it. Suspends.
 */
static struct error *try_acquire_or_renew(struct leader *leader, bool *ret_held)
{
    *ret_held = false;
    TRY(read_lease(leader), "read the lease");
    if (leader->lease && is_held_by_another(leader)) {
        if (leader->leads)
            return NULL; /* even if the record is old: another process may believe that it leads */
        if (loop_now(leader->loop) < leader->changed + lease_duration_of(leader))
            return NULL;
    }
    TRY(write_lease(leader), "write the lease");
    *ret_held = true;
    return NULL;
}

/* One attempt to become the leader; leader->leads says whether it succeeded. Suspends. */
static struct error *try_acquire(struct leader *leader)
{
    bool held;
    FIBER_TIMEOUT(leader->options.renew_deadline);
    TRY(try_acquire_or_renew(leader, &held));
    leader->leads = held;
    return NULL;
}

/* Losing a race against another candidate (conflict, already exists) is normal and not logged. */
struct error *leader_acquire(struct leader *leader)
{
    LOG_CONTEXT(LOG_KEY("lease", leader->options.lease.namespace, leader->options.lease.name),
                LOG_STR("identity", leader->options.identity));
    log_info("Attempting to acquire leader lease");
    for (;;) {
        OWNED(error) err = try_acquire(leader);
        set_leads(leader, leader_check(leader)); /* the response may have come too late */
        if (leader->leads)
            break;
        if (err && fiber_is_canceled(fiber_current()))
            return TAKE(err);
        if (err && !error_is(err, ERROR_CONFLICT) && !error_is(err, ERROR_ALREADY_EXISTS))
            log_error("Acquiring the lease failed", LOG_ERROR(err));
        TRY(fiber_sleep(
            random_jitter(loop_random(leader->loop), leader->options.retry_period, RETRY_JITTER)));
    }
    log_info("Successfully acquired lease");
    return NULL;
}

/* Like client-go's release(): no holder, and a duration that ends at once. */
static struct error *make_released_lease(const struct leader *leader, struct object **ret_object)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(json_edit) edit;
    json_edit_init(&edit, object_root(leader->lease));
    json_edit_remove(&edit, JSON_PLACE("spec.holderIdentity"));
    json_edit_set_int(&edit, JSON_PLACE("spec.leaseDurationSeconds"), 1);
    set_time(&edit, JSON_PLACE("spec.acquireTime"), leader);
    set_time(&edit, JSON_PLACE("spec.renewTime"), leader);
    TRY(json_edit_finish(&edit, &doc));
    return object_from_doc(doc, ret_object);
}

/* Releases the lease, so that the next leader need not wait. Suspends, although cancelled. */
static void release_lease(struct leader *leader)
{
    const struct client_write_options options = {.timeout = leader->request_limit};
    OWNED(object) wanted = NULL;
    FIBER_SHIELD(leader->request_limit);
    OWNED(error) err = make_released_lease(leader, &wanted);
    if (!err)
        err = client_update(leader->options.client, GVR_LEASES, wanted, &options, NULL);
    if (err)
        log_error("Releasing the lease failed", LOG_ERROR(err));
    else
        log_info("Released the lease");
}

static struct error *lose_leadership(struct leader *leader)
{
    set_leads(leader, false);
    return error_new(ERROR_EXPIRED, "leader election lost");
}

/* Suspends until the next renewal, at most until leading ends. */
static struct error *wait_renewal(const struct leader *leader)
{
    const duration left = leader->until - loop_now(leader->loop);
    const duration period = leader->options.retry_period;
    return fiber_sleep(left < period ? left : period);
}

/*
 * One renewal. Writes the lease as it was last seen, without reading it before. Only if that fails
 * because the lease was changed or deleted it is read. *ret_held is false if another process holds
 * it. Suspends.
 */
static struct error *renew_lease(struct leader *leader, bool *ret_held)
{
    FIBER_TIMEOUT(leader->until - loop_now(leader->loop));
    *ret_held = true;
    OWNED(error) err = write_lease(leader);
    if (!err)
        return NULL;
    if (!error_is(err, ERROR_CONFLICT) && !error_is(err, ERROR_NOT_FOUND))
        return TAKE(err);
    return try_acquire_or_renew(leader, ret_held);
}

/* Renews until the lease is lost or the fiber is cancelled. Errors of renewals are logged.
 * Suspends. */
static struct error *keep_lease(struct leader *leader)
{
    for (;;) {
        TRY(wait_renewal(leader));
        if (!leader_check(leader))
            return lose_leadership(leader);
        bool held;
        struct error *err = renew_lease(leader, &held);
        if (err && fiber_is_canceled(fiber_current()))
            return err;
        if (err)
            log_error("Renewing the lease failed", LOG_ERROR(err));
        error_free(err);
        if (!leader_check(leader) || (!err && !held))
            return lose_leadership(leader);
    }
}

struct error *leader_hold(struct leader *leader)
{
    LOG_CONTEXT(LOG_KEY("lease", leader->options.lease.namespace, leader->options.lease.name),
                LOG_STR("identity", leader->options.identity));
    struct error *err = leader_check(leader) ? keep_lease(leader) : lose_leadership(leader);
    const bool still = leader_check(leader);
    set_leads(leader, false); /* before the release lets others begin */
    if (still && leader->options.release)
        release_lease(leader);
    return err;
}
