/* The kinds of add-ons as the embedded API server serves them, over a real socket. */
#include "app/standalone.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "clusterresourceset/types/bundled_crds.h"
#include "http/client.h"
#include "json/compare.h"
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"
#include "testing/sim.h"

#define ADDONS      "/apis/addons.cluster.x-k8s.io"
#define SETS        ADDONS "/v1beta2/namespaces/default/clusterresourcesets"
#define OLD_SETS    ADDONS "/v1beta1/namespaces/default/clusterresourcesets"
#define BINDINGS    ADDONS "/v1beta2/namespaces/default/clusterresourcesetbindings"
#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

#define RESOURCES "\"resources\":[{\"kind\":\"ConfigMap\",\"name\":\"cni\"}]"
#define SELECTOR  "\"clusterSelector\":{\"matchLabels\":{\"cni\":\"calico\"}}"
#define SET(version, name, spec)                                                               \
    "{\"apiVersion\":\"addons.cluster.x-k8s.io/" version "\",\"kind\":\"ClusterResourceSet\"," \
    "\"metadata\":{\"name\":\"" name "\"},\"spec\":{" spec "}}"
#define BINDING(name, spec)                                                                       \
    "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSetBinding\"," \
    "\"metadata\":{\"name\":\"" name "\"},\"spec\":{" spec "}}"
#define DENIED(kind) \
    "admission webhook \"validation." kind ".addons.cluster.x-k8s.io\" denied the request: "

struct place {
    struct network *network;
    struct tls_context *tls;
    struct tls_trust *trust;
    struct tls_identity *admin;
    struct standalone *standalone;
    struct http_client *client;

    /* Of the last call. */
    struct buf answer, warnings;
    struct json_doc *doc;
};

static void place_init(struct place *place)
{
    *place = (struct place){.network = tcp_network_new(loop_current()), .tls = tls_context_new()};
    const struct apiserver_options options = {.network = place->network, .host = STR("127.0.0.1")};
    CHECK_OK(standalone_new(loop_current(), &options, &place->standalone));
    struct apiserver *server = standalone_server(place->standalone);
    CHECK_OK(tls_trust_read(apiserver_authority(server), &place->trust));
    CHECK_OK(tls_identity_read(apiserver_admin_certificate(server), apiserver_admin_key(server),
                               &place->admin));
    const struct http_client_options client = {
        .endpoint = {.network = place->network,
                     .host = STR("127.0.0.1"),
                     .port = apiserver_port(server),
                     .tls = place->tls,
                     .identity = place->admin,
                     .trust = place->trust},
    };
    place->client = http_client_new(loop_current(), &client);
}

static void place_done(struct place *place)
{
    http_client_free(place->client);
    standalone_free(place->standalone);
    tls_identity_free(place->admin);
    tls_trust_free(place->trust);
    tls_context_free(place->tls);
    network_free(place->network);
    buf_done(&place->answer);
    buf_done(&place->warnings);
    json_doc_free(place->doc);
}

/* The status; PATCH is a merge patch, APPLY a server-side apply. */
static int call(struct place *place, const char *method, const char *target, struct str body)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    const bool is_patch = strcmp(method, "PATCH") == 0, is_apply = strcmp(method, "APPLY") == 0;
    const struct str type = is_apply   ? STR("application/apply-patch+yaml")
                            : is_patch ? STR("application/merge-patch+json")
                                       : STR("application/json");
    CHECK_OK(http_headers_add(&headers, STR("content-type"), type));
    const struct http_client_request request = {
        .method = is_apply ? STR("PATCH") : str_from_c(method),
        .target = str_from_c(target),
        .headers = &headers,
        .body = body,
    };
    buf_clear(&place->answer);
    buf_clear(&place->warnings);
    json_doc_free(TAKE(place->doc));
    CHECK_OK(http_client_send(place->client, &request, &response));
    buf_add(&place->warnings, http_headers_find(http_response_headers(response), STR("warning")));
    CHECK_OK(http_response_read_all(response, &place->answer));
    CHECK_OK(json_read(buf_str(&place->answer), &place->doc));
    return http_response_status(response);
}

