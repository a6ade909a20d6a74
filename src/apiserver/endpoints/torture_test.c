/* A session of writes in which one wait after the other goes wrong: nothing leaks, nothing hangs.
 */
#include "apiserver/stage_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static struct error *call(struct stage *stage, const char *method, const char *target,
                          const char *body)
{
    int status;
    const bool patch = strcmp(method, "PATCH") == 0;
    return stage_try(stage, method, str_from_c(target),
                     patch ? "application/merge-patch+json" : "application/json", str_from_c(body),
                     &status);
}

static struct error *session(struct stage *stage)
{
    OWNED(http_response) watch = NULL;
    SCOPED(buf) dependent = {.limit = 0};
    struct str line;
    const struct http_client_request request = {.target = STR(MAPS "?watch=1")};
    TRY(http_client_send(stage->client, &request, &watch));
    TRY(call(stage, "POST", MAPS,
             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"a\"}}"));
    buf_print(&dependent,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"b\","
              "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\"a\","
              "\"uid\":\"%.*s\",\"blockOwnerDeletion\":true}]}}",
              STR_ARG(stage_text(stage, "metadata.uid")));
    TRY(call(stage, "POST", MAPS, buf_c(&dependent)));
    TRY(http_response_read_line(watch, &line));
    TRY(call(stage, "PATCH", MAPS "/a", "{\"data\":{\"k\":\"v\"}}"));
    TRY(call(stage, "GET", MAPS "?limit=1", ""));
    TRY(call(stage, "DELETE", MAPS "/a?propagationPolicy=Foreground", ""));
    TRY(http_response_read_line(watch, &line));
    return fiber_sleep(SECOND);
}

TORTURE_TEST(a_session_ends_whatever_goes_wrong)
{
    SCOPED(stage) stage;
    FIBER_TIMEOUT(10 * MINUTE);
    stage_init(&stage);
    TRY(stage_start(&stage));
    return session(&stage);
}
