/* A session of writes in which one wait after the other goes wrong: nothing leaks, nothing hangs.
 */
#include "apiserver/apiserver_fixture_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static struct error *call(struct apiserver_fixture *fixture, const char *method, const char *target,
                          const char *body)
{
    int status;
    const bool patch = strcmp(method, "PATCH") == 0;
    return apiserver_fixture_try(fixture, method, str_from_c(target),
                                 patch ? "application/merge-patch+json" : "application/json",
                                 str_from_c(body), &status);
}

static struct error *session(struct apiserver_fixture *fixture)
{
    OWNED(http_response) watch = NULL;
    SCOPED(buf) dependent = {.limit = 0};
    struct str line;
    const struct http_client_request request = {.target = STR(MAPS "?watch=1")};
    TRY(http_client_send(fixture->client, &request, &watch));
    TRY(call(fixture, "POST", MAPS,
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}"));
    buf_print(&dependent,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\","
              "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"a\","
              "\"uid\":\"%.*s\",\"blockOwnerDeletion\":true}]}}",
              STR_ARG(apiserver_fixture_text(fixture, "metadata.uid")));
    TRY(call(fixture, "POST", MAPS, buf_c(&dependent)));
    TRY(http_response_read_line(watch, &line));
    TRY(call(fixture, "PATCH", MAPS "/a", "{\"data\":{\"k\":\"v\"}}"));
    TRY(call(fixture, "GET", MAPS "?limit=1", ""));
    TRY(call(fixture, "DELETE", MAPS "/a?propagationPolicy=Foreground", ""));
    TRY(http_response_read_line(watch, &line));
    return fiber_sleep(SECOND);
}

TORTURE_TEST(a_session_ends_whatever_goes_wrong)
{
    SCOPED(apiserver_fixture) fixture;
    FIBER_TIMEOUT(10 * MINUTE);
    apiserver_fixture_init(&fixture);
    TRY(apiserver_fixture_start(&fixture));
    return session(&fixture);
}
