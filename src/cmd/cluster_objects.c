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

struct error *cluster_objects_check_label(struct str label)
{
    struct str rest = label, key;
    if (!str_cut(&rest, '=', &key) || !validation_is_ok(validation_label_key(key)) ||
        !validation_is_ok(validation_label_value(rest)))
        return error_new(ERROR_INVALID, "'%.*s' is no label of the form key=value", STR_ARG(label));
    return NULL;
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
                                 struct object **ret_object)
{
    SCOPED(json_builder) builder = {0};
    begin_object(&builder, STR("cluster.x-k8s.io/v1beta2"), STR("Cluster"), cluster->key);
    json_builder_add_object(&builder, "labels");
    for (size_t i = 0; i < cluster->label_count; i++) {
        struct str value = str_from_c(cluster->labels[i]), key;
        str_cut(&value, '=', &key);
        json_builder_key(&builder, key);
        json_builder_str(&builder, value);
    }
    json_builder_end(&builder);
    json_builder_end(&builder);
    cluster_document_add_spec(&builder, cluster->host, cluster->port);
    json_builder_end(&builder);
    return apply_document(client, GVR_CLUSTERS, &builder, STR(""), ret_object);
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
    TRY(put_cluster(client, cluster, &made), "write Cluster %.*s", STR_ARG(cluster->key.name));
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
