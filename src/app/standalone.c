/*
 * An API server with corset's kinds, and the registration of its virtual clusters.
 *
 * standalone_new() starts the server, then REGISTRARS fibers register the virtual clusters. Writes
 * go directly to the store (apiserver_put()), not over HTTP, and writes of concurrent fibers share
 * a commit, so that thousands of clusters take little time.
 */
#include "app/standalone.h"

#include "app/cluster_document.h"
#include "app/standalone_kinds.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/arena.h"
#include "base/base64.h"
#include "base/memory.h"
#include "client/kubeconfig/kubeconfig.h"
#include "json/builder.h"

/* Clusters that are registered concurrently: as many writes share a commit of the store. */
#define REGISTRARS 256

struct standalone {
    struct apiserver *server;
    struct str host, url;
    struct arena texts;
    credentials_changed_fn *changed;
    void *changed_data;
};

struct apiserver *standalone_server(const struct standalone *standalone)
{
    return standalone->server;
}

struct str standalone_url(const struct standalone *standalone)
{
    return standalone->url;
}

void standalone_admin_kubeconfig(const struct standalone *standalone, struct buf *out)
{
    SCOPED(rest_config) config = {0};
    config.host = standalone->url;
    config.tls.trust_pem = apiserver_authority(standalone->server);
    config.tls.certificate_pem = apiserver_admin_certificate(standalone->server);
    config.tls.key_pem = apiserver_admin_key(standalone->server);
    kubeconfig_write(out, STR("corset"), &config);
}

void standalone_cluster_kubeconfig(const struct standalone *standalone, size_t index,
                                   struct buf *out)
{
    SCOPED(buf) token = {.secret = true};
    SCOPED(rest_config) config = {0};
    const struct str name = apiserver_cluster_name(standalone->server, index);
    apiserver_cluster_token(standalone->server, index, &token);
    config.host =
        arena_print(&config.arena, "%.*s/clusters/%.*s", STR_ARG(standalone->url), STR_ARG(name));
    config.tls.trust_pem = apiserver_authority(standalone->server);
    config.auth.token = buf_str(&token);
    kubeconfig_write(out, name, &config);
}

/* Opens an object and its metadata, and leaves the labels open. */
static void begin_object(struct json_builder *builder, struct str api_version, struct str kind,
                         struct str name)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "apiVersion", api_version);
    json_builder_add_str(builder, "kind", kind);
    json_builder_add_object(builder, "metadata");
    json_builder_add_str(builder, "name", name);
    json_builder_add_str(builder, "namespace", STANDALONE_NAMESPACE);
    json_builder_add_object(builder, "labels");
}

/* Creates the object that the builder holds, or adds missing members to the existing one. */
static struct error *put_object(const struct standalone *standalone, struct json_builder *builder)
{
    OWNED(json_doc) doc = NULL;
    json_builder_end(builder);
    TRY(json_builder_finish(builder, &doc));
    return apiserver_put(standalone->server, doc);
}

/* A Cluster that needs no provider: its status says that it can be connected to. */
static struct error *put_cluster(const struct standalone *standalone, struct str name)
{
    SCOPED(json_builder) builder = {.limit = 0};
    begin_object(&builder, STR("cluster.x-k8s.io/v1beta2"), STR("Cluster"), name);
    json_builder_key(&builder, STANDALONE_VIRTUAL_LABEL);
    json_builder_str(&builder, STR("true"));
    json_builder_end(&builder);
    json_builder_end(&builder);
    cluster_document_add_spec(&builder, standalone->host, apiserver_port(standalone->server));
    cluster_document_add_status(&builder);
    return put_object(standalone, &builder);
}

