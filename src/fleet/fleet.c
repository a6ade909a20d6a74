/*
 * The way of a request:
 *
 *     fleet_serve()     the path, and what it asks for
 *     serve_one()       authorize_one(), a turn among FLEET_CONCURRENCY, fleet_proxy_serve()
 *     serve_all()       find_namespaces(), a place among FLEET_QUESTIONS, answer_question()
 *     conclude()        log, metrics
 */
#include "fleet/fleet.h"

#include "apimachinery/status.h"
#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/semaphore.h"
#include "base/list.h"
#include "base/log.h"
#include "base/map.h"
#include "base/memory.h"
#include "clustercache/clustercache.h"
#include "fleet/fleet_discovery.h"
#include "fleet/fleet_list.h"
#include "fleet/fleet_metrics.h"
#include "fleet/fleet_proxy.h"
#include "http/headers.h"
#include "http/server.h"

#define TURN_WAIT (5 * SECOND)
#define CLUSTERS  GVR(FLEET_GROUP, FLEET_VERSION, "clusters")

struct fleet {
    struct loop *loop;
    struct fleet_options options;
    struct clustercache_each_memory memory;
    struct fleet_continue_key key;
    struct semaphore turns; /* of requests to one cluster */
    size_t questions;
    struct map askers; /* user -> number of questions, as a pointer */
    struct list running;
    struct event ended; /* a request that was running has ended */
};

/* A request that is under way. */
struct passage {
    struct list_link link;
    struct fiber *fiber;
    const struct fleet_request *request;
    struct fleet_path path;
    struct fleet_reply reply;
    struct fleet_outcome outcome;
    int64_t begun;
};

struct fleet *fleet_new(struct loop *loop, const struct fleet_options *options)
{
    struct fleet *fleet = NEW(struct fleet);
    fleet->loop = loop;
    fleet->options = *options;
    if (!fleet->options.concurrency)
        fleet->options.concurrency = FLEET_CONCURRENCY;
    fleet->memory.limit = options->memory;
    fleet->turns.permits = fleet->options.concurrency;
    fleet_continue_key_init(&fleet->key);
    list_init(&fleet->running);
    fleet_metrics_register(options->metrics);
    return fleet;
}

void fleet_free(struct fleet *fleet)
{
    if (!fleet)
        return;
    LIST_FOREACH (struct passage, passage, &fleet->running, link)
        fiber_cancel(passage->fiber);
    while (!list_is_empty(&fleet->running)) {
        FIBER_SHIELD(FOREVER);
        error_free(event_wait(&fleet->ended, "requests to clusters to end"));
    }
    map_done(&fleet->askers);
    mem_wipe(&fleet->key, sizeof(fleet->key));
    mem_free(fleet);
}

static struct error *decide(const struct fleet *fleet, const struct rest_impersonation *user,
                            struct fleet_attributes attributes, bool *ret_allowed)
{
    const struct fleet_authorizer *authorizer = &fleet->options.authorizer;
    *ret_allowed = true;
    return authorizer->decide ? authorizer->decide(authorizer->data, user, &attributes, ret_allowed)
                              : NULL;
}

static const struct {
    struct str method, verb;
} verbs[] = {
    {STR_INIT("GET"),    STR_INIT("get")   },
    {STR_INIT("HEAD"),   STR_INIT("get")   },
    {STR_INIT("POST"),   STR_INIT("create")},
    {STR_INIT("PUT"),    STR_INIT("update")},
    {STR_INIT("PATCH"),  STR_INIT("patch") },
    {STR_INIT("DELETE"), STR_INIT("delete")},
};

static struct str find_verb(struct str method)
{
    for (size_t i = 0; i < COUNT(verbs); i++)
        if (str_eq(verbs[i].method, method))
            return verbs[i].verb;
    return (struct str){0};
}