static int send(struct place *place, const char *method, const char *target, const char *body)
{
    return call(place, method, target, str_from_c(body));
}

/* Text at a path of the last answer. */
static struct str look(const struct place *place, const char *path)
{
    return json_path_str(json_doc_root(place->doc), path);
}

static void do_it(struct place *place, const char *method, const char *target, const char *body)
{
    const int status = send(place, method, target, body);
    if (status != 200 && status != 201)
        test_fail(TEST_PLACE(target), "%d: %.*s", status, STR_ARG(buf_str(&place->answer)));
}

LOOP_TEST(crs_58_without_a_strategy_a_set_applies_once)
{
    SCOPED(place) place;
    place_init(&place);
    do_it(&place, "POST", SETS, SET("v1beta2", "a", SELECTOR "," RESOURCES));
    CHECK_EQ(look(&place, "spec.strategy"), STR("ApplyOnce"));
    /* A default of the schema belongs to who made the set: so does kube-apiserver. */
    CHECK(
        json_path(json_doc_root(place.doc), "metadata.managedFields.0.fieldsV1.f:spec.f:strategy"));
    do_it(&place, "GET", SETS "/a", "");
    CHECK_EQ(look(&place, "spec.strategy"), STR("ApplyOnce"));
    TEST_CASE("empty");
    do_it(&place, "POST", SETS, SET("v1beta2", "b", SELECTOR "," RESOURCES ",\"strategy\":\"\""));
    CHECK_EQ(look(&place, "spec.strategy"), STR("ApplyOnce"));
    TEST_CASE("given");
    do_it(&place, "POST", SETS,
          SET("v1beta2", "c", SELECTOR "," RESOURCES ",\"strategy\":\"Reconcile\""));
    CHECK_EQ(look(&place, "spec.strategy"), STR("Reconcile"));
    TEST_CASE("in the older version");
    do_it(&place, "POST", OLD_SETS, SET("v1beta1", "d", SELECTOR));
    CHECK_EQ(look(&place, "spec.strategy"), STR("ApplyOnce"));
    CHECK_EQ(look(&place, "apiVersion"), STR("addons.cluster.x-k8s.io/v1beta1"));
    do_it(&place, "GET", SETS "/d", "");
    CHECK_EQ(look(&place, "spec.strategy"), STR("ApplyOnce"));
}

/* A set with this many resources. */
static void write_set(struct buf *out, size_t resources)
{
    buf_add(out, STR("{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":"
                     "\"ClusterResourceSet\",\"metadata\":{\"name\":\"many\"},\"spec\":{" SELECTOR
                     ",\"resources\":["));
    for (size_t i = 0; i < resources; i++)
        buf_print(out, "%s{\"kind\":\"Secret\",\"name\":\"s%zu\"}", i ? "," : "", i);
    buf_add(out, STR("]}}"));
}

