/* Which responses have warnings, and how many. */
#include "apiserver/apiserver_fixture_test.h"
#include "http/headers.h"

#define DEPRECATED                                                           \
    "299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 " \
    "EndpointSlice\""
#define IGNORED "299 - \"spec.externalName is ignored when spec.type is not \\\"ExternalName\\\"\""

/* The target is below the namespace; the header is a name, a colon and a value, or empty. */
static struct http_response *send(struct apiserver_fixture *fixture, const char *method,
                                  const char *target, const char *header, struct str body)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) path = {.limit = 0};
    struct http_response *response = NULL;
    struct str value = str_from_c(header), name;
    if (str_cut(&value, ':', &name))
        CHECK_OK(http_headers_add(&headers, name, value));
    buf_print(&path, "/api/v1/namespaces/default/%s", target);
    const struct http_client_request request = {
        .method = str_from_c(method), .target = buf_str(&path), .headers = &headers, .body = body};
    CHECK_OK(http_client_send(fixture->client, &request, &response));
    return response;
}

/* A Service with a port, or nothing for a GET. */
static void write_service(struct buf *body, const char *method, int port)
{
    if (strcmp(method, "GET") != 0)
        buf_print(body,
                  "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"externalName\":\"a.b\",\"ports\":"
                  "[{\"port\":%d}]}}",
                  port);
}

SIM_TEST(warnings_come_from_those_who_handle_a_request)
{
    static const struct {
        const char *name, *method, *target, *header;
        int port, status;
        const char *warning;
    } cases[] = {
        {"what is read",      "GET",   "endpoints",         "",                  0, 200, DEPRECATED},
        {"what is not there", "GET",   "endpoints/x",       "",                  0, 404, DEPRECATED},
        {"no such part",      "GET",   "endpoints/x/y",     "",                  0, 404, ""        },
        {"no such type",      "GET",   "endpoints",         "accept:text/html",  0, 406, ""        },
        {"no such patch",     "PATCH", "endpoints/x",       "content-type:text", 0, 415, ""        },
        {"no such method",    "POST",  "endpoints/x",       "",                  0, 405, ""        },
        {"not valid",         "POST",  "services",          "",                  0, 422, ""        },
        {"new",               "POST",  "services",          "",                  1, 201, IGNORED   },
        {"taken",             "POST",  "services",          "",                  1, 409, IGNORED   },
        {"changed",           "PUT",   "services/a",        "",                  2, 200, IGNORED   },
        {"not changed",       "PUT",   "services/a",        "",                  2, 200, IGNORED   },
        {"a status",          "PUT",   "services/a/status", "",                  2, 200, ""        },
    };
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) body = {.limit = 0};
        TEST_CASE("%s", cases[i].name);
        write_service(&body, cases[i].method, cases[i].port);
        OWNED(http_response)
        response =
            send(&fixture, cases[i].method, cases[i].target, cases[i].header, buf_str(&body));
        CHECK_EQ(http_response_status(response), cases[i].status);
        CHECK_EQ(http_headers_find(http_response_headers(response), STR("warning")),
                 str_from_c(cases[i].warning));
    }
}

/* A Pod with ports that are all alike: each is warned of as often as there are others before it. */
static void write_ports(struct buf *body, size_t count)
{
    buf_print(body,
              "{\"metadata\":{\"name\":\"p%zu\"},\"spec\":{\"containers\":[{\"name\":\"c\","
              "\"image\":\"i\",\"ports\":[",
              count);
    for (size_t i = 0; i < count; i++)
        buf_print(body, "%s{\"containerPort\":80}", i ? "," : "");
    buf_add(body, STR("]}]}}"));
}

/* kube-apiserver v1.36.4 answers as many. */
SIM_TEST(warnings_are_limited)
{
    static const struct {
        size_t ports, warnings;
    } cases[] = {
        {2,  1 },
        {10, 45},
        {15, 48},
        {99, 48},
    };
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) body = {.limit = 0};
        TEST_CASE("%zu ports", cases[i].ports);
        write_ports(&body, cases[i].ports);
        OWNED(http_response)
        response = send(&fixture, "POST", "pods", "", buf_str(&body));
        CHECK_EQ(http_response_status(response), 201);
        CHECK_EQ(http_headers_count(http_response_headers(response), STR("warning")),
                 cases[i].warnings);
    }
}
