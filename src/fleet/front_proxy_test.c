#include "fleet/front_proxy.h"

#include "apimachinery/object.h"
#include "base/buf.h"
#include "http/headers.h"
#include "net/tls.h"
#include "testing/test.h"

#define CONFIG(data)                                                                              \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"x\"},\"data\":{" data \
    "}}"
#define USUAL                                                         \
    "\"requestheader-client-ca-file\":\"pem\","                       \
    "\"requestheader-allowed-names\":\"[\\\"proxy\\\"]\","            \
    "\"requestheader-username-headers\":\"[\\\"X-Remote-User\\\"]\"," \
    "\"requestheader-group-headers\":\"[\\\"X-Remote-Group\\\"]\","   \
    "\"requestheader-extra-headers-prefix\":\"[\\\"X-Remote-Extra-\\\"]\""

static void read_proxy(const char *text, struct front_proxy *proxy)
{
    OWNED(object) object = NULL;
    CHECK_OK(object_read(str_from_c(text), &object));
    CHECK_OK(front_proxy_read(object, proxy));
}

TEST(a_front_proxy_names_user_groups_and_extra)
{
    SCOPED(front_proxy) proxy = {0};
    SCOPED(http_headers) headers = {0};
    SCOPED(arena) arena = {0};
    struct rest_impersonation user;
    const struct tls_peer peer = {.shown = true, .verified = true, .common_name = STR("proxy")};
    read_proxy(CONFIG(USUAL), &proxy);
    CHECK_OK(http_headers_add(&headers, STR("x-remote-user"), STR("ann")));
    CHECK_OK(http_headers_add(&headers, STR("X-Remote-Group"), STR("dev")));
    CHECK_OK(http_headers_add(&headers, STR("X-Remote-Group"), STR("system:authenticated")));
    CHECK_OK(http_headers_add(&headers, STR("X-Remote-Extra-Example.com%2fScope"), STR("a")));
    CHECK_OK(http_headers_add(&headers, STR("X-Remote-Extra-Example.com%2fScope"), STR("b")));
    CHECK(front_proxy_identify(&proxy, &peer, &headers, &arena, &user));
    CHECK_EQ(user.user, STR("ann"));
    CHECK_EQ(user.group_count, (size_t)2);
    CHECK_EQ(user.groups[1], STR("system:authenticated"));
    CHECK_EQ(user.extra_count, (size_t)1);
    CHECK_EQ(user.extra[0].key, STR("example.com/scope"));
    CHECK_EQ(user.extra[0].value_count, (size_t)2);
    CHECK_EQ(user.extra[0].values[1], STR("b"));
}

TEST(a_stranger_is_nobody_whatever_the_headers_say)
{
    const struct {
        const char *name, *config;
        bool is_verified;
        const char *common_name, *user;
        bool is_known;
    } cases[] = {
        {"the proxy",                       CONFIG(USUAL),                         true,  "proxy", "ann", true },
        {"no certificate that is valid",    CONFIG(USUAL),                         false, "",      "ann", false},
        {"an expired one of the same name", CONFIG(USUAL),                         false, "proxy", "ann", false},
        {"another name",                    CONFIG(USUAL),                         true,  "other", "ann", false},
        {"no user",                         CONFIG(USUAL),                         true,  "proxy", NULL,  false},
        {"any name is allowed",
         CONFIG("\"requestheader-client-ca-file\":\"pem\",\"requestheader-allowed-names\":\"[]\","
                "\"requestheader-username-headers\":\"[\\\"X-Remote-User\\\"]\""),
         true,                                                                            "other", "ann", true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(front_proxy) proxy = {0};
        SCOPED(http_headers) headers = {0};
        SCOPED(arena) arena = {0};
        struct rest_impersonation user;
        const struct tls_peer peer = {.shown = true,
                                      .verified = cases[i].is_verified,
                                      .common_name = str_from_c(cases[i].common_name)};
        TEST_CASE("%s", cases[i].name);
        read_proxy(cases[i].config, &proxy);
        if (cases[i].user)
            CHECK_OK(http_headers_add(&headers, STR("X-Remote-User"), str_from_c(cases[i].user)));
        CHECK_EQ(front_proxy_identify(&proxy, &peer, &headers, &arena, &user), cases[i].is_known);
    }
    TEST_CASE("no front proxy is known");
    const struct front_proxy unknown = {0};
    const struct tls_peer peer = {.shown = true, .verified = true, .common_name = STR("proxy")};
    SCOPED(http_headers) headers = {0};
    SCOPED(arena) arena = {0};
    struct rest_impersonation user;
    CHECK_OK(http_headers_add(&headers, STR("X-Remote-User"), STR("ann")));
    CHECK(!front_proxy_identify(&unknown, &peer, &headers, &arena, &user));
}

TEST(a_config_map_without_a_front_proxy_is_an_error)
{
    const char *const texts[] = {
        CONFIG("\"client-ca-file\":\"pem\""),
        CONFIG("\"requestheader-client-ca-file\":\"pem\""),
        CONFIG("\"requestheader-client-ca-file\":\"pem\","
               "\"requestheader-username-headers\":\"{}\""),
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        SCOPED(front_proxy) proxy = {0};
        OWNED(object) object = NULL;
        TEST_CASE("%s", texts[i]);
        CHECK_OK(object_read(str_from_c(texts[i]), &object));
        CHECK_ERROR(front_proxy_read(object, &proxy), ERROR_INVALID);
    }
}
