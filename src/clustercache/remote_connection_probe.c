/*
 * One reconcile of one Cluster:
 *
 *     reconcile_probe
 *       tell_people                             an Event at the loss and at the return
 *       remote_connection_probe_decide          the condition, or nothing
 *       write_condition                         by server-side apply: this condition alone
 *
 * The ClusterCache enqueues a Cluster when its connection begins or ends, and when the first
 * attempt to connect has failed. While there is no connection, the Cluster comes again after each
 * retry interval, because further attempts are not told.
 */
#include "clustercache/remote_connection_probe.h"

#include <assert.h>

#include "apimachinery/wellknown.h"
#include "async/loop.h"
#include "base/memory.h"
#include "client/client.h"
#include "clustercache/clustercache_internal.h"
#include "controller/cache/own_writes.h"
#include "controller/recorder.h"
#include "json/builder.h"

#define MANAGER STR("corset-remote-connection-probe")

/* Between two writes of the condition of one Cluster that differ in the error alone. */
#define REWRITE (5 * MINUTE)

#define WORKERS 16

/* The words of Cluster API. */
#define NOT_YET STR("Remote connection not established yet")
#define FAILED  STR("Remote connection probe failed")
#define LAST    STR(", probe last succeeded at ")

struct remote_connection_probe {
    struct loop *loop;
    struct remote_connection_probe_options options;
    struct controller *controller; /* NULL once it is taken */
    struct own_writes *writes;
};

bool remote_connection_probe_says_lost(const struct condition *condition)
{
    return condition->status == CONDITION_FALSE && !str_starts_with(condition->message, NOT_YET);
}

/* ", probe last succeeded at <time>" of a message of a lost cluster; empty if it has none. */
static struct str last_success_of(struct str message)
{
    if (!str_starts_with(message, FAILED))
        return STR("");
    message = str_skip(message, FAILED.len);
    if (!str_starts_with(message, LAST))
        return STR("");
    const size_t end = str_find(message, STR(": "));
    return str_slice(message, 0, end);
}

struct str remote_connection_probe_last_success(struct str message)
{
    return str_skip(last_success_of(message), LAST.len);
}

struct str remote_connection_probe_problem(struct str message)
{
    const size_t fixed = str_starts_with(message, NOT_YET) ? NOT_YET.len
                         : str_starts_with(message, FAILED)
                             ? FAILED.len + last_success_of(message).len
                             : 0;
    const struct str rest = str_skip(message, fixed);
    return fixed && str_starts_with(rest, STR(": ")) ? str_skip(rest, 2) : message;
}

/* An earlier process may have known the time of the last success, which its condition says. */
static struct str lost_message(const struct remote_connection_probe_facts *facts,
                               const struct condition *current, struct arena *arena)
{
    char text[TIMESTAMP_TEXT_MAX];
    struct str last = current ? last_success_of(current->message) : STR("");
    if (facts->last_success) {
        const struct str time = timestamp_write(facts->last_success, text);
        last = arena_print(arena, "%.*s%.*s", STR_ARG(LAST), STR_ARG(time));
    }
    return arena_print(arena, "%.*s%.*s%s%.*s", STR_ARG(FAILED), STR_ARG(last),
                       facts->problem.len ? ": " : "", STR_ARG(facts->problem));
}

bool remote_connection_probe_decide(const struct remote_connection_probe_facts *facts,
                                    const struct condition *current, struct arena *arena,
                                    struct condition *ret_condition)
{
    struct condition wanted = {
        .type = REMOTE_CONNECTION_PROBE,
        .status = CONDITION_FALSE,
        .reason = STR("ProbeFailed"),
    };
    if (facts->is_connected) {
        wanted.status = CONDITION_TRUE;
        wanted.reason = STR("ProbeSucceeded");
    } else if (facts->is_lost) {
        wanted.message = lost_message(facts, current, arena);
    } else if (facts->has_failed && !current) {
        wanted.message = arena_print(arena, "%.*s%s%.*s", STR_ARG(NOT_YET),
                                     facts->problem.len ? ": " : "", STR_ARG(facts->problem));
    } else {
        return false;
    }
    if (current && current->status == wanted.status && str_eq(current->reason, wanted.reason) &&
        str_eq(current->message, wanted.message))
        return false;
    if (current && current->status == wanted.status)
        wanted.last_transition_time = arena_str(arena, current->last_transition_time);
    *ret_condition = wanted;
    return true;
}