/* A user who may do something with a cluster knows that it exists; others do not learn it. */
static struct error *refuse_verb(const struct fleet *fleet, const struct passage *passage,
                                 struct str verb)
{
    const struct key cluster = passage->path.cluster;
    SCOPED(buf) why = {0};
    for (size_t i = 0; i < COUNT(verbs); i++) {
        bool allowed;
        TRY(decide(fleet, &passage->request->user,
                   (struct fleet_attributes){verbs[i].verb, cluster.namespace, cluster.name},
                   &allowed));
        if (!allowed)
            continue;
        buf_print(&why,
                  "User \"%.*s\" cannot %.*s resource \"clusters/proxy\" in API group "
                  "\"" FLEET_GROUP "\" in the namespace \"%.*s\"",
                  STR_ARG(passage->request->user.user), STR_ARG(verb), STR_ARG(cluster.namespace));
        return status_forbidden(CLUSTERS, cluster.name, buf_str(&why));
    }
    return status_not_found(CLUSTERS, cluster.name);
}

static struct error *authorize_one(const struct fleet *fleet, const struct passage *passage)
{
    const struct key cluster = passage->path.cluster;
    const struct str method = http_request_method(passage->request->http);
    const struct str verb = find_verb(method);
    bool allowed;
    if (!verb.len)
        return status_method_not_allowed();
    TRY(decide(fleet, &passage->request->user,
               (struct fleet_attributes){verb, cluster.namespace, cluster.name}, &allowed));
    if (!allowed)
        return refuse_verb(fleet, passage, verb);
    return fleet->options.own_identity ? fleet_proxy_check_own(method, &passage->path) : NULL;
}

static struct error *take_turn(struct fleet *fleet)
{
    FIBER_TIMEOUT(TURN_WAIT);
    struct error *err = semaphore_take(&fleet->turns);
    if (!error_is(err, ERROR_DEADLINE))
        return err;
    error_free(err);
    return status_too_many_requests(STR("too many requests to clusters, please try again later"),
                                    1);
}

static const struct rest_impersonation *identity(const struct fleet *fleet,
                                                 const struct fleet_request *request)
{
    return fleet->options.own_identity ? NULL : &request->user;
}

static struct error *serve_one(struct fleet *fleet, struct passage *passage)
{
    const struct fleet_proxy_request request = {
        .clusters = fleet->options.clusters,
        .http = passage->request->http,
        .path = &passage->path,
        .as = identity(fleet, passage->request),
    };
    TRY(authorize_one(fleet, passage));
    TRY(take_turn(fleet));
    struct error *err = fleet_proxy_serve(&request, &passage->reply);
    semaphore_give(&fleet->turns);
    return err;
}

/* The namespaces whose clusters a user may ask; those that were decided, with the decision. */
struct grants {
    struct map namespaces; /* name -> NULL, or itself when it is allowed */
    bool all;
};

static void grants_done(struct grants *grants)
{
    map_done(&grants->namespaces);
}

static void note_namespace(void *data, struct key cluster)
{
    struct grants *grants = data;
    if (!map_has(&grants->namespaces, cluster.namespace))
        map_put(&grants->namespaces, cluster.namespace, NULL);
}

static bool is_granted(void *data, struct key cluster)
{
    const struct grants *grants = data;
    return grants->all || map_find(&grants->namespaces, cluster.namespace);
}

static struct error *forbid_all(const struct fleet_request *request)
{
    SCOPED(buf) why = {0};
    buf_print(&why,
              "User \"%.*s\" cannot list resource \"clusters/proxy\" in API group \"" FLEET_GROUP
              "\" at the cluster scope",
              STR_ARG(request->user.user));
    return status_forbidden(CLUSTERS, STR(""), buf_str(&why));
}

