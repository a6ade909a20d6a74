#include "apiserver/endpoints/admission.h"

#include "apiserver/apiserver_fixture_test.h"

#define MAP(name) \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"}}"

static int apply(struct apiserver_fixture *fixture, const char *target)
{
    int status = 0;
    CHECK_OK(apiserver_fixture_try(fixture, "PATCH", str_from_c(target),
                                   "application/apply-patch+yaml", STR(MAP("a")), &status));
    return status;
}

SIM_TEST(nothing_is_created_where_there_is_no_namespace)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "POST", "/api/v1/namespaces/none/configmaps", MAP("a")),
        404);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"), STR("namespaces \"none\" not found"));
    CHECK_EQ(apply(&fixture, "/api/v1/namespaces/none/configmaps/a?fieldManager=m"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/none/configmaps"), 200);
}

SIM_TEST(nothing_is_created_in_a_namespace_that_is_going)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces",
        "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"going\","
        "\"finalizers\":[\"test/hold\"]}}");
    apiserver_fixture_create(
        &fixture, "/api/v1/namespaces/going/configmaps",
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"held\","
        "\"finalizers\":[\"test/hold\"]}}");
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/going", ""), 200);
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "POST", "/api/v1/namespaces/going/configmaps", MAP("a")),
        403);
    CHECK_CONTAINS(buf_str(&fixture.answer), STR("because it is being terminated"));
    CHECK_EQ(apply(&fixture, "/api/v1/namespaces/going/configmaps/a?fieldManager=m"), 403);
    /* What is there may still change. */
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", "/api/v1/namespaces/going/configmaps/held",
                                    "{\"data\":{\"k\":\"v\"}}"),
             200);
}

SIM_TEST(a_namespace_that_must_stay_may_be_changed)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/default", ""), 403);
    CHECK_EQ(apiserver_fixture_text(&fixture, "reason"), STR("Forbidden"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", "/api/v1/namespaces/default",
                                    "{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
             200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/kube-node-lease", ""),
             200);
}

#define PROTECTED(kind_, name_, value)                                              \
    "{\"apiVersion\":\"v1\",\"kind\":\"" kind_ "\",\"metadata\":{\"name\":\"" name_ \
    "\",\"annotations\":{\"corset.dev/protect\":\"" value "\"}}}"

SIM_TEST(what_is_protected_is_not_deleted)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    const char *maps = "/api/v1/namespaces/default/configmaps";
    apiserver_fixture_create(&fixture, maps, PROTECTED("ConfigMap", "kept", "true"));
    apiserver_fixture_create(&fixture, maps, PROTECTED("ConfigMap", "loose", "false"));
    apiserver_fixture_create(&fixture, "/api/v1/namespaces/default/serviceaccounts",
                             PROTECTED("ServiceAccount", "other", "true"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE",
                                    "/api/v1/namespaces/default/configmaps/kept", ""),
             403);
    CHECK_EQ(apiserver_fixture_text(&fixture, "message"),
             STR("configmaps \"kept\" is forbidden: it is protected from deletion by the "
                 "annotation corset.dev/protect; remove the annotation first"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE",
                                    "/api/v1/namespaces/default/configmaps/kept?dryRun=All", ""),
             403);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", maps, ""), 403); /* all of them */
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/default/configmaps/kept"), 200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE",
                                    "/api/v1/namespaces/default/serviceaccounts/other", ""),
             200);
    /* It may be changed, and without the annotation it may go. */
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "PATCH", "/api/v1/namespaces/default/configmaps/kept",
                               "{\"metadata\":{\"annotations\":{\"corset.dev/protect\":null}}}"),
        200);
    CHECK_EQ(apiserver_fixture_call(&fixture, "DELETE", maps, ""), 200);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/default/configmaps/kept"), 404);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/api/v1/namespaces/default/configmaps/loose"), 404);
}

/* Requests for certificates of CN=me, in the organizations dev and system:masters. */
#define DEV_REQUEST                                                                \
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIVk1IMENBUUF3R3pFTU1Bb0dB" \
    "MVVFQ2d3RFpHVjJNUXN3Q1FZRFZRUUREQUp0WlRCWk1CTUdCeXFHU000OQpBZ0VHQ0NxR1NNNDlB" \
    "d0VIQTBJQUJIM2t6ODBhb3c4cjVHamcxZ2JadEJQV1I3ZGRzeVlPU0FtVXVRS0VERzRhCklmdnJq" \
    "d0Vjc0l6N2xQZ2VhMmxvL3crL1ZMUHdQZk5ZVDRBcHpJS1ZocitnQURBS0JnZ3Foa2pPUFFRREFn" \
    "TkkKQURCRkFpRUFuWjFiSTBHL1ZnUHlodUR3bVczcTY3UUFDazVLNzFWYk85Zmw4RVNWb0JJQ0lD" \
    "ME1OOExEOTdleQo1TVRKczZWUVEwVGR5anFOUmgzQWpEZHduSTlhRmJHYwotLS0tLUVORCBDRVJU" \
    "SUZJQ0FURSBSRVFVRVNULS0tLS0K"
