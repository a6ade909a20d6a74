/*
 * The server of a workload cluster. It answers what a connection needs: /, discovery of core/v1 and
 * Nodes. It counts its answers to GET /, which are those of probes and connects.
 *
 * An answer is certain to arrive only without an outage, or with one that merely changes the
 * status. All other answers are counted as "perhaps".
 */
#include <inttypes.h>
#include <stdio.h>

#include "async/fiber.h"
#include "http/server.h"
#include "soak/clusters/chaos.h"

#define PORT_PLAIN 80
#define PORT_TLS   443

/* An answer has arrived after this time, unless an outage begins before. */
#define UNDER_WAY (50 * MILLISECOND)

/* After lost or late bytes a request may be answered when its client has given up. */
#define HELD_UP (8 * SECOND)

static const struct {
    const char *name;
    int status; /* answered to everything; 0: what was asked for */
} outages[OUTAGE_COUNT] = {
    [OUTAGE_NONE] = {"is well",            0  },
    [OUTAGE_KILLED] = {"is killed",          0  },
    [OUTAGE_BLACK_HOLE] = {"is a black hole",    0  },
    [OUTAGE_BREAKING] = {"breaks connections", 0  },
    [OUTAGE_SLOW] = {"is slow",            0  },
    [OUTAGE_FAILING] = {"fails",              500},
    [OUTAGE_UNAUTHORIZED] = {"knows nobody",       401},
};

/* Faults of the network. Those of the server itself are in the table above. */
static struct sim_faults faults_of(enum outage outage)
{
    struct sim_faults faults = {.refuse = outage == OUTAGE_KILLED,
                                .black_hole = outage == OUTAGE_BLACK_HOLE};
    if (outage == OUTAGE_BREAKING)
        faults.reset = 0.2;
    if (outage == OUTAGE_SLOW) {
        faults.latency = 500 * MILLISECOND;
        faults.jitter = 2 * SECOND;
    }
    return faults;
}

/* True if answers arrive during this outage. */
static bool is_reliable(enum outage outage)
{
    return outage == OUTAGE_NONE || outages[outage].status;
}

static void write_node(void *data, size_t index, uint64_t version, struct buf *out)
{
    (void)data;
    buf_print(out,
              "\"metadata\":{\"name\":\"n%zu\",\"uid\":\"n%zu\",\"resourceVersion\":\"%" PRIu64
              "\"},\"spec\":{}",
              index, index, version);
}

/* Called for every answer to GET /. */
static void note_answer(struct workload_cluster *cluster, bool is_good)
{
    const int64_t now = loop_now(loop_current());
    const bool arrives = is_reliable(cluster->outage) && now - cluster->was_lossy > HELD_UP;
    cluster->answered = arrives ? now : 0;
    cluster->answered_good = is_good;
    if (is_good)
        ++*(arrives ? &cluster->good : &cluster->good_perhaps);
    else
        ++*(arrives ? &cluster->refused : &cluster->refused_perhaps);
}

/* The last answer may still be under way when an outage begins: then it counts as "perhaps". */
static void doubt_last_answer(struct workload_cluster *cluster)
{
    if (cluster->answered == 0 || loop_now(loop_current()) - cluster->answered > UNDER_WAY)
        return;
    if (cluster->answered_good) {
        cluster->good--;
        cluster->good_perhaps++;
    } else {
        cluster->refused--;
        cluster->refused_perhaps++;
    }
    cluster->answered = 0;
}

/* Tokens are "t<number>". Clients send them over TLS only, so plain runs accept everything. */
static bool is_known(struct workload_cluster *cluster, const struct http_request *request)
{
    uint64_t number = 0;
    if (!cluster->chaos->tls_server)
        return true;
    const struct str sent = http_headers_find(http_request_headers(request), STR("authorization"));
    const struct str prefix = STR("Bearer t");
    const bool is_ours =
        str_starts_with(sent, prefix) && str_to_uint64(str_skip(sent, prefix.len), &number);
    const bool is_good = is_ours && number >= cluster->refused_below && number <= cluster->token;
    cluster->bad_tokens += !is_good;
    return is_good;
}

