#include "scenarios/fleet/fleet_fixture.h"

#include "app/controller_manager_internal.h"
#include "base/base64.h"
#include "http/headers.h"
#include "net/network.h"
#include "net/tls.h"
#include "testing/test.h"

#define HOST STR("management.test")

static struct error *run_controllers(void *data)
{
    return controller_manager_run(data);
}

static struct client *connect_with(struct fleet_fixture *fixture, const struct rest_config *config)
{
    const struct client_options options = {
        .config = config, .network = fixture->network, .tls = fixture->tls, .qps = -1};
    return client_new(loop_current(), &options);
}

static void start_server(struct fleet_fixture *fixture, size_t clusters)
{
    SCOPED(buf) text = {.secret = true};
    const struct apiserver_options options = {
        .network = fixture->network, .host = HOST, .virtual_clusters = clusters};
    CHECK_OK(standalone_new(loop_current(), &options, &fixture->standalone));
    standalone_admin_kubeconfig(fixture->standalone, &text);
    const struct kubeconfig_options keep = {.keep_pem = true};
    CHECK_OK(kubeconfig_read(buf_str(&text), STR(""), &keep, &fixture->config));
    fixture->admin = connect_with(fixture, &fixture->config);
}

void fleet_fixture_init(struct fleet_fixture *fixture, size_t clusters,
                        const struct fleet_options *options)
{
    *fixture = (struct fleet_fixture){.network = sim_network_new(loop_current()),
                                      .tls = tls_context_new()};
    fixture->body.limit = 64 * MEGABYTE;
    start_server(fixture, clusters);
    const struct controller_manager_options controllers = {
        .config = &fixture->config,
        .network = fixture->network,
        .tls = fixture->tls,
        .user_agent = STR("corset/test"),
        .owns_clusters = true,
        .no_events = true,
        .cluster_qps = 1000,
        .cluster_burst = 1000,
    };
    CHECK_OK(controller_manager_new(loop_current(), &controllers, &fixture->controllers));
    scope_start(&fixture->running, "controllers", run_controllers, fixture->controllers);
    if (options) {
        struct fleet_options own = *options;
        own.clusters = controller_manager_clusters(fixture->controllers);
        own.metrics = controller_manager_metrics(fixture->controllers);
        fixture->extension =
            fleet_extension_new(loop_current(), standalone_server(fixture->standalone), &own);
    }
    fleet_fixture_await(fixture, clusters);
}

void fleet_fixture_done(struct fleet_fixture *fixture)
{
    client_free(fixture->admin);
    fleet_extension_free(fixture->extension);
    scope_done(&fixture->running);
    controller_manager_free(fixture->controllers);
    standalone_free(fixture->standalone);
    rest_config_done(&fixture->config);
    buf_done(&fixture->body);
    buf_done(&fixture->clusters);
    buf_done(&fixture->warning);
    buf_done(&fixture->retry_after);
    FIBER_SHIELD(FOREVER);
    while (sim_network_connections(fixture->network) > 0)
        CHECK_OK(fiber_sleep(SECOND));
    tls_context_free(fixture->tls);
    network_free(fixture->network);
}

void fleet_fixture_user(struct fleet_fixture *fixture, const char *name,
                        struct fleet_fixture_user *user)
{
    SCOPED(buf) text = {.secret = true};
    *user = (struct fleet_fixture_user){0};
    standalone_admin_kubeconfig(fixture->standalone, &text);
    CHECK_OK(kubeconfig_read(buf_str(&text), STR(""), NULL, &user->config));
    user->config.impersonate.user = str_from_c(name);
    user->client = connect_with(fixture, &user->config);
}

void fleet_fixture_user_done(struct fleet_fixture_user *user)
{
    client_free(user->client);
    rest_config_done(&user->config);
}

static void keep_header(struct buf *out, const struct http_response *response, struct str name)
{
    buf_clear(out);
    buf_add(out, http_headers_find(http_response_headers(response), name));
}

void fleet_fixture_read(struct fleet_fixture *fixture, struct http_response *response)
{
    fixture->status = http_response_status(response);
    keep_header(&fixture->clusters, response, STR("corset-clusters"));
    keep_header(&fixture->warning, response, STR("warning"));
    keep_header(&fixture->retry_after, response, STR("retry-after"));
    CHECK(!http_headers_find(http_response_headers(response), STR("set-cookie")).ptr);
    buf_clear(&fixture->body);
    OWNED(error) broken = http_response_read_all(response, &fixture->body);
    fixture->is_broken = broken != NULL;
}

