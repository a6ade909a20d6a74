/*
 * A table says which objects there are; is_asked_for() compares a request with a row of it. The
 * objects have the content that Kubernetes' controllers give them, but for a description. In a
 * namespace that is absent or about to vanish nothing is made.
 */
#include "apiserver/default_objects.h"

#include "apimachinery/object.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/request.h"
#include "apiserver/ensure_object.h"

/* Writes the object for a namespace as JSON. */
typedef void write_fn(const struct default_objects *server, struct str namespace, struct buf *out);

static void write_account(const struct default_objects *server, struct str namespace,
                          struct buf *out)
{
    (void)server;
    buf_print(out,
              "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":"
              "\"default\",\"namespace\":\"%.*s\"}}",
              STR_ARG(namespace));
}

static void write_authority(const struct default_objects *server, struct str namespace,
                            struct buf *out)
{
    buf_print(out,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
              "\"kube-root-ca.crt\",\"namespace\":\"%.*s\"},\"data\":{\"ca.crt\":",
              STR_ARG(namespace));
    buf_add_json_string(out, buf_str(server->authority));
    buf_add(out, STR("}}"));
}

/* The first address of the service network is the API server's; see kind_service_address.c. */
static void write_service(const struct default_objects *server, struct str namespace,
                          struct buf *out)
{
    buf_print(out,
              "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"kubernetes\","
              "\"namespace\":\"%.*s\",\"labels\":{\"component\":\"apiserver\",\"provider\":"
              "\"kubernetes\"}},\"spec\":{\"ports\":[{\"name\":\"https\",\"protocol\":\"TCP\","
              "\"port\":443,\"targetPort\":%u}],\"clusterIP\":\"10.96.0.1\",\"clusterIPs\":["
              "\"10.96.0.1\"],\"type\":\"ClusterIP\",\"sessionAffinity\":\"None\",\"ipFamilies\":["
              "\"IPv4\"],\"ipFamilyPolicy\":\"SingleStack\",\"internalTrafficPolicy\":\"Cluster\"},"
              "\"status\":{\"loadBalancer\":{}}}",
              STR_ARG(namespace), (unsigned)server->port);
}

static const struct row {
    struct str resource, name;
    struct str namespace; /* the only one that has it; empty: each */
    bool is_listed;       /* a list makes it, too */
    bool is_mended;       /* its content is the server's */
    write_fn *write;
} rows[] = {
    {STR_INIT("serviceaccounts"), STR_INIT("default"),          STR_INIT(""),        false, false, write_account},
    {STR_INIT("configmaps"),      STR_INIT("kube-root-ca.crt"), STR_INIT(""),        false, true,
     write_authority                                                                                            },
    {STR_INIT("services"),        STR_INIT("kubernetes"),       STR_INIT("default"), true,  false, write_service},
};

/* By the path, or by the only form in which clients write a selector of one name. */
static bool is_named(const struct request *request, const struct row *row)
{
    struct str selector = query_get(&request->query, STR("fieldSelector"));
    struct str field;
    if (request->name.len)
        return str_eq(request->name, row->name);
    return str_cut(&selector, '=', &field) && str_eq(field, STR("metadata.name")) &&
           str_eq(selector, row->name);
}

static bool is_asked_for(const struct request *request, const struct row *row)
{
    const bool is_list = request->verb == VERB_LIST || request->verb == VERB_WATCH;
    if (!str_eq(request->kind->stored_as, row->resource))
        return false;
    if (row->is_listed && is_list && request->namespace.len == 0)
        return true;
    if (request->namespace.len == 0 ||
        (row->namespace.len && !str_eq(request->namespace, row->namespace)))
        return false;
    return (row->is_listed && is_list) || is_named(request, row);
}

/* Whether objects can be made there. */
static bool has_namespace(struct api *api, struct str name)
{
    SCOPED(store_object) found = {0};
    const struct store_id id = {STR("namespaces"), {.name = name}};
    OWNED(error) missing = store_get(api->store, id, &found);
    return !missing && !object_text_is_deleting(found.text);
}

static bool exists(struct api *api, const struct row *row, struct str namespace)
{
    SCOPED(store_object) found = {0};
    const struct store_id id = {
        row->resource, {namespace, row->name}
    };
    OWNED(error) missing = store_get(api->store, id, &found);
    return !missing;
}

static struct error *ensure_row(struct api *api, const struct row *row, struct str namespace)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    if (!has_namespace(api, namespace) || (!row->is_mended && exists(api, row, namespace)))
        return NULL;
    row->write(api->defaults, namespace, &text);
    TRY(json_read(buf_str(&text), &doc));
    return ensure_object(api, doc, row->is_mended ? ENSURE_MERGE : ENSURE_IF_MISSING);
}

struct error *default_objects_ensure(const struct request *request)
{
    if (request->verb == VERB_NONE || !request->api->defaults) /* the first is refused */
        return NULL;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (is_asked_for(request, &rows[i]))
            TRY(ensure_row(request->api, &rows[i],
                           rows[i].namespace.len ? rows[i].namespace : request->namespace),
                "make %.*s %.*s", STR_ARG(rows[i].resource), STR_ARG(rows[i].name));
    return NULL;
}