static struct error *refuse(struct http_request *request, int status)
{
    SCOPED(buf) body = {0};
    const enum error_code code = error_code_from_http_status(status);
    buf_print(&body,
              "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":"
              "\"said no\",\"reason\":\"%.*s\",\"code\":%d}",
              STR_ARG(error_code_reason(code)), status);
    return http_request_answer(request, status, STR("application/json"), buf_str(&body));
}

static struct error *answer_text(struct http_request *request, const char *text)
{
    return http_request_answer(request, 200, STR("application/json"), str_from_c(text));
}

static struct error *serve_cluster(void *data, struct http_request *request)
{
    struct workload_cluster *cluster = data;
    struct str path, rest = http_request_target(request);
    (void)str_cut(&rest, '?', &path);
    const int status = is_known(cluster, request) ? outages[cluster->outage].status : 401;
    if (str_eq(path, STR("/")))
        note_answer(cluster, !status);
    if (status)
        return refuse(request, status);
    if (str_eq(path, STR("/")))
        return answer_text(request, "{\"paths\":[]}");
    if (str_eq(path, STR("/api")))
        return answer_text(request, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    if (str_eq(path, STR("/apis")))
        return answer_text(request,
                           "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}");
    if (str_eq(path, STR("/api/v1")))
        return answer_text(request,
                           "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{"
                           "\"name\":\"nodes\",\"singularName\":\"node\",\"namespaced\":false,"
                           "\"kind\":\"Node\",\"verbs\":[\"get\",\"list\",\"watch\"]}]}");
    if (str_starts_with(path, STR("/api/v1/nodes")))
        return collection_serve(&cluster->nodes, request);
    return refuse(request, 404);
}

/* After a kill the server comes back at the same address, with the same Nodes. */
static void open_server(struct workload_cluster *cluster)
{
    const struct chaos *chaos = cluster->chaos;
    const struct http_server_options options = {
        .network = chaos->network,
        .host = str_from_c(cluster->host),
        .port = chaos->tls_server ? PORT_TLS : PORT_PLAIN,
        .tls = chaos->tls_server,
        .handler = serve_cluster,
        .data = cluster,
    };
    CHECK_OK(http_server_new(loop_current(), &options, &cluster->server));
}

void workload_cluster_init(struct workload_cluster *cluster, struct chaos *chaos, size_t index)
{
    *cluster = (struct workload_cluster){.chaos = chaos, .index = index};
    snprintf(cluster->name, sizeof(cluster->name), "c%zu", index);
    snprintf(cluster->host, sizeof(cluster->host), "c%zu.test", index);
    cluster->key = (struct key){STR("default"), str_from_c(cluster->name)};
    cluster->nodes = (struct collection){
        .api_version = "v1", .kind = "Node", .write = write_node, .data = cluster};
    random_init(&cluster->dice, random_u64(&chaos->dice));
    collection_init(&cluster->nodes, CHAOS_NODES);
    open_server(cluster);
}

void workload_cluster_done(struct workload_cluster *cluster)
{
    http_server_free(TAKE(cluster->server));
    collection_done(&cluster->nodes);
}

/* Begins an outage, or ends it with OUTAGE_NONE. */
void workload_cluster_turn(struct workload_cluster *cluster, enum outage outage)
{
    const struct sim_faults faults = faults_of(outage);
    const int64_t now = loop_now(loop_current());
    trace_print(&cluster->chaos->trace, "%s %s", cluster->name, outages[outage].name);
    doubt_last_answer(cluster);
    if (!is_reliable(cluster->outage))
        cluster->was_lossy = now;
    cluster->outage = outage;
    cluster->since = now;
    sim_network_set_faults(cluster->chaos->network, str_from_c(cluster->host), &faults);
    if (outage == OUTAGE_KILLED)
        http_server_free(TAKE(cluster->server));
    else if (!cluster->server)
        open_server(cluster);
}

void workload_cluster_change_node(struct workload_cluster *cluster)
{
    collection_change(&cluster->nodes, random_below(&cluster->dice, CHAOS_NODES));
}
