#include "apiserver/apiserver_fixture_test.h"

#define LIMIT ((int64_t)4 << 20)
#define PAD   50000

/* POSTs ConfigMaps until one is refused; the number of those that were taken. */
static int fill_api(struct apiserver_fixture *fixture, const char *prefix, struct str token,
                    int *ret_status)
{
    for (int i = 0;; i++) {
        SCOPED(buf) target = {0};
        SCOPED(buf) body = {0};
        buf_print(&target, "%s/api/v1/namespaces/default/configmaps", prefix);
        buf_print(&body,
                  "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%d\"},"
                  "\"data\":{\"pad\":\"%0*d\"}}",
                  i, PAD, i);
        OWNED(http_response)
        response = apiserver_fixture_send_with(fixture, buf_c(&target), token, buf_str(&body));
        *ret_status = http_response_status(response);
        buf_clear(&fixture->answer);
        CHECK_OK(http_response_read_all(response, &fixture->answer));
        if (*ret_status != 201)
            return i;
    }
}

/* One virtual cluster takes its share, all of them take theirs, and the main API has the rest. */
SIM_TEST(storage_is_limited_and_shared)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    fixture.options.storage = LIMIT;
    fixture.options.virtual_clusters = 7;
    CHECK_OK(apiserver_fixture_start(&fixture));
    int counts[7], sum = 0, status = 0;
    for (size_t i = 0; i < COUNT(counts); i++) {
        SCOPED(buf) token = {.secret = true};
        char prefix[32];
        snprintf(prefix, sizeof(prefix), "/clusters/vc-%04d", (int)i + 1);
        apiserver_cluster_token(fixture.server, i, &token);
        counts[i] = fill_api(&fixture, prefix, buf_str(&token), &status);
        CHECK_EQ(status, 500);
        sum += counts[i];
    }
    CHECK_EQ(counts[0], 8); /* of 50 kB: a tenth */
    CHECK_EQ(counts[1], 8);
    CHECK_EQ(counts[6], 0);
    CHECK(sum >= 35 && sum <= 42); /* a half */
    const int rest = fill_api(&fixture, "", STR(""), &status);
    CHECK(rest >= 35 && rest <= 45);
    CHECK_EQ(status, 500);
    CHECK_EQ(
        buf_str(&fixture.answer),
        STR("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
            "\"message\":\"etcdserver: mvcc: database space exceeded\",\"code\":500}"));
    CHECK_EQ(apiserver_fixture_get(&fixture, "/readyz"), 200);
    CHECK_EQ(
        apiserver_fixture_call(&fixture, "DELETE", "/api/v1/namespaces/default/configmaps/m0", ""),
        200);
    CHECK_EQ(
        apiserver_fixture_call(
            &fixture, "POST", "/api/v1/namespaces/default/configmaps",
            "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"again\"}}"),
        201);
    CHECK_EQ(apiserver_fixture_get(&fixture, "/metrics"), 200);
    CHECK(str_contains(buf_str(&fixture.answer), STR("corset_store_limit_bytes 4.194304e+06\n")));
}
