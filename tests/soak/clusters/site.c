/* The server of a workload cluster: what a connection needs, and a count of what it saw. */
#include <inttypes.h>
#include <stdio.h>

#include "async/fiber.h"
#include "http/server.h"
#include "soak/clusters/chaos.h"

#define PORT_PLAIN 80
#define PORT_TLS   443

/* An answer is with the client by then, unless the weather changes before. */
#define UNDER_WAY (50 * MILLISECOND)

/* A request that was held up may be answered when whoever asked has long gone. */
#define HELD_UP (8 * SECOND)

static const struct {
    const char *name;
    int status; /* answered to everything; 0: what was asked for */
} weathers[SITE_WEATHERS] = {
    [SITE_WELL] = {"is well",            0  },
    [SITE_KILLED] = {"is killed",          0  },
    [SITE_BLACK_HOLE] = {"is a black hole",    0  },
    [SITE_BREAKING] = {"breaks connections", 0  },
    [SITE_SLOW] = {"is slow",            0  },
    [SITE_FAILING] = {"fails",              500},
    [SITE_UNAUTHORIZED] = {"knows nobody",       401},
};

static struct sim_faults faults_of(enum site_weather weather)
{
    struct sim_faults faults = {.refuse = weather == SITE_KILLED,
                                .black_hole = weather == SITE_BLACK_HOLE};
    if (weather == SITE_BREAKING)
        faults.reset = 0.2;
    if (weather == SITE_SLOW) {
        faults.latency = 500 * MILLISECOND;
        faults.jitter = 2 * SECOND;
    }
    return faults;
}

/* Whatever the server of such a weather says arrives. */
static bool is_reliable(enum site_weather weather)
{
    return weather == SITE_WELL || weathers[weather].status;
}

static void write_node(void *data, size_t index, uint64_t version, struct buf *out)
{
    (void)data;
    buf_print(out,
              "\"metadata\":{\"name\":\"n%zu\",\"uid\":\"n%zu\",\"resourceVersion\":\"%" PRIu64
              "\"},\"spec\":{}",
              index, index, version);
}

static void note_answer(struct site *site, bool is_good)
{
    const int64_t now = loop_now(loop_current());
    const bool arrives = is_reliable(site->weather) && now - site->was_lossy > HELD_UP;
    site->answered = arrives ? now : 0;
    site->answered_good = is_good;
    if (is_good)
        ++*(arrives ? &site->good : &site->good_perhaps);
    else
        ++*(arrives ? &site->refused : &site->refused_perhaps);
}

/* The last answer may be on its way: who knows whether it arrives. */
static void doubt_last_answer(struct site *site)
{
    if (site->answered == 0 || loop_now(loop_current()) - site->answered > UNDER_WAY)
        return;
    if (site->answered_good) {
        site->good--;
        site->good_perhaps++;
    } else {
        site->refused--;
        site->refused_perhaps++;
    }
    site->answered = 0;
}

/* Tokens are "t<number>"; those of a cluster that is not asked over TLS never arrive. */
static bool is_known(struct site *site, const struct http_request *request)
{
    uint64_t number = 0;
    if (!site->chaos->tls_server)
        return true;
    const struct str sent = http_headers_find(http_request_headers(request), STR("authorization"));
    const struct str prefix = STR("Bearer t");
    const bool is_ours =
        str_starts_with(sent, prefix) && str_to_uint64(str_skip(sent, prefix.len), &number);
    const bool is_good = is_ours && number >= site->refused_below && number <= site->token;
    site->bad_tokens += !is_good;
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

static struct error *serve(void *data, struct http_request *request)
{
    struct site *site = data;
    struct str path, rest = http_request_target(request);
    (void)str_cut(&rest, '?', &path);
    const int status = is_known(site, request) ? weathers[site->weather].status : 401;
    if (str_eq(path, STR("/")))
        note_answer(site, !status);
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
        return shelf_serve(&site->nodes, request);
    return refuse(request, 404);
}

static void open_server(struct site *site)
{
    const struct chaos *chaos = site->chaos;
    const struct http_server_options options = {
        .network = chaos->network,
        .host = str_from_c(site->host),
        .port = chaos->tls_server ? PORT_TLS : PORT_PLAIN,
        .tls = chaos->tls_server,
        .handler = serve,
        .data = site,
    };
    CHECK_OK(http_server_new(loop_current(), &options, &site->server));
}

void site_init(struct site *site, struct chaos *chaos, size_t index)
{
    *site = (struct site){.chaos = chaos, .index = index};
    snprintf(site->name, sizeof(site->name), "c%zu", index);
    snprintf(site->host, sizeof(site->host), "c%zu.test", index);
    site->key = (struct key){STR("default"), str_from_c(site->name)};
    site->nodes =
        (struct shelf){.api_version = "v1", .kind = "Node", .write = write_node, .data = site};
    random_init(&site->dice, random_u64(&chaos->dice));
    shelf_init(&site->nodes, CHAOS_NODES);
    open_server(site);
}

void site_done(struct site *site)
{
    http_server_free(TAKE(site->server));
    shelf_done(&site->nodes);
}

void site_turn(struct site *site, enum site_weather weather)
{
    const struct sim_faults faults = faults_of(weather);
    const int64_t now = loop_now(loop_current());
    trace_print(&site->chaos->trace, "%s %s", site->name, weathers[weather].name);
    doubt_last_answer(site);
    if (!is_reliable(site->weather))
        site->was_lossy = now;
    site->weather = weather;
    site->since = now;
    sim_network_set_faults(site->chaos->network, str_from_c(site->host), &faults);
    if (weather == SITE_KILLED)
        http_server_free(TAKE(site->server));
    else if (!site->server)
        open_server(site);
}

void site_change_node(struct site *site)
{
    shelf_change(&site->nodes, random_below(&site->dice, CHAOS_NODES));
}