LOOP_TEST(crs_59_the_schema_refuses_what_is_out_of_bounds)
{
    SCOPED(place) place;
    SCOPED(buf) many = {.limit = 0};
    SCOPED(buf) most = {.limit = 0};
    place_init(&place);
    const struct {
        const char *name, *body, *message;
    } cases[] = {
        {"strategy",    SET("v1beta2", "a", SELECTOR "," RESOURCES ",\"strategy\":\"Foo\""),
         "spec.strategy: Unsupported value: \"Foo\""                                                                                                },
        {"no resource", SET("v1beta2", "a", SELECTOR ",\"resources\":[]"),
         "spec.resources in body should have at least 1 items"                                                                                      },
        {"kind",        SET("v1beta2", "a", SELECTOR ",\"resources\":[{\"kind\":\"Pod\",\"name\":\"p\"}]"),
         "spec.resources[0].kind: Unsupported value: \"Pod\""                                                                                       },
        {"empty name",
         SET("v1beta2",                "a", SELECTOR ",\"resources\":[{\"kind\":\"Secret\",\"name\":\"\"}]"),
         "spec.resources[0].name in body should be at least 1 chars long"                                                                           },
        {"no selector", SET("v1beta2", "a", RESOURCES),                                                       "spec.clusterSelector: Required value"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(send(&place, "POST", SETS, cases[i].body), 422);
        CHECK_CONTAINS(look(&place, "message"), str_from_c(cases[i].message));
        CHECK(!str_contains(look(&place, "message"), STR("webhook")));
    }
    TEST_CASE("101 resources");
    write_set(&many, 101);
    CHECK_EQ(call(&place, "POST", SETS, buf_str(&many)), 422);
    CHECK_CONTAINS(look(&place, "message"), STR("spec.resources: Too many: 101"));
    TEST_CASE("100 resources");
    write_set(&most, 100);
    CHECK_EQ(call(&place, "POST", SETS, buf_str(&most)), 201);
}

#define KEY_RULE                                                                                   \
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "  \
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for " \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

LOOP_TEST(crs_60_a_selector_that_selects_all_or_nothing_is_refused)
{
    SCOPED(place) place;
    place_init(&place);
    const struct {
        const char *name, *method, *target, *body, *message;
    } cases[] = {
        {"empty, create",                                  "POST",            SETS,                                                            SET("v1beta2", "b", "\"clusterSelector\":{}," RESOURCES),
         DENIED("clusterresourceset") "ClusterResourceSet.addons.cluster.x-k8s.io \"b\" is "
                                      "invalid: spec.clusterSelector: Invalid value: {}: selector "
                                      "must not be empty"},
        {"empty, create in the older version", "POST",                  OLD_SETS,
         SET("v1beta1",                                                     "b",                               "\"clusterSelector\":{}"),
         DENIED("clusterresourceset") "ClusterResourceSet.addons.cluster.x-k8s.io \"b\" is "
                                      "invalid: spec.clusterSelector: Invalid value: {}: selector "
                                      "must not be empty"},
        {"bad key, create",                                             "POST",                                     SETS,
         SET("v1beta2",                                                                                                  "b",
         "\"clusterSelector\":{\"matchLabels\":{\"-123-foo\":\"bar\"}}," RESOURCES),
         DENIED("clusterresourceset") "ClusterResourceSet.addons.cluster.x-k8s.io \"b\" is "
                                      "invalid: spec.clusterSelector: Invalid value: "
                                      "{\"matchLabels\":{\"-123-foo\":\"bar\"}}: key: Invalid "
                                      "value: \"-123-foo\": " KEY_RULE},
        {"empty, update",                                            "PATCH",                                                       SETS "/a",
         "{\"spec\":{\"clusterSelector\":{\"matchLabels\":null}}}",                                                                          DENIED("clusterresourceset") "ClusterResourceSet.addons.cluster.x-k8s.io \"a\" is "
                                      "invalid: [spec.clusterSelector: Invalid value: {}: selector "
                                      "must not be empty, spec.clusterSelector: Invalid value: {}: "
                                      "field is immutable]"                                                                                           },
        {"bad key, update",                                  "PATCH", SETS "/a",
         "{\"spec\":{\"clusterSelector\":{\"matchLabels\":{\"cni\":null,\"-a\":\"b\"}}}}",                                                                                           DENIED("clusterresourceset") "ClusterResourceSet.addons.cluster.x-k8s.io \"a\" is "
                                      "invalid: [spec.clusterSelector: Invalid value: "
                                      "{\"matchLabels\":{\"-a\":\"b\"}}: key: Invalid value: "
                                      "\"-a\": " KEY_RULE ", spec.clusterSelector: Invalid value: "
                                      "{\"matchLabels\":{\"-a\":\"b\"}}: field is immutable]"                                   },
    };
    do_it(&place, "POST", SETS, SET("v1beta2", "a", SELECTOR "," RESOURCES));
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(send(&place, cases[i].method, cases[i].target, cases[i].body), 422);
        CHECK_EQ(look(&place, "message"), str_from_c(cases[i].message));
        CHECK_EQ(look(&place, "reason"), STR("Invalid"));
        CHECK_EQ(look(&place, "details.kind"), STR("ClusterResourceSet"));
        CHECK_EQ(look(&place, "details.causes.0.field"), STR("spec.clusterSelector"));
    }
}