static struct error *put_kubeconfig(const struct standalone *standalone, size_t index,
                                    struct str name)
{
    SCOPED(buf) text = {.secret = true};
    SCOPED(buf) encoded = {.secret = true};
    SCOPED(buf) secret = {.limit = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    standalone_cluster_kubeconfig(standalone, index, &text);
    base64_encode(&encoded, buf_str(&text));
    buf_print(&secret, "%.*s-kubeconfig", STR_ARG(name));
    begin_object(&builder, STR("v1"), STR("Secret"), buf_str(&secret));
    json_builder_add_str(&builder, "cluster.x-k8s.io/cluster-name", name);
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_add_object(&builder, "data");
    json_builder_add_str(&builder, "value", buf_str(&encoded));
    json_builder_end(&builder);
    json_builder_add_str(&builder, "type", STR("cluster.x-k8s.io/secret"));
    return put_object(standalone, &builder);
}

/*
 * Virtual clusters start empty, so nothing is applied there whatever an earlier run recorded. Only
 * an existing binding is changed.
 */
static struct error *clear_binding(const struct standalone *standalone, struct str name)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    begin_object(&builder, STR("addons.cluster.x-k8s.io/v1beta2"), STR("ClusterResourceSetBinding"),
                 name);
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_add_object(&builder, "spec");
    json_builder_add_value(&builder, "bindings", NULL);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    return apiserver_amend(standalone->server, doc);
}

/* The Secret comes before the Cluster, since a controller may connect at once. */
static struct error *register_cluster(const struct standalone *standalone, size_t index,
                                      struct str name)
{
    TRY(clear_binding(standalone, name));
    TRY(put_kubeconfig(standalone, index, name));
    return put_cluster(standalone, name);
}

/* What the registering fibers share: the next cluster that has to be registered. */
struct registration {
    struct standalone *standalone;
    size_t next; /* index of the next cluster */
    struct error *(*put)(const struct standalone *standalone, size_t index, struct str name);
};

static struct error *register_next_clusters(void *data)
{
    struct registration *registration = data;
    struct standalone *standalone = registration->standalone;
    while (registration->next < apiserver_cluster_count(standalone->server)) {
        const size_t index = registration->next++;
        const struct str name = apiserver_cluster_name(standalone->server, index);
        TRY(registration->put(standalone, index, name), "register cluster %.*s", STR_ARG(name));
    }
    return NULL;
}

static struct error *register_clusters(struct registration *registration)
{
    SCOPED(scope) scope = {0};
    const size_t count = apiserver_cluster_count(registration->standalone->server);
    for (size_t i = 0; i < REGISTRARS && i < count; i++)
        scope_start(&scope, "register", register_next_clusters, registration);
    return scope_wait(&scope);
}

/* Kubeconfigs that are still the same are not written. */
static struct error *hand_out_credentials(void *data)
{
    struct standalone *standalone = data;
    struct registration registration = {.standalone = standalone, .put = put_kubeconfig};
    if (standalone->changed)
        TRY(standalone->changed(standalone->changed_data));
    return register_clusters(&registration);
}

void standalone_keep_credentials(struct standalone *standalone, credentials_changed_fn *changed,
                                 void *data)
{
    standalone->changed = changed;
    standalone->changed_data = data;
    apiserver_keep_credentials(standalone->server, hand_out_credentials, standalone);
}

/* A server that listens on all addresses is called at the loopback address. */
static struct str callable_host(struct str host)
{
    if (host.len == 0 || str_eq(host, STR("0.0.0.0")))
        return STR("127.0.0.1");
    return str_eq(host, STR("::")) ? STR("::1") : host;
}

/* The port is known once the server listens: port 0 means any free port. */
static void set_url(struct standalone *standalone, struct str host)
{
    struct arena *arena = &standalone->texts;
    standalone->host = arena_str(arena, callable_host(host));
    const bool is_ipv6 = str_contains(standalone->host, STR(":"));
    standalone->url =
        arena_print(arena, "https://%s%.*s%s:%u", is_ipv6 ? "[" : "", STR_ARG(standalone->host),
                    is_ipv6 ? "]" : "", (unsigned)apiserver_port(standalone->server));
}

struct error *standalone_new(struct loop *loop, const struct apiserver_options *options,
                             struct standalone **ret_standalone)
{
    OWNED(standalone) standalone = NEW(struct standalone);
    struct apiserver_options whole = *options;
    standalone_add_kinds(&whole);
    TRY(apiserver_new(loop, &whole, &standalone->server));
    set_url(standalone, options->host);
    struct registration registration = {.standalone = standalone, .put = register_cluster};
    TRY(register_clusters(&registration));
    *ret_standalone = TAKE(standalone);
    return NULL;
}

void standalone_free(struct standalone *standalone)
{
    if (!standalone)
        return;
    apiserver_free(standalone->server);
    arena_done(&standalone->texts);
    mem_free(standalone);
}