int fleet_fixture_ask(struct fleet_fixture *fixture, struct client *client, const char *method,
                      const char *target, const char *accept, const char *body)
{
    OWNED(http_response) response = NULL;
    SCOPED(http_headers) headers = {0};
    struct client_stream_request request = {
        .method = str_from_c(method), .query = str_from_c(target), .headers = &headers};
    const bool is_patch = strcmp(method, "PATCH") == 0;
    str_cut(&request.query, '?', &request.path);
    CHECK_OK(http_headers_add(&headers, STR("Accept"),
                              str_from_c(accept ? accept : "application/json")));
    if (body)
        CHECK_OK(http_headers_add(&headers, STR("Content-Type"),
                                  is_patch ? STR("application/apply-patch+yaml")
                                           : STR("application/json")));
    request.body = str_from_c(body);
    CHECK_OK(client_stream(client ? client : fixture->admin, &request, &response));
    fleet_fixture_read(fixture, response);
    return fixture->status;
}

int fleet_fixture_get(struct fleet_fixture *fixture, const char *target)
{
    return fleet_fixture_ask(fixture, NULL, "GET", target, NULL, NULL);
}

void fleet_fixture_put(struct fleet_fixture *fixture, const char *collection, const char *object)
{
    const int status = fleet_fixture_ask(fixture, NULL, "POST", collection, NULL, object);
    if (status != 201)
        TEST_CASE("%s", buf_c(&fixture->body));
    CHECK_EQ(status, 201);
}

void fleet_fixture_config_map(struct fleet_fixture *fixture, const char *cluster, const char *name)
{
    SCOPED(buf) target = {0};
    SCOPED(buf) object = {0};
    buf_print(&target,
              FLEET_P "/namespaces/default/clusters/%s/proxy/api/v1/namespaces/default/configmaps",
              cluster);
    buf_print(&object,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"%s\","
              "\"labels\":{\"name\":\"%s\"}}}",
              name, name);
    fleet_fixture_put(fixture, buf_c(&target), buf_c(&object));
}

void fleet_fixture_allow(struct fleet_fixture *fixture, const char *user, const char *verb,
                         const char *namespace, const char *name)
{
    SCOPED(buf) role = {0};
    SCOPED(buf) binding = {0};
    SCOPED(buf) target = {0};
    const char *prefix = namespace ? "" : "Cluster";
    static int number;
    number++;
    buf_print(&role,
              "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"%sRole\",\"metadata\":{"
              "\"name\":\"r%d\"},\"rules\":[{\"apiGroups\":[\"fleet.corset.dev\"],\"resources\":["
              "\"clusters/proxy\"],\"verbs\":[\"%s\"]%s%s%s}]}",
              prefix, number, verb, name ? ",\"resourceNames\":[\"" : "", name ? name : "",
              name ? "\"]" : "");
    buf_print(&binding,
              "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"%sRoleBinding\","
              "\"metadata\":{\"name\":\"r%d\"},\"roleRef\":{\"apiGroup\":"
              "\"rbac.authorization.k8s.io\",\"kind\":\"%sRole\",\"name\":\"r%d\"},\"subjects\":[{"
              "\"apiGroup\":\"rbac.authorization.k8s.io\",\"kind\":\"User\",\"name\":\"%s\"}]}",
              prefix, number, prefix, number, user);
    buf_print(&target, "/apis/rbac.authorization.k8s.io/v1/%s%s%s", namespace ? "namespaces/" : "",
              namespace ? namespace : "", namespace ? "/roles" : "clusterroles");
    fleet_fixture_put(fixture, buf_c(&target), buf_c(&role));
    buf_truncate(&target, target.len - 1);
    buf_add(&target, STR("bindings"));
    fleet_fixture_put(fixture, buf_c(&target), buf_c(&binding));
}

