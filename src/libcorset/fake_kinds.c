/*
 * The kinds of a fake server: a table of those that Kubernetes and Cluster API have, and those of
 * the CustomResourceDefinitions that are in the store.
 */
#include "libcorset/fake_kinds.h"

#include "apimachinery/wellknown.h"
#include "base/array.h"
#include "json/path.h"

#define KIND(group, version, kind, resource, is_namespaced, has_status)                        \
    {                                                                                          \
        STR_INIT(group), STR_INIT(version), STR_INIT(kind), STR_INIT(resource), is_namespaced, \
            has_status                                                                         \
    }
#define RBAC      "rbac.authorization.k8s.io"
#define CLUSTERS  "cluster.x-k8s.io"
#define EXTENSION "apiextensions.k8s.io"

/* Group, version, kind, resource, whether it is namespaced, whether it has the subresource status.
 */
static const struct fake_kind built_in[] = {
    KIND("", "v1", "ConfigMap", "configmaps", true, false),
    KIND("", "v1", "Endpoints", "endpoints", true, false),
    KIND("", "v1", "Event", "events", true, false),
    KIND("", "v1", "LimitRange", "limitranges", true, false),
    KIND("", "v1", "Namespace", "namespaces", false, true),
    KIND("", "v1", "Node", "nodes", false, true),
    KIND("", "v1", "PersistentVolume", "persistentvolumes", false, true),
    KIND("", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", true, true),
    KIND("", "v1", "Pod", "pods", true, true),
    KIND("", "v1", "ReplicationController", "replicationcontrollers", true, true),
    KIND("", "v1", "ResourceQuota", "resourcequotas", true, true),
    KIND("", "v1", "Secret", "secrets", true, false),
    KIND("", "v1", "Service", "services", true, true),
    KIND("", "v1", "ServiceAccount", "serviceaccounts", true, false),
    KIND(EXTENSION, "v1", "CustomResourceDefinition", "customresourcedefinitions", false, true),
    KIND("apps", "v1", "DaemonSet", "daemonsets", true, true),
    KIND("apps", "v1", "Deployment", "deployments", true, true),
    KIND("apps", "v1", "ReplicaSet", "replicasets", true, true),
    KIND("apps", "v1", "StatefulSet", "statefulsets", true, true),
    KIND("autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", true, true),
    KIND("batch", "v1", "CronJob", "cronjobs", true, true),
    KIND("batch", "v1", "Job", "jobs", true, true),
    KIND("coordination.k8s.io", "v1", "Lease", "leases", true, false),
    KIND("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", true, false),
    KIND("events.k8s.io", "v1", "Event", "events", true, false),
    KIND("networking.k8s.io", "v1", "Ingress", "ingresses", true, true),
    KIND("networking.k8s.io", "v1", "IngressClass", "ingressclasses", false, false),
    KIND("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", true, false),
    KIND("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", true, true),
    KIND(RBAC, "v1", "ClusterRole", "clusterroles", false, false),
    KIND(RBAC, "v1", "ClusterRoleBinding", "clusterrolebindings", false, false),
    KIND(RBAC, "v1", "Role", "roles", true, false),
    KIND(RBAC, "v1", "RoleBinding", "rolebindings", true, false),
    KIND("scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", false, false),
    KIND("storage.k8s.io", "v1", "CSIDriver", "csidrivers", false, false),
    KIND("storage.k8s.io", "v1", "StorageClass", "storageclasses", false, false),
    KIND(CLUSTERS, "v1beta2", "Cluster", "clusters", true, true),
    KIND(CLUSTERS, "v1beta2", "Machine", "machines", true, true),
    KIND(CLUSTERS, "v1beta2", "MachineDeployment", "machinedeployments", true, true),
    KIND(CLUSTERS, "v1beta2", "MachinePool", "machinepools", true, true),
    KIND(CLUSTERS, "v1beta2", "MachineSet", "machinesets", true, true),
};

const struct fake_kind *fake_store_kind(const struct fake_store *store, size_t index)
{
    if (index < COUNT(built_in))
        return &built_in[index];
    index -= COUNT(built_in);
    return index < store->custom_count ? &store->custom[index] : NULL;
}

const struct fake_kind *fake_store_find_kind(const struct fake_store *store, struct gvk gvk)
{
    const struct fake_kind *kind;
    for (size_t i = 0; (kind = fake_store_kind(store, i)); i++)
        if (gvk_eq(gvk, (struct gvk){kind->group, kind->version, kind->kind}))
            return kind;
    return NULL;
}

const struct fake_kind *fake_store_find_resource(const struct fake_store *store, struct gvr gvr)
{
    const struct fake_kind *kind;
    for (size_t i = 0; (kind = fake_store_kind(store, i)); i++)
        if (gvr_eq(gvr, (struct gvr){kind->group, kind->version, kind->resource}))
            return kind;
    return NULL;
}

struct str fake_kind_path(struct arena *arena, const struct fake_kind *kind)
{
    return ARENA_JOIN(arena, kind->group, STR("/"), kind->resource);
}

/* Texts stay until the store ends: a watch that runs may have them. */
static void add_custom(struct fake_store *store, const struct json_value *spec,
                       const struct json_value *version)
{
    bool is_served = false;
    json_to_bool(json_get(version, STR("served")), &is_served);
    if (!is_served)
        return;
    const struct fake_kind kind = {
        .group = arena_str(&store->texts, json_path_str(spec, "group")),
        .version = arena_str(&store->texts, json_path_str(version, "name")),
        .kind = arena_str(&store->texts, json_path_str(spec, "names.kind")),
        .resource = arena_str(&store->texts, json_path_str(spec, "names.plural")),
        .is_namespaced = str_eq(json_path_str(spec, "scope"), STR("Namespaced")),
        .has_status = json_type(json_path(version, "subresources.status")) == JSON_OBJECT,
    };
    ARRAY_PUSH(store->custom, store->custom_count, store->custom_capacity, kind);
}

void fake_kinds_read(struct fake_store *store)
{
    const struct str prefix = STR("apiextensions.k8s.io/customresourcedefinitions/");
    const struct json_value *version;
    store->custom_count = 0;
    for (struct tree_node *node = tree_seek(&store->objects, prefix);
         node && str_starts_with(tree_key(node), prefix); node = tree_next(node)) {
        const struct json_value *spec = object_spec(node->value);
        JSON_FOREACH (key, version, json_get(spec, STR("versions")))
            add_custom(store, spec, version);
    }
}

static void add_verbs(struct buf *out)
{
    buf_add(out, STR("\"verbs\":[\"create\",\"delete\",\"get\",\"list\",\"patch\",\"update\","
                     "\"watch\"]"));
}

static void add_resource(struct buf *out, const struct fake_kind *kind, const char *suffix)
{
    buf_add(out, out->ptr[out->len - 1] == '[' ? STR("") : STR(","));
    buf_print(out,
              "{\"name\":\"%.*s%s\",\"singularName\":\"\",\"namespaced\":%s,\"kind\":\"%.*s\",",
              STR_ARG(kind->resource), suffix, kind->is_namespaced ? "true" : "false",
              STR_ARG(kind->kind));
    add_verbs(out);
    buf_add_char(out, '}');
}

/* /api/v1, /apis/<group>/<version> */
static bool write_version(const struct fake_store *store, struct str group, struct str version,
                          struct buf *out)
{
    const struct fake_kind *kind;
    bool is_served = false;
    buf_print(out,
              "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"%.*s%s%.*s\","
              "\"resources\":[",
              STR_ARG(group), group.len ? "/" : "", STR_ARG(version));
    for (size_t i = 0; (kind = fake_store_kind(store, i)); i++) {
        if (!str_eq(kind->group, group) || !str_eq(kind->version, version))
            continue;
        is_served = true;
        add_resource(out, kind, "");
        if (kind->has_status)
            add_resource(out, kind, "/status");
    }
    buf_add(out, STR("]}"));
    return is_served;
}

/* True if no kind before this one has its group, or its group and version. */
static bool is_first(const struct fake_store *store, const struct fake_kind *kind, bool of_version)
{
    const struct fake_kind *other;
    for (size_t i = 0; (other = fake_store_kind(store, i)) && other != kind; i++)
        if (str_eq(other->group, kind->group) &&
            (!of_version || str_eq(other->version, kind->version)))
            return false;
    return true;
}

static void add_group_version(struct buf *out, const struct fake_kind *kind)
{
    buf_print(out, "{\"groupVersion\":\"%.*s/%.*s\",\"version\":\"%.*s\"}", STR_ARG(kind->group),
              STR_ARG(kind->version), STR_ARG(kind->version));
}

/* An APIGroup, of the first kind of a group. The version of that is the preferred one. */
static void add_group(const struct fake_store *store, const struct fake_kind *first,
                      struct buf *out)
{
    const struct fake_kind *kind;
    buf_print(out, "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"%.*s\",\"versions\":[",
              STR_ARG(first->group));
    for (size_t i = 0; (kind = fake_store_kind(store, i)); i++) {
        if (!str_eq(kind->group, first->group) || !is_first(store, kind, true))
            continue;
        buf_add(out, kind == first ? STR("") : STR(","));
        add_group_version(out, kind);
    }
    buf_add(out, STR("],\"preferredVersion\":"));
    add_group_version(out, first);
    buf_add_char(out, '}');
}

static void write_groups(const struct fake_store *store, struct buf *out)
{
    const struct fake_kind *kind;
    buf_add(out, STR("{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":["));
    for (size_t i = 0; (kind = fake_store_kind(store, i)); i++) {
        if (!kind->group.len || !is_first(store, kind, false))
            continue;
        buf_add(out, out->ptr[out->len - 1] == '[' ? STR("") : STR(","));
        add_group(store, kind, out);
    }
    buf_add(out, STR("]}"));
}

static bool write_group(const struct fake_store *store, struct str group, struct buf *out)
{
    const struct fake_kind *kind;
    for (size_t i = 0; (kind = fake_store_kind(store, i)); i++)
        if (str_eq(kind->group, group)) {
            add_group(store, kind, out);
            return true;
        }
    return false;
}

bool fake_kinds_write(const struct fake_store *store, struct str path, struct buf *out)
{
    struct str rest = path, group;
    if (str_eq(path, STR("/api"))) {
        buf_add(out, STR("{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}"));
        return true;
    }
    if (str_eq(path, STR("/api/v1")))
        return write_version(store, STR(""), STR("v1"), out);
    if (str_eq(path, STR("/apis"))) {
        write_groups(store, out);
        return true;
    }
    if (!str_starts_with(path, STR("/apis/")))
        return false;
    rest = str_skip(path, strlen("/apis/"));
    return str_cut(&rest, '/', &group) ? write_version(store, group, rest, out)
                                       : write_group(store, group, out);
}
