#include "app/cache_trim.h"

#include "json/compare.h"
#include "testing/test.h"

#define METADATA                                                                               \
    "\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"ns\"," \
    "\"uid\":\"u\",\"labels\":{\"a\":\"b\"},\"generation\":3,\"resourceVersion\":\"12\","      \
    "\"creationTimestamp\":\"2025-12-01T00:00:00Z\","                                          \
    "\"deletionTimestamp\":\"2026-01-01T00:00:00Z\",\"annotations\":{"                         \
    "\"cluster.x-k8s.io/paused\":\"\",\"runtime.cluster.x-k8s.io/ok-to-delete\":\"x\"%s}%s}"
#define MORE_ANNOTATIONS ",\"kubectl.kubernetes.io/last-applied-configuration\":\"{}\""
#define MORE_METADATA                                                                           \
    ",\"managedFields\":[{\"manager\":\"m\"}],\"finalizers\":[\"f\"],\"ownerReferences\":[{}]," \
    "\"selfLink\":\"/x\""

/* Makes "{metadata, rest}"; the metadata as it arrives, or as it is kept. */
static struct object *make(const char *name, const char *rest, bool is_kept)
{
    SCOPED(buf) text = {0};
    struct object *object = NULL;
    buf_print(&text, "{" METADATA "%s}", name, is_kept ? "" : MORE_ANNOTATIONS,
              is_kept ? "" : MORE_METADATA, rest);
    CHECK_OK(object_read(buf_str(&text), &object));
    return object;
}

static void check_view(cache_transform_fn *view, const char *name, const char *arrives,
                       const char *kept)
{
    OWNED(object) object = make(name, arrives, false);
    OWNED(object) expected = make(name, kept, true);
    OWNED(object) seen = NULL;
    SCOPED(buf) left = {0};
    SCOPED(buf) right = {0};
    TEST_CASE("%s%s", name, arrives);
    CHECK_OK(view(NULL, object, &seen));
    json_write_canonical(&left, object_root(seen));
    json_write_canonical(&right, object_root(expected));
    CHECK_EQ(buf_str(&left), buf_str(&right));
    CHECK_EQ(object_resource_version(seen), object_resource_version(object));
}

TEST(of_clusters_only_what_is_read_is_kept)
{
    check_view(cache_trim_cluster, "c1", "", ",\"spec\":{},\"status\":{}");
    check_view(cache_trim_cluster, "c1",
               ",\"spec\":{\"paused\":true,\"clusterNetwork\":{},\"topology\":{\"class\":\"x\"}},"
               "\"status\":{\"phase\":\"Provisioned\",\"conditions\":[{}],\"initialization\":{"
               "\"infrastructureProvisioned\":true,\"controlPlaneInitialized\":false}}",
               ",\"spec\":{\"paused\":true,\"topology\":{}},\"status\":{\"initialization\":{"
               "\"infrastructureProvisioned\":true,\"controlPlaneInitialized\":false}}");
    check_view(cache_trim_cluster, "c1",
               ",\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"},{\"type\":"
               "\"RemoteConnectionProbe\",\"status\":\"False\"},{\"type\":\"Available\"},7]}",
               ",\"spec\":{},\"status\":{\"conditions\":[{\"type\":\"RemoteConnectionProbe\","
               "\"status\":\"False\"},{\"type\":\"Available\"}]}");
    check_view(cache_trim_cluster, "c1", ",\"spec\":{\"paused\":false,\"topology\":null}",
               ",\"spec\":{},\"status\":{}");
    check_view(cache_trim_cluster, "c1", ",\"spec\":\"x\",\"status\":7",
               ",\"spec\":{},\"status\":{}");
}

TEST(of_secrets_only_kubeconfigs_keep_data)
{
    const char *data = ",\"type\":\"Opaque\",\"data\":{\"value\":\"dmFsdWU=\",\"more\":\"eA==\"}";
    check_view(cache_trim_secret, "c1-kubeconfig", data, ",\"data\":{\"value\":\"dmFsdWU=\"}");
    check_view(cache_trim_secret, "c1-kubeconfig", "", ",\"data\":{}");
    check_view(cache_trim_secret, "c1-ca", data, "");
    check_view(cache_trim_secret, "kubeconfig", data, "");
}

TEST(a_cluster_without_metadata_is_kept_too)
{
    OWNED(object) object = NULL;
    OWNED(object) seen = NULL;
    CHECK_OK(object_read(STR("{\"kind\":\"Cluster\"}"), &object));
    CHECK_OK(cache_trim_cluster(NULL, object, &seen));
    CHECK_EQ(object_kind(seen), STR("Cluster"));
    CHECK(!object_is_deleting(seen));
}