LOOP_TEST(crs_61_strategy_and_selector_stay_as_they_are)
{
    SCOPED(place) place;
    place_init(&place);
    do_it(&place, "POST", SETS,
          SET("v1beta2", "a", SELECTOR "," RESOURCES ",\"strategy\":\"Reconcile\""));
    CHECK_EQ(send(&place, "PATCH", SETS "/a", "{\"spec\":{\"strategy\":\"ApplyOnce\"}}"), 422);
    CHECK_EQ(look(&place, "message"),
             STR(DENIED("clusterresourceset") "ClusterResourceSet.addons.cluster.x-k8s.io \"a\" is "
                                              "invalid: spec.strategy: Invalid value: "
                                              "\"ApplyOnce\": field is immutable"));
    TEST_CASE("taken away: it is the default then");
    CHECK_EQ(send(&place, "PATCH", SETS "/a", "{\"spec\":{\"strategy\":null}}"), 422);
    CHECK_CONTAINS(look(&place, "message"),
                   STR("spec.strategy: Invalid value: \"ApplyOnce\": field is immutable"));
    TEST_CASE("selector");
    CHECK_EQ(send(&place, "PATCH", OLD_SETS "/a",
                  "{\"spec\":{\"clusterSelector\":{\"matchLabels\":{\"cni\":\"other\"}}}}"),
             422);
    CHECK_CONTAINS(
        look(&place, "message"),
        STR("spec.clusterSelector: Invalid value: {\"matchLabels\":{\"cni\":\"other\"}}: "
            "field is immutable"));
}

LOOP_TEST(crs_62_all_else_may_change)
{
    SCOPED(place) place;
    place_init(&place);
    do_it(&place, "POST", SETS, SET("v1beta2", "a", SELECTOR "," RESOURCES));
    do_it(&place, "PATCH", SETS "/a",
          "{\"metadata\":{\"labels\":{\"x\":\"y\"}},\"spec\":{\"resources\":[{\"kind\":\"Secret\","
          "\"name\":\"s\"}]}}");
    CHECK_EQ(look(&place, "spec.resources.0.name"), STR("s"));
    TEST_CASE("the status, which no admission looks at");
    do_it(&place, "PATCH", SETS "/a/status", "{\"status\":{\"observedGeneration\":2}}");
    TEST_CASE("a set that is read and written again");
    do_it(&place, "GET", SETS "/a", "");
    SCOPED(buf) same = {.limit = 0};
    buf_add(&same, buf_str(&place.answer));
    CHECK_EQ(call(&place, "PUT", SETS "/a", buf_str(&same)), 200);
}

LOOP_TEST(crs_63_a_binding_names_its_cluster)
{
    SCOPED(place) place;
    place_init(&place);
    CHECK_EQ(send(&place, "POST", BINDINGS, BINDING("c", "\"bindings\":[]")), 422);
    CHECK_CONTAINS(look(&place, "message"), STR("spec.clusterName: Required value"));
}

LOOP_TEST(crs_64_and_keeps_naming_it)
{
    SCOPED(place) place;
    place_init(&place);
    do_it(&place, "POST", BINDINGS, BINDING("c", "\"clusterName\":\"c\""));
    do_it(&place, "PATCH", BINDINGS "/c",
          "{\"spec\":{\"bindings\":[{\"clusterResourceSetName\":\"s\"}]}}");
    TEST_CASE("another name");
    CHECK_EQ(send(&place, "PATCH", BINDINGS "/c", "{\"spec\":{\"clusterName\":\"d\"}}"), 422);
    CHECK_EQ(
        look(&place, "message"),
        STR(DENIED(
            "clusterresourcesetbinding") "ClusterResourceSetBinding.addons.cluster.x-k8s.io \"c\" is invalid: "
                                         "spec.clusterName: Invalid value: \"d\": field is immutable"));
}

#define TIME "\"lastTransitionTime\":\"2024-01-02T03:04:05Z\""
#define NEW_CONDITION                                                                        \
    "{\"type\":\"ResourcesApplied\",\"status\":\"True\",\"reason\":\"Applied\",\"message\":" \
    "\"\"," TIME "}"
