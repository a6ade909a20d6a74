#include "cmd/address.h"

#include "testing/test.h"

TEST(address_has_a_host_and_a_port)
{
    static const struct {
        const char *text, *host;
        uint16_t port;
    } cases[] = {
        {"127.0.0.1:7443",   "127.0.0.1",    7443 },
        {"localhost:0",      "localhost",    0    },
        {":8443",            "0.0.0.0",      8443 },
        {"[::1]:65535",      "::1",          65535},
        {"[fe80::1%eth0]:1", "fe80::1%eth0", 1    },
        {"a:b:1",            "a:b",          1    },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address address = {0};
        TEST_CASE("%s", cases[i].text);
        CHECK(address_read(cases[i].text, &address));
        CHECK_EQ(address.host, str_from_c(cases[i].host));
        CHECK_EQ(address.port, cases[i].port);
    }
}

TEST(address_that_is_none_is_refused)
{
    static const char *const cases[] = {
        "",     "host",    "host:",   "host:x", "host:-1",
        "7443", "host:1 ", "h:65536", "[::1]",  ":99999999999999999999"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address address = {0};
        TEST_CASE("%s", cases[i]);
        CHECK(!address_read(cases[i], &address));
    }
}

TEST(address_may_be_left_out_where_it_is_optional)
{
    struct address address = {STR("x"), 1};
    CHECK(address_read_optional("", &address));
    CHECK_EQ(address.host.len, (size_t)0);
    CHECK_EQ(address.port, 0);
    address = (struct address){STR("x"), 1};
    CHECK(address_read_optional("0", &address));
    CHECK_EQ(address.host.len, (size_t)0);
    CHECK(address_read_optional(":9440", &address));
    CHECK_EQ(address.host, STR("0.0.0.0"));
    CHECK(!address_read_optional("9440", &address));
}