#define MASTERS_REQUEST                                                            \
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaU1JR0lBZ0VBTUNZeEZ6QVZC" \
    "Z05WQkFvTURuTjVjM1JsYlRwdFlYTjBaWEp6TVFzd0NRWURWUVFEREFKdApaVEJaTUJNR0J5cUdT" \
    "TTQ5QWdFR0NDcUdTTTQ5QXdFSEEwSUFCSDNrejgwYW93OHI1R2pnMWdiWnRCUFdSN2RkCnN5WU9T" \
    "QW1VdVFLRURHNGFJZnZyandFY3NJejdsUGdlYTJsby93Ky9WTFB3UGZOWVQ0QXB6SUtWaHIrZ0FE" \
    "QUsKQmdncWhrak9QUVFEQWdOSkFEQkdBaUVBcmQ5NEFSOUREYzhHQ0ZGVCtpYWhVbWJIdXFRVVFM" \
    "M1ErbFZyTVE0UgowZjRDSVFEVElTaG5uQUM5YkdGYk1VTFdZa0hhVit6K0ZtU0lMVUsveHg5SWha" \
    "WDRKUT09Ci0tLS0tRU5EIENFUlRJRklDQVRFIFJFUVVFU1QtLS0tLQo="

#define CERTIFICATES "/apis/certificates.k8s.io/v1/certificatesigningrequests"
#define CERTIFICATE(name, signer, request)                                     \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"signerName\":\"" signer \
    "\",\"request\":\"" request "\",\"usages\":[\"client auth\"],\"username\":\"other\"}}"
#define APPROVED "{\"status\":{\"conditions\":[{\"type\":\"Approved\",\"status\":\"True\"}]}}"
#define SIGNED   "{\"status\":{\"conditions\":[{\"type\":\"Mine\",\"status\":\"True\"}]}}"
#define ROLES    "/apis/rbac.authorization.k8s.io/v1/clusterroles"
#define BINDINGS "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"

/* The user jane may write everything about requests. Signers are another matter. */
static void let_jane_write_certificates(struct apiserver_fixture *fixture)
{
    apiserver_fixture_create(
        fixture, ROLES,
        "{\"metadata\":{\"name\":\"jane\"},\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":["
        "\"certificates.k8s.io\"],\"resources\":[\"certificatesigningrequests\","
        "\"certificatesigningrequests/approval\",\"certificatesigningrequests/status\"]}]}");
    apiserver_fixture_create(
        fixture, BINDINGS,
        "{\"metadata\":{\"name\":\"jane\"},\"roleRef\":{\"apiGroup\":\"rbac.authorization.k8s.io"
        "\",\"kind\":\"ClusterRole\",\"name\":\"jane\"},\"subjects\":[{\"kind\":\"User\",\"apiGroup"
        "\":\"rbac.authorization.k8s.io\",\"name\":\"jane\"}]}");
}

SIM_TEST(certificates_need_a_permission_for_their_signer)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    let_jane_write_certificates(&fixture);
    fixture.user = "jane";
    apiserver_fixture_create(&fixture, CERTIFICATES,
                             CERTIFICATE("a", "example.com/x", DEV_REQUEST));
    CHECK_EQ(apiserver_fixture_text(&fixture, "spec.username"), STR("jane"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "spec.groups.0"), STR("system:authenticated"));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", CERTIFICATES "/a/approval", APPROVED), 403);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"),
                   STR("user not permitted to approve requests with signerName \"example.com/x\""));
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", CERTIFICATES "/a/status", SIGNED), 403);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"), STR("not permitted to sign"));
    /* A permission for all signers of the domain. */
    fixture.user = NULL;
    CHECK_EQ(
        apiserver_fixture_call(
            &fixture, "PATCH", ROLES "/jane",
            "{\"rules\":[{\"verbs\":[\"*\"],\"apiGroups\":[\"certificates.k8s.io\"],"
            "\"resources\":[\"certificatesigningrequests/approval\"]},{\"verbs\":[\"approve\"],"
            "\"apiGroups\":[\"certificates.k8s.io\"],\"resources\":[\"signers\"],"
            "\"resourceNames\":[\"example.com/*\"]}]}"),
        200);
    fixture.user = "jane";
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", CERTIFICATES "/a/approval", APPROVED), 200);
    CHECK(apiserver_fixture_text(&fixture, "status.conditions.0.lastUpdateTime").len > 0);
    /* What was asked for stays. */
    fixture.user = NULL;
    CHECK_EQ(apiserver_fixture_call(&fixture, "PATCH", CERTIFICATES "/a",
                                    "{\"spec\":{\"signerName\":\"b.c/d\"},\"status\":null}"),
             200);
    CHECK_EQ(apiserver_fixture_text(&fixture, "spec.signerName"), STR("example.com/x"));
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.conditions.0.type"), STR("Approved"));
}

SIM_TEST(nobody_asks_for_a_certificate_of_the_administrators)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_call(
                 &fixture, "POST", CERTIFICATES,
                 CERTIFICATE("m", "kubernetes.io/kube-apiserver-client", MASTERS_REQUEST)),
             403);
    CHECK_CONTAINS(apiserver_fixture_text(&fixture, "message"), STR("system:masters"));
    apiserver_fixture_create(&fixture, CERTIFICATES,
                             CERTIFICATE("d", "kubernetes.io/kube-apiserver-client", DEV_REQUEST));
}