/*
 * The first connection of a cluster is no news, nor is one that was never made. What the condition
 * says counts for what an earlier process has told.
 */
static void tell_people(struct remote_connection_probe *probe, struct accessor *accessor,
                        const struct object *cluster,
                        const struct remote_connection_probe_facts *facts,
                        const struct condition *current)
{
    const enum accessor_told told = accessor->told;
    const bool said_lost = told == ACCESSOR_TOLD_NOTHING
                               ? current && remote_connection_probe_says_lost(current)
                               : told == ACCESSOR_TOLD_LOST;
    const bool was_connected =
        facts->last_success || (current && current->status == CONDITION_TRUE);
    struct recorder *recorder = probe->options.recorder;
    if (facts->is_connected)
        accessor->told = ACCESSOR_TOLD_CONNECTED;
    else if (facts->is_lost)
        accessor->told = ACCESSOR_TOLD_LOST;
    if (!recorder)
        return;
    const struct recorder_reference about = recorder_reference(cluster);
    if (facts->is_connected && said_lost)
        recorder_event(recorder, &about, RECORDER_NORMAL, "ProbeSucceeded", "Probe",
                       "The cluster can be reached again");
    if (facts->is_lost && !said_lost && was_connected)
        recorder_event(recorder, &about, RECORDER_WARNING, "ProbeFailed", "Probe",
                       "The cluster cannot be reached: %.*s", STR_ARG(facts->problem));
}

/* Cluster API's Cluster controller writes this condition on every Cluster it looks after. */
static bool is_kept_by_cluster_api(const struct object *cluster)
{
    struct condition found;
    return condition_find(object_path(cluster, "status.conditions"), STR("Available"), &found);
}

/* A change of the status is written at once, and so is the first loss; another error is not. */
static bool is_write_due(struct remote_connection_probe *probe, struct accessor *accessor,
                         const struct condition *current, const struct condition *wanted)
{
    const bool is_same_state =
        current && current->status == wanted->status &&
        remote_connection_probe_says_lost(current) == remote_connection_probe_says_lost(wanted);
    const int64_t now = loop_now(probe->loop);
    if (is_same_state && accessor->reported > now - REWRITE)
        return false;
    accessor->reported = now;
    return true;
}

/* The UID protects another Cluster of the same name: the server answers with a conflict. */
static struct error *build_patch(struct remote_connection_probe *probe,
                                 const struct object *cluster, const struct condition *wanted,
                                 struct buf *out)
{
    char text[TIMESTAMP_TEXT_MAX];
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    const struct str now = timestamp_write(loop_wall(probe->loop), text);
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", object_api_version(cluster));
    json_builder_add_str(&builder, "kind", object_kind(cluster));
    json_builder_add_object(&builder, "metadata");
    json_builder_add_str(&builder, "name", object_name(cluster));
    json_builder_add_str(&builder, "namespace", object_namespace(cluster));
    json_builder_add_str(&builder, "uid", object_uid(cluster));
    json_builder_end(&builder);
    json_builder_add_object(&builder, "status");
    json_builder_add_array(&builder, "conditions");
    json_builder_object(&builder);
    json_builder_add_str(&builder, "type", wanted->type);
    json_builder_add_str(&builder, "status", condition_status_text(wanted->status));
    json_builder_add_str(&builder, "reason", wanted->reason);
    json_builder_add_str(&builder, "message", wanted->message);
    json_builder_add_str(&builder, "lastTransitionTime",
                         wanted->last_transition_time.len ? wanted->last_transition_time : now);
    if (object_generation(cluster))
        json_builder_add_int(&builder, "observedGeneration", object_generation(cluster));
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(out, json_doc_root(doc));
    return buf_check(out);
}

