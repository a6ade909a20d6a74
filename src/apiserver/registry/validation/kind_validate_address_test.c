#include "apiserver/registry/validation/kind_validate_internal.h"
#include "testing/test.h"

#define NO_IP   "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"
#define ZEROS   "must not have leading 0s"
#define NO_CIDR "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"

static void check_found(const struct validation *found, const char *message)
{
    CHECK_EQ(found->count, message ? (size_t)1 : (size_t)0);
    if (message)
        CHECK_EQ(found->messages[0], str_from_c(message));
}

TEST(addresses_are_in_one_form_each)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"10.9.8.7",                                                   NULL                                     },
        {"0.0.0.0",                                                    NULL                                     },
        {"2001:DB8:0::ffff",                                           NULL                                     },
        {"64:ff9b::10.9.8.7",                                          NULL                                     },
        {"",                                                           NO_IP                                    },
        {"a",                                                          NO_IP                                    },
        {"10.9.8",                                                     NO_IP                                    },
        {"10.9.8.256",                                                 NO_IP                                    },
        {"10.9.8.7 ",                                                  NO_IP                                    },
        {"fe80::1%eth0",                                               NO_IP                                    },
        {"1:2:3:4:5:6:7:8:9",                                          NO_IP                                    },
        {"010.9.8.7",                                                  ZEROS                                    },
        {"10.9.8.00",                                                  ZEROS                                    },
        {"0000000000000000000000000000000000000000000000000010.9.8.7", ZEROS                                    },
        {"::ffff:10.9.8.07",                                           ZEROS                                    },
        {"::ffff:10.9.8.7",                                            "must not be an IPv4-mapped IPv6 address"},
        {"::ffff:a09:807",                                             "must not be an IPv4-mapped IPv6 address"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        const struct validation found = syntax_ip(str_from_c(cases[i].text));
        check_found(&found, cases[i].message);
    }
}

TEST(ranges_have_no_bits_behind_their_prefix)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"10.0.0.0/8",                    NULL                                             },
        {"0.0.0.0/0",                     NULL                                             },
        {"10.9.8.7/32",                   NULL                                             },
        {"fd00::/8",                      NULL                                             },
        {"2001:db8::1/128",               NULL                                             },
        {"",                              NO_CIDR                                          },
        {"10.0.0.0",                      NO_CIDR                                          },
        {"10.0.0.0/",                     NO_CIDR                                          },
        {"10.0.0.0/33",                   NO_CIDR                                          },
        {"10.0.0.0/-1",                   NO_CIDR                                          },
        {"fd00::/129",                    NO_CIDR                                          },
        {"10.0.0.0/99999999999999999999", NO_CIDR                                          },
        {"10.0.0.0/08",                   "must not have leading 0s in IP or prefix length"},
        {"010.0.0.0/8",                   "must not have leading 0s in IP or prefix length"},
        {"::ffff:10.0.0.0/120",           "must not have an IPv4-mapped IPv6 address"      },
        {"10.0.0.1/8",                    "must not have bits set beyond the prefix length"},
        {"fd00::1/8",                     "must not have bits set beyond the prefix length"},
        {"0.0.0.1/0",                     "must not have bits set beyond the prefix length"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        const struct validation found = syntax_cidr(str_from_c(cases[i].text));
        check_found(&found, cases[i].message);
    }
}
