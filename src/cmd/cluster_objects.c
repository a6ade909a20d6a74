/*
 * Writes and deletes the Cluster and the kubeconfig Secret of a registered cluster, by server-side
 * apply. The status comes last: controllers connect when it says that the control plane is
 * initialized, and the Secret must exist by then.
 */
#include "cmd/cluster_objects.h"

#include "apimachinery/validation.h"
#include "apimachinery/wellknown.h"
#include "app/cluster_document.h"
#include "base/base64.h"
#include "base/buf.h"
#include "client/client.h"
#include "clustercache/kubeconfig_secret.h"
#include "cmd/management_client.h"
#include "json/builder.h"

#define MANAGER       STR("corset-cluster-add")
#define CLUSTER_LABEL "cluster.x-k8s.io/cluster-name"
#define SECRET_TYPE   STR("cluster.x-k8s.io/secret")

/* A change of a label. */
struct label_change {
    struct str key, value;
    bool is_removal;
};

/* False if the text is neither "key=value" nor "key-". */
static bool read_change(struct str text, struct label_change *ret_change)
{
    struct str value = text, key;
    const bool has_value = str_cut(&value, '=', &key);
    if (!has_value && (!text.len || text.ptr[text.len - 1] != '-'))
        return false;
    *ret_change = (struct label_change){
        .key = has_value ? key : str_slice(text, 0, text.len - 1),
        .value = has_value ? value : STR(""),
        .is_removal = !has_value,
    };
    return true;
}

struct error *cluster_objects_check_label(struct str label)
{
    struct label_change change;
    if (!read_change(label, &change) || !validation_is_ok(validation_label_key(change.key)) ||
        !validation_is_ok(validation_label_value(change.value)))
        return error_new(ERROR_INVALID,
                         "'%.*s' is no label of the form key=value, nor key- to remove one",
                         STR_ARG(label));
    return NULL;
}

/* The last change of this key; false if there is none. */
static bool find_change(const struct cluster_object *cluster, struct str key,
                        struct label_change *ret_change)
{
    for (size_t i = cluster->label_count; i > 0; i--)
        if (read_change(str_from_c(cluster->labels[i - 1]), ret_change) &&
            str_eq(ret_change->key, key))
            return true;
    return false;
}

/*
 * An apply takes away what the same manager applied before and does not mention now, so the labels
 * that stay are mentioned, too.
 */
static void add_labels(struct json_builder *builder, const struct cluster_object *cluster,
                       const struct object *before)
{
    struct label_change change;
    const struct json_value *value;
    json_builder_add_object(builder, "labels");
    JSON_FOREACH (key, value, before ? object_labels(before) : NULL) {
        if (find_change(cluster, key, &change))
            continue;
        json_builder_key(builder, key);
        json_builder_str(builder, json_to_str(value));
    }
    for (size_t i = 0; i < cluster->label_count; i++) {
        struct label_change last;
        if (!read_change(str_from_c(cluster->labels[i]), &change) || change.is_removal ||
            !find_change(cluster, change.key, &last) || last.value.ptr != change.value.ptr)
            continue;
        json_builder_key(builder, change.key);
        json_builder_str(builder, change.value);
    }
    json_builder_end(builder);
}

/* Opens an object and leaves its metadata open. */
static void begin_object(struct json_builder *builder, struct str api_version, struct str kind,
                         struct key key)
{
    json_builder_object(builder);
    json_builder_add_str(builder, "apiVersion", api_version);
    json_builder_add_str(builder, "kind", kind);
    json_builder_add_object(builder, "metadata");
    json_builder_add_str(builder, "name", key.name);
    json_builder_add_str(builder, "namespace", key.namespace);
}

/* Applies the object that the builder holds, or one of its subresources. */
static struct error *apply_document(struct client *client, struct gvr gvr,
                                    struct json_builder *builder, struct str subresource,
                                    struct object **ret_object)
{
    OWNED(json_doc) doc = NULL;
    OWNED(object) object = NULL;
    const struct client_write_options options = {
        .field_manager = MANAGER, .force = true, .subresource = subresource};
    TRY(json_builder_finish(builder, &doc));
    TRY(object_from_doc(doc, &object));
    if (!subresource.len)
        return client_apply(client, gvr, object, &options, ret_object);
    SCOPED(buf) text = {.limit = 0};
    object_write(&text, object);
    return client_patch(client, gvr, object_key(object), CLIENT_PATCH_APPLY, buf_str(&text),
                        &options, ret_object);
}

