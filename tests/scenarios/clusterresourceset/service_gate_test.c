/* The Service that old clusters must have. */
#include "clusterresourceset/service_gate.h"

#include "scenarios/clusterresourceset/apply_fixture.h"

#define SERVICE "/api/v1/namespaces/default/services/kubernetes"

static struct error *check(struct apply_fixture *fixture, const char *version)
{
    proxy_forget(&fixture->proxy);
    return service_gate_check(fixture->client, str_from_c(version), KEY("ns", "c1"));
}

SIM_TEST(crs_27_an_old_cluster_needs_the_service_kubernetes)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    (void)apply_fixture_call(&fixture, "DELETE", SERVICE, NULL);
    CHECK_FAILS(check(&fixture, "v1.24.17"), ERROR_NOT_FOUND,
                "failed to retrieve the Service for Kubernetes API Server of the cluster ns/c1: "
                "services \"kubernetes\" not found");
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("GET " SERVICE "\n"));
    apply_fixture_do(&fixture, "POST", "/api/v1/namespaces/default/services",
                     "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":"
                     "\"kubernetes\"},\"spec\":{\"ports\":[{\"port\":443}]}}");
    CHECK_OK(check(&fixture, "v1.24.17"));
}

SIM_TEST(crs_28_newer_and_unknown_clusters_are_not_asked)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    CHECK_OK(check(&fixture, "v1.25.0"));
    CHECK_OK(check(&fixture, ""));
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR(""));
}