/* Everywhere, or the namespaces where it is allowed one by one. */
static struct error *find_grants(const struct fleet *fleet, const struct fleet_request *request,
                                 const struct fleet_question *question, struct grants *grants)
{
    size_t allowed_count = 0;
    TRY(decide(fleet, &request->user, (struct fleet_attributes){.verb = STR("list")},
               &grants->all));
    if (grants->all)
        return NULL;
    if (question->namespace.len)
        note_namespace(grants, (struct key){.namespace = question->namespace});
    else
        clustercache_visit(fleet->options.clusters, note_namespace, grants);
    MAP_FOREACH (entry, &grants->namespaces) {
        bool allowed;
        TRY(decide(fleet, &request->user,
                   (struct fleet_attributes){.verb = STR("list"), .namespace = map_key(entry)},
                   &allowed));
        entry->value = allowed ? entry->key : NULL;
        allowed_count += allowed;
    }
    return allowed_count ? NULL : forbid_all(request);
}

/* Takes a place among the questions that run; both limits are told apart by nothing but words. */
static struct error *enter_questions(struct fleet *fleet, struct str user)
{
    const size_t own = (size_t)(uintptr_t)map_find(&fleet->askers, user);
    if (fleet->questions >= FLEET_QUESTIONS || own >= FLEET_QUESTIONS_BY_ONE)
        return status_too_many_requests(
            own >= FLEET_QUESTIONS_BY_ONE
                ? STR("too many questions of this user to all clusters, please try again later")
                : STR("too many questions to all clusters, please try again later"),
            1);
    fleet->questions++;
    map_put(&fleet->askers, user, (void *)(uintptr_t)(own + 1));
    return NULL;
}

static void leave_questions(struct fleet *fleet, struct str user)
{
    const size_t own = (size_t)(uintptr_t)map_find(&fleet->askers, user);
    fleet->questions--;
    if (own > 1)
        map_put(&fleet->askers, user, (void *)(uintptr_t)(own - 1));
    else
        map_remove(&fleet->askers, user);
}

static struct fleet_asker make_asker(struct fleet *fleet)
{
    return (struct fleet_asker){
        .clusters = fleet->options.clusters,
        .memory = &fleet->memory,
        .window = fleet->options.concurrency,
        .key = &fleet->key,
        .now = loop_wall(fleet->loop),
    };
}

static struct error *answer_question(const struct fleet_asker *asker, const struct fleet_path *path,
                                     const struct fleet_question *question,
                                     struct fleet_reply *reply, struct arena *arena,
                                     struct fleet_outcome *outcome)
{
    return question->is_discovery ? fleet_discovery_serve(asker, path, question, reply, outcome)
                                  : fleet_list_serve(asker, question, reply, arena, outcome);
}

static struct error *serve_all(struct fleet *fleet, struct passage *passage)
{
    const struct fleet_request *request = passage->request;
    const struct http_headers *headers = http_request_headers(request->http);
    SCOPED(grants) grants = {0};
    struct fleet_question question;
    if (!str_eq(http_request_method(request->http), STR("GET")))
        return status_method_not_allowed();
    TRY(fleet_question_read(request->arena, &passage->path,
                            http_headers_find(headers, STR("accept")), &question));
    if (fleet->options.own_identity)
        TRY(fleet_proxy_check_own(STR("GET"), &passage->path));
    TRY(find_grants(fleet, request, &question, &grants));
    struct fleet_asker asker = make_asker(fleet);
    asker.as = identity(fleet, request);
    asker.agent = http_headers_find(headers, STR("user-agent"));
    asker.admits = is_granted;
    asker.admits_data = &grants;
    TRY(enter_questions(fleet, request->user.user));
    struct error *err = answer_question(&asker, &passage->path, &question, &passage->reply,
                                        request->arena, &passage->outcome);
    leave_questions(fleet, request->user.user);
    fleet_metrics_count_clusters(fleet->options.metrics, &passage->outcome);
    return err;
}

static struct error *serve_own(struct passage *passage, void (*write)(struct buf *out))
{
    SCOPED(buf) text = {0};
    write(&text);
    return fleet_reply_send(&passage->reply, 200, NULL, buf_str(&text));
}

static bool impersonates(const struct http_headers *headers)
{
    HTTP_HEADERS_FOREACH (header, headers)
        if (str_starts_with(header.name, STR("impersonate-")))
            return true;
    return false;
}

