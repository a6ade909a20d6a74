/* The Service that old clusters must have. */
#include "clusterresourceset/service_gate.h"

#include "scenarios/clusterresourceset/apply_fixture.h"

#define SERVICE "/api/v1/namespaces/default/services/kubernetes"

/* Our own server always has the Service. */
#define MISSING                                                                                 \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"services " \
    "\\\"kubernetes\\\" not found\",\"reason\":\"NotFound\",\"code\":404}"

static struct error *check(struct apply_fixture *fixture, const char *version)
{
    proxy_forget(&fixture->proxy);
    return service_gate_check(fixture->client, str_from_c(version), KEY("ns", "c1"));
}

SIM_TEST(crs_27_an_old_cluster_needs_the_service_kubernetes)
{
    SCOPED(apply_fixture) fixture;
    apply_fixture_init(&fixture);
    proxy_fail(&fixture.proxy,
               (struct proxy_fault){
                   .method = "GET", .part = SERVICE, .times = 1, .status = 404, .body = MISSING});
    CHECK_FAILS(check(&fixture, "v1.24.17"), ERROR_NOT_FOUND,
                "failed to retrieve the Service for Kubernetes API Server of the cluster ns/c1: "
                "services \"kubernetes\" not found");
    CHECK_EQ(buf_str(&fixture.proxy.asked), STR("GET " SERVICE "\n"));
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