static struct error *put_cluster(struct client *client, const struct cluster_object *cluster,
                                 const struct object *before, struct object **ret_object)
{
    SCOPED(json_builder) builder = {0};
    begin_object(&builder, STR("cluster.x-k8s.io/v1beta2"), STR("Cluster"), cluster->key);
    add_labels(&builder, cluster, before);
    json_builder_end(&builder);
    cluster_document_add_spec(&builder, cluster->host, cluster->port);
    json_builder_end(&builder);
    return apply_document(client, GVR_CLUSTERS, &builder, STR(""), ret_object);
}

/* An apply leaves labels that others have set as well, such as kubectl; they go by a patch. */
static struct error *strip_labels(struct client *client, const struct cluster_object *cluster,
                                  const struct object *made)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *value;
    size_t count = 0;
    json_builder_object(&builder);
    json_builder_add_object(&builder, "metadata");
    json_builder_add_object(&builder, "labels");
    JSON_FOREACH (key, value, object_labels(made)) {
        struct label_change change;
        if (!find_change(cluster, key, &change) || !change.is_removal)
            continue;
        json_builder_key(&builder, key);
        json_builder_null(&builder);
        count++;
    }
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    if (!count)
        return NULL;
    json_write(&text, json_doc_root(doc));
    return client_patch(client, GVR_CLUSTERS, cluster->key, CLIENT_PATCH_MERGE, buf_str(&text),
                        &(struct client_write_options){.field_manager = MANAGER}, NULL);
}

/* From now on controllers connect to the cluster. */
static struct error *put_status(struct client *client, const struct cluster_object *cluster,
                                struct object **ret_object)
{
    SCOPED(json_builder) builder = {0};
    begin_object(&builder, STR("cluster.x-k8s.io/v1beta2"), STR("Cluster"), cluster->key);
    json_builder_end(&builder);
    cluster_document_add_status(&builder);
    json_builder_end(&builder);
    return apply_document(client, GVR_CLUSTERS, &builder, STR("status"), ret_object);
}

/* The garbage collector deletes the Secret together with the Cluster. */
static void add_owner(struct json_builder *builder, const struct object *cluster)
{
    json_builder_add_array(builder, "ownerReferences");
    json_builder_object(builder);
    json_builder_add_str(builder, "apiVersion", object_api_version(cluster));
    json_builder_add_str(builder, "kind", object_kind(cluster));
    json_builder_add_str(builder, "name", object_name(cluster));
    json_builder_add_str(builder, "uid", object_uid(cluster));
    json_builder_end(builder);
    json_builder_end(builder);
}

/* The label is what the caches of kubeconfig Secrets select. */
static struct error *put_secret(struct client *client, const struct cluster_object *cluster,
                                const struct object *owner, struct object **ret_object)
{
    SCOPED(buf) name = {.limit = 0};
    SCOPED(buf) value = {.secret = true};
    SCOPED(json_builder) builder = {0};
    buf_print(&name, "%.*s" KUBECONFIG_SECRET_SUFFIX, STR_ARG(cluster->key.name));
    base64_encode(&value, cluster->kubeconfig);
    TRY(buf_check(&value));
    begin_object(&builder, STR("v1"), STR("Secret"),
                 (struct key){cluster->key.namespace, buf_str(&name)});
    json_builder_add_object(&builder, "labels");
    json_builder_add_str(&builder, CLUSTER_LABEL, cluster->key.name);
    json_builder_end(&builder);
    add_owner(&builder, owner);
    json_builder_end(&builder);
    json_builder_add_str(&builder, "type", SECRET_TYPE);
    json_builder_add_object(&builder, "data");
    json_builder_add_str(&builder, "value", buf_str(&value));
    json_builder_end(&builder);
    json_builder_end(&builder);
    return apply_document(client, GVR_SECRETS, &builder, STR(""), ret_object);
}

/*
 * A Cluster with an infrastructure or a topology belongs to Cluster API. Changing its kubeconfig
 * would break it, and deleting it would delete its machines.
 */
static struct error *refuse_managed(const struct object *cluster, const char *instead)
{
    if (!object_path(cluster, "spec.infrastructureRef") && !object_path(cluster, "spec.topology"))
        return NULL;
    return error_new(ERROR_FORBIDDEN, "Cluster %.*s/%.*s belongs to Cluster API, which %s",
                     STR_ARG(object_namespace(cluster)), STR_ARG(object_name(cluster)), instead);
}

/*
 * *ret_cluster stays NULL if there is no such Cluster. A 404 without details means that the kind
 * is not served, which is an error.
 */
static struct error *find_cluster(struct client *client, struct key key,
                                  struct object **ret_cluster)
{
    struct error *err = client_get(client, GVR_CLUSTERS, key, NULL, ret_cluster);
    return err && err->details ? error_ignore(err, ERROR_NOT_FOUND)
                               : management_client_explain(err);
}

static struct str version_of(const struct object *object)
{
    return object ? object_resource_version(object) : STR("");
}