/*
 * Discovery is answered at any time: kube-apiserver takes an API whose discovery fails for one that
 * is down, on all replicas.
 */
static struct error *check_serving(const struct fleet *fleet)
{
    const struct fleet_options *options = &fleet->options;
    struct error *err = NULL;
    if (options->leads && !options->leads(options->leads_data))
        err = error_new(ERROR_SERVICE_UNAVAILABLE, "this replica does not lead, please try again");
    else if (!clustercache_knows_all(options->clusters))
        err = error_new(ERROR_SERVICE_UNAVAILABLE,
                        "not all clusters are known yet, please try again");
    if (err)
        err->retry_after = 2 * SECOND;
    return err;
}

static struct error *route_passage(struct fleet *fleet, struct passage *passage)
{
    const struct fleet_request *request = passage->request;
    if (!request->may_impersonate && impersonates(http_request_headers(request->http)))
        return status_bad_request("Impersonate-* headers are not taken here");
    TRY(fleet_path_read(request->arena, request->target, &passage->path));
    switch (passage->path.kind) {
    case FLEET_PATH_GROUP:
        return serve_own(passage, fleet_discovery_write_group);
    case FLEET_PATH_ROOT:
        return serve_own(passage, fleet_discovery_write_own);
    case FLEET_PATH_ONE:
        TRY(check_serving(fleet));
        return serve_one(fleet, passage);
    case FLEET_PATH_ALL:
        TRY(check_serving(fleet));
        return serve_all(fleet, passage);
    case FLEET_PATH_UNKNOWN:
        break;
    }
    return status_no_such_resource();
}

/* Never bodies, and of the target the path alone: a query may hold anything. */
static void conclude(const struct fleet *fleet, const struct passage *passage)
{
    const struct fleet_request *request = passage->request;
    const duration took = loop_now(fleet->loop) - passage->begun;
    const bool is_one = passage->path.kind == FLEET_PATH_ONE;
    if (!is_one && passage->path.kind != FLEET_PATH_ALL)
        return;
    fleet_metrics_count(fleet->options.metrics, is_one ? STR("one") : STR("all"),
                        passage->reply.status, took, passage->reply.bytes);
    log_v(2, "Served a request to clusters", LOG_STR("user", request->user.user),
          LOG_STR("method", http_request_method(request->http)),
          LOG_STR("path", passage->path.rest),
          LOG_KEY("Cluster", passage->path.cluster.namespace, passage->path.cluster.name),
          LOG_INT("status", passage->reply.status),
          LOG_INT("clusters", (int64_t)(is_one ? 1 : passage->outcome.asked)),
          LOG_INT("items", (int64_t)passage->outcome.items),
          LOG_INT("bytes", (int64_t)passage->reply.bytes), LOG_DURATION("duration", took));
}

struct error *fleet_serve(struct fleet *fleet, const struct fleet_request *request)
{
    struct passage passage = {
        .fiber = fiber_current(),
        .request = request,
        .reply = fleet_reply_http(request->http),
        .begun = loop_now(fleet->loop),
    };
    list_append(&fleet->running, &passage.link);
    struct error *err = route_passage(fleet, &passage);
    if (err)
        err = fleet_reply_fail(&passage.reply, NULL, err);
    conclude(fleet, &passage);
    list_remove(&passage.link);
    event_wake_all(&fleet->ended);
    return err;
}

struct error *fleet_ask(struct fleet *fleet, struct arena *arena, struct str target,
                        struct str accept, struct fleet_reply *reply)
{
    struct fleet_path path;
    struct fleet_question question;
    struct fleet_outcome outcome = {0};
    TRY(fleet_path_read(arena, ARENA_JOIN(arena, STR(FLEET_PREFIX "/fleet"), target), &path));
    TRY(fleet_question_read(arena, &path, accept, &question));
    const struct fleet_asker asker = make_asker(fleet);
    return answer_question(&asker, &path, &question, reply, arena, &outcome);
}
