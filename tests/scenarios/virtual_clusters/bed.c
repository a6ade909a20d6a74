#include "scenarios/virtual_clusters/bed.h"

#include "apimachinery/status.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"
#include "json/path.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "testing/test.h"

#define PATIENCE (2 * SECOND)

void bed_init(struct bed *bed, size_t clusters, const char *inject)
{
    struct fault_injection faults;
    *bed = (struct bed){.network = tcp_network_new(loop_current()), .tls = tls_context_new()};
    CHECK_OK(fault_injection_read(str_from_c(inject), &faults));
    const struct apiserver_options options = {
        .network = bed->network,
        .host = STR("127.0.0.1"),
        .virtual_clusters = clusters,
        .faults = faults,
    };
    CHECK_OK(apiserver_new(loop_current(), &options, &bed->server));
}

void bed_done(struct bed *bed)
{
    apiserver_free(bed->server);
    tls_context_free(bed->tls);
    network_free(bed->network);
}

/* By way of a text, so that what users have is what is tested. */
static void make_user(struct bed *bed, const char *cluster, struct rest_config *written,
                      struct bed_user *user)
{
    SCOPED(buf) text = {.secret = true};
    const bool is_main = cluster[0] == '\0';
    written->host =
        arena_print(&written->arena, "https://127.0.0.1:%u%s%s",
                    (unsigned)apiserver_port(bed->server), is_main ? "" : "/clusters/", cluster);
    written->tls.trust_pem = apiserver_authority(bed->server);
    kubeconfig_write(&text, STR("test"), written);
    *user = (struct bed_user){0};
    CHECK_OK(kubeconfig_read(buf_str(&text), STR(""), NULL, &user->config));
    const struct client_options options = {
        .config = &user->config,
        .network = bed->network,
        .tls = bed->tls,
        .qps = -1,
        .timeout = PATIENCE,
    };
    user->client = client_new(loop_current(), &options);
}

void bed_stranger(struct bed *bed, const char *cluster, struct bed_user *user)
{
    SCOPED(rest_config) config = {0};
    config.tls.certificate_pem = apiserver_admin_certificate(bed->server);
    config.tls.key_pem = apiserver_admin_key(bed->server);
    make_user(bed, cluster, &config, user);
}

void bed_bearer(struct bed *bed, const char *cluster, struct str token, struct bed_user *user)
{
    SCOPED(rest_config) config = {0};
    config.auth.token = token;
    make_user(bed, cluster, &config, user);
}

void bed_admin(struct bed *bed, const char *cluster, struct bed_user *user)
{
    SCOPED(buf) token = {.secret = true};
    if (cluster[0] == '\0') {
        bed_stranger(bed, cluster, user);
        return;
    }
    for (size_t i = 0; i < apiserver_cluster_count(bed->server); i++)
        if (str_eq(apiserver_cluster_name(bed->server, i), str_from_c(cluster)))
            apiserver_cluster_token(bed->server, i, &token);
    CHECK(token.len > 0);
    bed_bearer(bed, cluster, buf_str(&token), user);
}

void bed_user_done(struct bed_user *user)
{
    client_free(user->client);
    rest_config_done(&user->config);
}

static int outcome(const struct error *err)
{
    switch (err->code) {
    case ERROR_CONNECTION:
    case ERROR_UNREACHABLE:
    case ERROR_PROTOCOL:
        return BED_LOST;
    case ERROR_DEADLINE:
        return BED_SILENT;
    default:
        return status_http_status(err);
    }
}

int bed_ask(struct bed_user *user, const char *method, const char *target, const char *body,
            struct buf *answer)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) ignored = {.limit = MEGABYTE};
    struct client_raw_answer result;
    struct client_raw_request request = {
        .method = str_from_c(method),
        .query = str_from_c(target),
        .content_type = body ? STR("application/json") : STR(""),
        .body = str_from_c(body ? body : ""),
        .no_retry = true,
    };
    str_cut(&request.query, '?', &request.path);
    if (answer)
        buf_clear(answer);
    OWNED(error)
    err = client_raw(user->client, &request, &arena, answer ? answer : &ignored, &result);
    return err ? outcome(err) : result.status;
}

int bed_put(struct bed_user *user, const char *name, const char *value)
{
    SCOPED(buf) body = {.limit = MEGABYTE};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\"},"
              "\"data\":{\"key\":\"%s\"}}",
              name, value);
    return bed_ask(user, "POST", "/api/v1/namespaces/default/configmaps", buf_c(&body), NULL);
}

struct str bed_look(struct bed_user *user, struct arena *arena, const char *target,
                    const char *path)
{
    SCOPED(buf) answer = {.limit = MEGABYTE};
    OWNED(json_doc) doc = NULL;
    if (bed_ask(user, "GET", target, NULL, &answer) != 200)
        return STR("");
    CHECK_OK(json_read(buf_str(&answer), &doc));
    return arena_str(arena, json_path_str(json_doc_root(doc), path));
}

struct str bed_get(struct bed_user *user, struct arena *arena, const char *name)
{
    SCOPED(buf) target = {.limit = MEGABYTE};
    buf_print(&target, "/api/v1/namespaces/default/configmaps/%s", name);
    return bed_look(user, arena, buf_c(&target), "data.key");
}