#define OLD_CONDITION "{\"type\":\"Old\",\"status\":\"False\",\"severity\":\"Warning\"," TIME "}"

static void check_json(const struct json_value *seen, const char *expected)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) left = {.limit = 0};
    SCOPED(buf) right = {.limit = 0};
    CHECK_OK(json_read(str_from_c(expected), &doc));
    json_write_canonical(&left, seen);
    json_write_canonical(&right, json_doc_root(doc));
    CHECK_EQ(buf_str(&left), buf_str(&right));
}

/* The status as v1beta1 has it, at a path of the last answer. */
static void check_old_status(const struct place *place, const char *path)
{
    check_json(json_path(json_doc_root(place->doc), path),
               "{\"observedGeneration\":1,\"conditions\":[" OLD_CONDITION "],"
               "\"v1beta2\":{\"conditions\":[" NEW_CONDITION "]}}");
}

/* The first event of a watch. */
static void first_event(struct place *place, const char *target)
{
    OWNED(http_response) response = NULL;
    const struct http_client_request request = {.target = str_from_c(target)};
    struct str line;
    json_doc_free(TAKE(place->doc));
    CHECK_OK(http_client_send(place->client, &request, &response));
    CHECK_OK(http_response_read_line(response, &line));
    CHECK_OK(json_read(line, &place->doc));
}

LOOP_TEST(crs_65_each_version_has_its_conditions_where_it_expects_them)
{
    SCOPED(place) place;
    place_init(&place);
    do_it(&place, "POST", SETS, SET("v1beta2", "a", SELECTOR "," RESOURCES));
    do_it(&place, "PATCH", SETS "/a/status",
          "{\"status\":{\"observedGeneration\":1,\"conditions\":[" NEW_CONDITION "],"
          "\"deprecated\":{\"v1beta1\":{\"conditions\":[" OLD_CONDITION "]}}}}");
    TEST_CASE("read");
    do_it(&place, "GET", OLD_SETS "/a", "");
    check_old_status(&place, "status");
    CHECK_CONTAINS(buf_str(&place.warnings), STR("is deprecated"));
    TEST_CASE("listed");
    do_it(&place, "GET", OLD_SETS, "");
    check_old_status(&place, "items.0.status");
    TEST_CASE("watched");
    first_event(&place, OLD_SETS "?watch=true");
    check_old_status(&place, "object.status");
    TEST_CASE("written");
    do_it(&place, "PATCH", OLD_SETS "/a/status", "{\"status\":{\"observedGeneration\":7}}");
    do_it(&place, "GET", SETS "/a", "");
    check_json(json_path(json_doc_root(place.doc), "status"),
               "{\"observedGeneration\":7,\"conditions\":[" NEW_CONDITION "],"
               "\"deprecated\":{\"v1beta1\":{\"conditions\":[" OLD_CONDITION "]}}}");
}

/* The entry of a manager in the last answer; NULL when it owns nothing. */
static const struct json_value *owner(const struct place *place, const char *manager)
{
    const struct json_value *entry;
    JSON_FOREACH (key, entry, json_path(json_doc_root(place->doc), "metadata.managedFields"))
        if (str_eq(json_path_str(entry, "manager"), str_from_c(manager)))
            return entry;
    return NULL;
}