/* *ret_secret stays NULL if there is none. */
static struct error *find_secret(struct client *client, struct key cluster,
                                 struct object **ret_secret)
{
    SCOPED(buf) name = {.limit = 0};
    buf_print(&name, "%.*s" KUBECONFIG_SECRET_SUFFIX, STR_ARG(cluster.name));
    return error_ignore(client_get(client, GVR_SECRETS,
                                   (struct key){cluster.namespace, buf_str(&name)}, NULL,
                                   ret_secret),
                        ERROR_NOT_FOUND);
}

/*
 * The server of a kubeconfig Secret; empty if it cannot be read. Endpoints do not tell virtual
 * clusters and proxied ones apart, which differ in the path.
 */
static struct str server_of(const struct object *secret, struct arena *arena)
{
    SCOPED(buf) text = {.secret = true};
    SCOPED(rest_config) config = {0};
    const struct kubeconfig_options options = {.untrusted = true};
    const struct json_value *value = secret ? object_path(secret, "data.value") : NULL;
    OWNED(error) err = base64_decode(&text, json_to_str(value));
    if (!err)
        err = kubeconfig_read(buf_str(&text), STR(""), &options, &config);
    return err ? STR("") : arena_str(arena, config.host);
}

/* Another server is most likely another cluster, of which the bindings know nothing. */
static struct error *refuse_other_server(const struct cluster_object *cluster,
                                         const struct object *secret)
{
    SCOPED(arena) arena = {0};
    const struct str server = server_of(secret, &arena);
    if (cluster->replaces || !server.len || str_eq(server, cluster->server))
        return NULL;
    return error_new(ERROR_CONFLICT,
                     "cluster %.*s/%.*s is at %.*s, and the kubeconfig points to %.*s; choose "
                     "another name, or say --replace if it has moved there",
                     STR_ARG(cluster->key.namespace), STR_ARG(cluster->key.name), STR_ARG(server),
                     STR_ARG(cluster->server));
}

/* The change is found by comparing versions: an apply that changes nothing keeps the version. */
struct error *cluster_objects_put(struct client *client, const struct cluster_object *cluster,
                                  enum cluster_change *ret_change)
{
    OWNED(object) before = NULL;
    OWNED(object) secret_before = NULL;
    OWNED(object) made = NULL;
    OWNED(object) secret = NULL;
    OWNED(object) after = NULL;
    TRY(find_cluster(client, cluster->key, &before));
    if (before)
        TRY(refuse_managed(before, "keeps its kubeconfig itself; choose another name"));
    TRY(find_secret(client, cluster->key, &secret_before));
    if (before)
        TRY(refuse_other_server(cluster, secret_before));
    TRY(put_cluster(client, cluster, before, &made), "write Cluster %.*s",
        STR_ARG(cluster->key.name));
    TRY(strip_labels(client, cluster, made), "remove labels of Cluster %.*s",
        STR_ARG(cluster->key.name));
    TRY(put_secret(client, cluster, made, &secret), "write Secret %.*s" KUBECONFIG_SECRET_SUFFIX,
        STR_ARG(cluster->key.name));
    TRY(put_status(client, cluster, &after), "write the status of Cluster %.*s",
        STR_ARG(cluster->key.name));
    const bool is_same = str_eq(version_of(before), version_of(after)) &&
                         str_eq(version_of(secret_before), version_of(secret));
    *ret_change = !before ? CLUSTER_CREATED : is_same ? CLUSTER_UNCHANGED : CLUSTER_CHANGED;
    return NULL;
}

/*
 * The Secret is deleted only if its label names the cluster. The garbage collector may delete it
 * first.
 */
struct error *cluster_objects_remove(struct client *client, struct key key)
{
    OWNED(object) cluster = NULL;
    OWNED(object) secret = NULL;
    TRY(find_cluster(client, key, &cluster));
    if (!cluster)
        return error_new(ERROR_NOT_FOUND, "there is no cluster %.*s in namespace %.*s",
                         STR_ARG(key.name), STR_ARG(key.namespace));
    TRY(refuse_managed(cluster, "would take down its machines; use kubectl delete if that is "
                                "what you want"));
    TRY(find_secret(client, key, &secret));
    const struct client_delete_options options = {.uid = object_uid(cluster)};
    TRY(client_delete(client, GVR_CLUSTERS, key, &options, NULL));
    struct str owner;
    if (!secret || !object_find_label(secret, STR(CLUSTER_LABEL), &owner) ||
        !str_eq(owner, key.name))
        return NULL;
    return error_ignore(client_delete(client, GVR_SECRETS, object_key(secret), NULL, NULL),
                        ERROR_NOT_FOUND); /* the collector may have been faster */
}