static void register_cluster(struct fleet_fixture *fixture, const char *namespace, const char *name,
                             struct str kubeconfig)
{
    SCOPED(buf) encoded = {0};
    SCOPED(buf) target = {0};
    SCOPED(buf) object = {0};
    base64_encode(&encoded, kubeconfig);
    buf_print(&target, "/api/v1/namespaces/%s/secrets", namespace);
    buf_print(&object,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"cluster.x-k8s.io/secret\","
              "\"metadata\":{\"name\":\"%s-kubeconfig\",\"labels\":{"
              "\"cluster.x-k8s.io/cluster-name\":\"%s\"}},\"data\":{\"value\":\"%s\"}}",
              name, name, buf_c(&encoded));
    fleet_fixture_put(fixture, buf_c(&target), buf_c(&object));
    buf_clear(&target);
    buf_clear(&object);
    buf_print(&target, "/apis/cluster.x-k8s.io/v1beta2/namespaces/%s/clusters", namespace);
    buf_print(&object,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"%s\",\"labels\":{\"own\":\"true\"}},\"spec\":{\"controlPlaneEndpoint\":{"
              "\"host\":\"h\",\"port\":1}}}",
              name);
    fleet_fixture_put(fixture, buf_c(&target), buf_c(&object));
    OWNED(object) ignored = NULL;
    CHECK_OK(client_patch(fixture->admin, GVR("cluster.x-k8s.io", "v1beta2", "clusters"),
                          (struct key){str_from_c(namespace), str_from_c(name)}, CLIENT_PATCH_MERGE,
                          STR("{\"status\":{\"initialization\":{\"infrastructureProvisioned\":true,"
                              "\"controlPlaneInitialized\":true}}}"),
                          &(struct client_write_options){.subresource = STR("status")}, &ignored));
}

struct http_server *fleet_fixture_cluster(struct fleet_fixture *fixture, const char *namespace,
                                          const char *name, const char *host,
                                          http_handler_fn handler, void *data)
{
    SCOPED(buf) text = {0};
    struct http_server *server;
    const struct http_server_options options = {.network = fixture->network,
                                                .host = str_from_c(host),
                                                .port = 80,
                                                .handler = handler,
                                                .data = data};
    CHECK_OK(http_server_new(loop_current(), &options, &server));
    buf_print(&text,
              "apiVersion: v1\nkind: Config\ncurrent-context: c\n"
              "clusters: [{name: c, cluster: {server: \"http://%s\"}}]\n"
              "users: [{name: c, user: {}}]\n"
              "contexts: [{name: c, context: {cluster: c, user: c}}]\n",
              host);
    register_cluster(fixture, namespace, name, buf_str(&text));
    return server;
}

void fleet_fixture_await(struct fleet_fixture *fixture, size_t connected)
{
    FIBER_TIMEOUT(5 * MINUTE);
    while (clustercache_connected(fixture->controllers->clustercache) < connected)
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
}

size_t fleet_fixture_count(const struct fleet_fixture *fixture, const char *text)
{
    struct str rest = buf_str(&fixture->body);
    const struct str wanted = str_from_c(text);
    size_t count = 0;
    for (size_t at = str_find(rest, wanted); at != STR_NONE; at = str_find(rest, wanted)) {
        rest = str_skip(rest, at + wanted.len);
        count++;
    }
    return count;
}

bool fleet_fixture_serve_basics(struct http_request *request, struct error **ret_err)
{
    static const struct {
        const char *path, *body;
    } rows[] = {
        {"/?",                              "{}"                                                             },
        {"/api?",                           "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}"               },
        {"/apis?",                          "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}"},
        {"/api/v1?",
         "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"v1\","
         "\"resources\":[{\"name\":\"nodes\",\"singularName\":\"node\",\"namespaced\":false,"
         "\"kind\":\"Node\",\"verbs\":[\"get\",\"list\",\"watch\"]}]}"                                       },
        {"/api/v1/namespaces/kube-system?",
         "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"kube-system\","
         "\"uid\":\"u\"}}"                                                                                   },
    };
    const struct http_headers *headers = http_request_headers(request);
    for (size_t i = 0; i < COUNT(rows); i++)
        if (str_starts_with(http_request_target(request), str_from_c(rows[i].path)) &&
            !http_headers_find(headers, STR("impersonate-user")).ptr) {
            *ret_err = http_request_answer(request, 200, STR("application/json"),
                                           str_from_c(rows[i].body));
            return true;
        }
    return false;
}