LOOP_TEST(a_write_in_one_version_takes_nothing_from_owners_in_the_other)
{
    SCOPED(place) place;
    place_init(&place);
    do_it(&place, "POST", SETS "?fieldManager=maker", SET("v1beta2", "a", SELECTOR "," RESOURCES));
    do_it(&place, "PATCH", SETS "/a/status?fieldManager=newer",
          "{\"status\":{\"observedGeneration\":1,\"conditions\":[" NEW_CONDITION "],"
          "\"deprecated\":{\"v1beta1\":{\"conditions\":[" OLD_CONDITION "]}}}}");
    OWNED(json_doc) before = json_doc_copy(owner(&place, "newer"));

    TEST_CASE("an update");
    do_it(&place, "PATCH", OLD_SETS "/a?fieldManager=older",
          "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}");
    CHECK(owner(&place, "older") != NULL);
    CHECK(json_equal(owner(&place, "newer"), json_doc_root(before)));

    TEST_CASE("an apply, and one that takes a field back");
    do_it(&place, "APPLY", OLD_SETS "/a?fieldManager=applier",
          "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta1\",\"kind\":\"ClusterResourceSet\","
          "\"metadata\":{\"name\":\"a\",\"labels\":{\"b\":\"c\"}}}");
    do_it(&place, "APPLY", SETS "/a?fieldManager=applier",
          "{\"apiVersion\":\"addons.cluster.x-k8s.io/v1beta2\",\"kind\":\"ClusterResourceSet\","
          "\"metadata\":{\"name\":\"a\",\"labels\":{\"d\":\"e\"}}}");
    CHECK_EQ(look(&place, "metadata.labels.d"), STR("e"));
    CHECK_EQ(look(&place, "metadata.labels.b"), STR(""));
    CHECK_EQ(look(&place, "metadata.labels.x"), STR("y"));
    CHECK(json_equal(owner(&place, "newer"), json_doc_root(before)));
    check_json(json_path(json_doc_root(place.doc), "status"),
               "{\"observedGeneration\":1,\"conditions\":[" NEW_CONDITION "],"
               "\"deprecated\":{\"v1beta1\":{\"conditions\":[" OLD_CONDITION "]}}}");

    TEST_CASE("a change takes the field that it is in both");
    do_it(&place, "PATCH", OLD_SETS "/a/status?fieldManager=older",
          "{\"status\":{\"conditions\":[]}}");
    CHECK(!json_path(owner(&place, "newer"),
                     "fieldsV1.f:status.f:deprecated.f:v1beta1.f:conditions"));
    CHECK(json_path(owner(&place, "newer"), "fieldsV1.f:status.f:conditions"));
}

/* What a server without our extensions makes of the files: they stand in no need of warnings. */
LOOP_TEST(shipped_definitions_are_fine)
{
    SCOPED(place) place;
    place_init(&place);
    for (size_t i = 0; i < bundled_crd_count(); i++) {
        const struct bundled_crd definition = bundled_crd(i);
        SCOPED(arena) arena = {.limit = 0};
        SCOPED(buf) body = {.limit = 0};
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%.*s", STR_ARG(definition.name));
        const char *target = arena_print(&arena, DEFINITIONS "/%.*s", STR_ARG(definition.name)).ptr;
        do_it(&place, "GET", target, "");
        CHECK_OK(manifest_read_one(definition.text, NULL, &doc, NULL));
        CHECK_EQ(send(&place, "DELETE", target, ""), 200);
        while (send(&place, "GET", target, "") != 404)
            CHECK_OK(fiber_sleep(10 * MILLISECOND));
        json_write(&body, json_doc_root(doc));
        CHECK_EQ(call(&place, "POST", DEFINITIONS "?fieldValidation=Strict", buf_str(&body)), 201);
        CHECK_EQ(buf_str(&place.warnings), STR(""));
    }
}

#define PLAIN                                                                                         \
    "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\"metadata\":" \
    "{\"name\":\"clusterresourcesets.addons.cluster.x-k8s.io\"},\"spec\":{\"group\":"                 \
    "\"addons.cluster.x-k8s.io\",\"scope\":\"Namespaced\",\"names\":{\"plural\":"                     \
    "\"clusterresourcesets\",\"kind\":\"ClusterResourceSet\"},\"versions\":[{\"name\":\"v1beta2\","   \
    "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","          \
    "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

/* Whoever replaces a definition by one without rules and webhooks gets what that one says. */
LOOP_TEST(a_definition_without_rules_means_what_it_says)
{
    SCOPED(place) place;
    place_init(&place);
    const char *target = DEFINITIONS "/clusterresourcesets.addons.cluster.x-k8s.io";
    CHECK_EQ(send(&place, "DELETE", target, ""), 200);
    while (send(&place, "GET", target, "") != 404)
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    do_it(&place, "POST", DEFINITIONS, PLAIN);
    do_it(&place, "POST", SETS, SET("v1beta2", "a", "\"clusterSelector\":{}"));
    CHECK_EQ(look(&place, "spec.strategy"), STR(""));
}