/* A Cluster that is gone or another one by now needs nothing: its event comes. Suspends. */
static struct error *write_condition(struct remote_connection_probe *probe,
                                     const struct object *cluster, const struct condition *wanted)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(object) written = NULL;
    const struct client_write_options options = {
        .field_manager = MANAGER, .force = true, .subresource = STR("status")};
    TRY(build_patch(probe, cluster, wanted, &text));
    struct error *err = client_patch(probe->options.client, GVR_CLUSTERS, object_key(cluster),
                                     CLIENT_PATCH_APPLY, buf_str(&text), &options, &written);
    err = error_ignore(error_ignore(err, ERROR_NOT_FOUND), ERROR_CONFLICT);
    if (written)
        own_writes_put(probe->writes, written);
    return error_wrap(err, "write the condition RemoteConnectionProbe");
}

/* The newest copy; NULL if there is none, or none that is of interest. */
static struct object *find_cluster(struct remote_connection_probe *probe, struct key key)
{
    OWNED(object_text) text = own_writes_get_text(probe->writes, key);
    OWNED(object) cluster = NULL;
    if (!text)
        return NULL;
    OWNED(error) unreadable = object_text_read(text, &cluster);
    if (unreadable || object_is_deleting(cluster) || !clustercache_is_provisioned(cluster))
        return NULL;
    return TAKE(cluster);
}

static struct remote_connection_probe_facts observe_facts(const struct clustercache *cache,
                                                          struct key key)
{
    const struct clustercache_health health = clustercache_get_health(cache, key);
    return (struct remote_connection_probe_facts){
        .is_connected = health.is_connected,
        .is_lost = health.is_lost,
        .has_failed = health.failures,
        .last_success = health.last_success ? health.last_success_wall : 0,
        .problem = health.problem,
    };
}

static struct error *reconcile_probe(void *data, struct key key,
                                     struct reconcile_result *ret_result)
{
    struct remote_connection_probe *probe = data;
    const struct clustercache *cache = probe->options.clustercache;
    OWNED(object) cluster = find_cluster(probe, key);
    struct accessor *accessor = clustercache_find(cache, key);
    SCOPED(arena) arena = {0};
    struct condition found, wanted;
    if (!cluster || !accessor || !str_eq(str_from_c(accessor->uid), object_uid(cluster)))
        return NULL;
    const struct condition *current =
        condition_find(object_path(cluster, "status.conditions"), REMOTE_CONNECTION_PROBE, &found)
            ? &found
            : NULL;
    const struct remote_connection_probe_facts facts = observe_facts(cache, key);
    if (!facts.is_connected)
        ret_result->requeue_after = cache->config->options.timing.retry;
    tell_people(probe, accessor, cluster, &facts, current);
    if (!probe->options.owns_clusters || is_kept_by_cluster_api(cluster) ||
        !remote_connection_probe_decide(&facts, current, &arena, &wanted) ||
        !is_write_due(probe, accessor, current, &wanted))
        return NULL;
    return write_condition(probe, cluster, &wanted);
}

static void map_connection(void *data, const struct object *cluster, struct queue *queue,
                           int priority)
{
    (void)data;
    queue_add(queue, object_key(cluster), priority);
}

struct remote_connection_probe *
remote_connection_probe_new(struct loop *loop,
                            const struct remote_connection_probe_options *options)
{
    struct remote_connection_probe *probe = NEW(struct remote_connection_probe);
    probe->loop = loop;
    probe->options = *options;
    const duration retry = options->clustercache->config->options.timing.retry;
    probe->writes = own_writes_new(options->clusters, OWN_WRITES_OBJECTS);
    probe->controller = controller_new(loop, &(struct controller_options){
                                                 .name = STR("cluster"),
                                                 .reconcile = reconcile_probe,
                                                 .data = probe,
                                                 .workers = WORKERS,
                                                 .metrics = options->metrics,
                                             });
    controller_watch(probe->controller, options->clusters, NULL);
    clustercache_add_source(options->clustercache, &(struct clustercache_source){
                                                       .controller = STR("cluster"),
                                                       .queue = controller_queue(probe->controller),
                                                       .map = map_connection,
                                                       .probe_failures = &retry,
                                                       .probe_failure_count = 1,
                                                   });
    return probe;
}

void remote_connection_probe_free(struct remote_connection_probe *probe)
{
    if (!probe)
        return;
    controller_free(probe->controller);
    own_writes_free(probe->writes);
    mem_free(probe);
}

struct controller *remote_connection_probe_take_controller(struct remote_connection_probe *probe)
{
    assert(probe->controller);
    return TAKE(probe->controller);
}
