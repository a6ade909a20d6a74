#include "apiserver/endpoints/negotiate.h"

#include "apiserver/apiserver_fixture_test.h"

#define TABLE         "application/json;as=Table;v=v1;g=meta.k8s.io"
#define METADATA      "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
#define METADATA_LIST "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"

static int call(struct apiserver_fixture *fixture, const char *method, const char *target,
                const char *accept)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    if (accept)
        CHECK_OK(http_headers_add(&headers, STR("accept"), str_from_c(accept)));
    const struct http_client_request request = {
        .method = str_from_c(method), .target = str_from_c(target), .headers = &headers};
    buf_clear(&fixture->answer);
    json_doc_free(TAKE(fixture->doc));
    CHECK_OK(http_client_send(fixture->client, &request, &response));
    CHECK_OK(http_response_read_all(response, &fixture->answer));
    OWNED(error) no_json = json_read(buf_str(&fixture->answer), &fixture->doc);
    return http_response_status(response);
}

static int get(struct apiserver_fixture *fixture, const char *target, const char *accept)
{
    return call(fixture, "GET", target, accept);
}

SIM_TEST(the_first_form_that_can_be_given_is_given)
{
    static const struct {
        const char *target, *accept;
        int status;
        const char *kind;
    } cases[] = {
        {"/api/v1/namespaces",         NULL,                                                            200, "NamespaceList"            },
        {"/api/v1/namespaces",         "",                                                              200, "NamespaceList"            },
        {"/api/v1/namespaces",         "*/*",                                                           200, "NamespaceList"            },
        {"/api/v1/namespaces",         "application/*",                                                 200, "NamespaceList"            },
        {"/api/v1/namespaces",         "application/json;q=0.5",                                        200, "NamespaceList"            },
        {"/api/v1/namespaces",         "text/html, application/json",                                   200, "NamespaceList"            },
        {"/api/v1/namespaces",         TABLE,                                                           200, "Table"                    },
        {"/api/v1/namespaces/default", TABLE,                                                           200, "Table"                    },
        {"/api/v1/namespaces",         "application/json;as=Table;v=v1beta1;g=meta.k8s.io",             200, "Table"                    },
        {"/api/v1/namespaces",         "application/json;as=Table;v=v9;g=meta.k8s.io,application/json", 200,
         "NamespaceList"                                                                                                                },
        {"/api/v1/namespaces",         "application/json; as=Table; v=v1; g=meta.k8s.io",               200, "Table"                    },
        {"/api/v1/namespaces",         METADATA_LIST,                                                   200, "PartialObjectMetadataList"},
        {"/api/v1/namespaces/default", METADATA,                                                        200, "PartialObjectMetadata"    },
        {"/api/v1/namespaces",         METADATA,                                                        406, "Status"                   },
        {"/api/v1/namespaces",         METADATA ",application/json",                                    406, "Status"                   },
        {"/api/v1/namespaces/default", METADATA_LIST ",application/json",                               406, "Status"                   },
        {"/api/v1/namespaces/default", "application/json;as=Nothing;v=v1;g=meta.k8s.io",                406,
         "Status"                                                                                                                       },
        {"/api/v1/namespaces",         "text/html",                                                     406, "Status"                   },
        {"/api/v1/namespaces",         "application/vnd.kubernetes.protobuf",                           406, "Status"                   },
        {"/api/v1/namespaces",         "application/vnd.kubernetes.protobuf,application/json",          200,
         "NamespaceList"                                                                                                                },
        {"/api/v1/namespaces",         "application/json;as=Table;v=v1;g=other",                        406, "Status"                   },
    };
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s as %s", cases[i].target, cases[i].accept ? cases[i].accept : "nothing");
        CHECK_EQ(get(&fixture, cases[i].target, cases[i].accept), cases[i].status);
        CHECK_EQ(apiserver_fixture_text(&fixture, "kind"), str_from_c(cases[i].kind));
    }
}

