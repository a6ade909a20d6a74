#include "net/cidr.h"

#include "net/lookup.h"
#include "testing/test.h"

TEST(cidr_has_the_addresses_of_its_range)
{
    static const struct {
        const char *range, *address;
        bool has;
    } cases[] = {
        {"169.254.0.0/16",         "169.254.169.254",        true },
        {"169.254.0.0/16",         "169.255.0.1",            false},
        {"169.254.0.0/16",         "::ffff:169.254.169.254", true },
        {"::ffff:169.254.0.0/112", "169.254.1.1",            true },
        {"10.0.0.0/9",             "10.127.255.255",         true },
        {"10.0.0.0/9",             "10.128.0.0",             false},
        {"127.0.0.1",              "127.0.0.1",              true },
        {"127.0.0.1",              "127.0.0.2",              false},
        {"0.0.0.0/0",              "8.8.8.8",                true },
        {"0.0.0.0/0",              "2001:db8::1",            false},
        {"::/0",                   "8.8.8.8",                true },
        {"fe80::/10",              "febf::1",                true },
        {"fe80::/10",              "fec0::1",                false},
        {"::1/128",                "::1",                    true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cidr cidr;
        struct lookup_result found;
        TEST_CASE("%s has %s", cases[i].range, cases[i].address);
        CHECK(cidr_read(str_from_c(cases[i].range), &cidr));
        CHECK(lookup_literal(str_from_c(cases[i].address), 443, &found));
        CHECK_EQ(cidr_has(&cidr, (const struct sockaddr *)&found.addresses[0].address),
                 cases[i].has);
    }
}

TEST(cidr_refuses_what_is_no_range)
{
    static const char *const cases[] = {"",           "10.0.0.0/33", "10.0.0/8",
                                        "host/8",     "10.0.0.0/",   "fe80::/129",
                                        "10.0.0.0/x", "/8",          "10.0.0.0/-1"};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cidr cidr;
        TEST_CASE("%s", cases[i]);
        CHECK(!cidr_read(str_from_c(cases[i]), &cidr));
    }
}