SIM_TEST(what_cannot_be_given_is_said_in_the_words_of_kubernetes)
{
    static const struct {
        const char *method, *target, *accept, *message;
    } cases[] = {
        {"GET",    "/api/v1/namespaces/default",                         METADATA_LIST,
         "you requested PartialObjectMetadataList, but the requested object is not a list "
         "(*core.Namespace)"                  },
        {"GET",    "/apis/apps/v1/deployments",                          METADATA,
         "you requested PartialObjectMetadata, but the requested object is a list "
         "(*apps.DeploymentList)"             },
        {"GET",    "/api/v1/namespaces/default",                         "application/json;as=No;v=v1;g=g",
         "only the following media types are accepted: application/json, application/yaml, "
         "application/vnd.kubernetes.protobuf"},
        {"POST",   "/apis/authorization.k8s.io/v1/subjectaccessreviews", TABLE,
         "only the following media types are accepted: application/json, application/yaml, "
         "application/vnd.kubernetes.protobuf"},
        {"PUT",    "/api/v1/namespaces/default/finalize",                TABLE,
         "only the following media types are accepted: application/json, application/yaml, "
         "application/vnd.kubernetes.protobuf"},
        {"DELETE", "/apis/apps/v1/namespaces/default/deployments",       "text/html",
         "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, "
         "application/vnd.kubernetes.protobuf"},
    };
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s as %s", cases[i].method, cases[i].target, cases[i].accept);
        CHECK_EQ(call(&fixture, cases[i].method, cases[i].target, cases[i].accept), 406);
        CHECK_EQ(apiserver_fixture_text(&fixture, "message"), str_from_c(cases[i].message));
    }
}

SIM_TEST(a_table_includes_objects_as_asked_for)
{
    static const struct {
        const char *query, *kind;
    } cases[] = {
        {"",                        "PartialObjectMetadata"},
        {"?includeObject=Metadata", "PartialObjectMetadata"},
        {"?includeObject=Object",   "Namespace"            },
        {"?includeObject=None",     ""                     },
    };
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(cases); i++) {
        char target[64];
        TEST_CASE("%s", cases[i].query);
        snprintf(target, sizeof(target), "/api/v1/namespaces%s", cases[i].query);
        CHECK_EQ(get(&fixture, target, TABLE), 200);
        CHECK_EQ(apiserver_fixture_text(&fixture, "rows.0.object.kind"), str_from_c(cases[i].kind));
    }
}

TEST(negotiate_knows_aggregated_discovery)
{
    static const struct {
        const char *accept;
        bool aggregated;
    } cases[] = {
        {"",                                                                                      false},
        {"application/json",                                                                      false},
        {"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",                  true },
        {"application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json",
         true                                                                                          },
        {"application/json,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
         false                                                                                         },
        {"application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",             false},
        {"application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList,"
         "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",         true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].accept);
        CHECK_EQ(negotiate_wants_aggregated(str_from_c(cases[i].accept)), cases[i].aggregated);
    }
}

/* As kube-apiserver shows them to kubectl, which schema comes first is seen at once. */
SIM_TEST(a_table_of_flow_schemas_is_in_the_order_of_precedence)
{
    const char *schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas";
    static const struct {
        const char *name;
        int precedence;
    } given[] = {
        {"a", 9000},
        {"b", 8000},
        {"c", 9000},
    };
    static const char *const expected[] = {"b", "a", "c"};
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(given); i++) {
        SCOPED(buf) body = {.limit = 0};
        buf_print(&body,
                  "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"k\":\"v\"}},\"spec\":{"
                  "\"matchingPrecedence\":%d,\"priorityLevelConfiguration\":{\"name\":\"exempt\"}"
                  "}}",
                  given[i].name, given[i].precedence);
        apiserver_fixture_create(&fixture, schemas, buf_c(&body));
    }
    CHECK_EQ(get(&fixture, "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas?labelSelector=k%3Dv",
                 TABLE),
             200);
    for (size_t i = 0; i < COUNT(expected); i++)
        CHECK_EQ(json_path_str(json_at(json_path(json_doc_root(fixture.doc), "rows"), i),
                               "object.metadata.name"),
                 str_from_c(expected[i]));
}
