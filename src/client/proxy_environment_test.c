#include "client/proxy_environment.h"

#include <stdlib.h>

#include "testing/test.h"

/* The proxy as "scheme://host:port", or "direct". */
static void choose(const struct proxy_environment *environment, const char *server, struct buf *out)
{
    SCOPED(arena) arena = {0};
    struct proxy_choice choice;
    struct url url;
    CHECK_OK(url_read(str_from_c(server), &url));
    CHECK_OK(proxy_environment_choose(environment, &url, &choice));
    buf_add(out, choice.has_proxy ? url_origin(&arena, &choice.url) : STR("direct"));
}

/* The rows of proxyForURLTests in golang.org/x/net/http/httpproxy, those of CGI apart. */
TEST(the_proxy_of_a_server_is_that_of_its_scheme)
{
    const struct {
        const char *name, *http, *https, *none, *server, *expected;
    } cases[] = {
        {"nothing is set",           "",                     "",                   "",             "https://api.test",       "direct"                    },
        {"an address and a port",    "127.0.0.1:8080",       "",                   "",             "http://example.com",
         "http://127.0.0.1:8080"                                                                                                                         },
        {"a name and a port",        "cache.corp.test:1234", "",                   "",             "http://example.com",
         "http://cache.corp.test:1234"                                                                                                                   },
        {"a name alone",             "cache.corp.test",      "",                   "",             "http://example.com",
         "http://cache.corp.test:80"                                                                                                                     },
        {"a URL",                    "http://127.0.0.1:80",  "",                   "",             "http://example.com",     "http://127.0.0.1:80"       },
        {"TLS to the proxy",         "https://cache.test",   "",                   "",             "http://example.com",
         "https://cache.test:443"                                                                                                                        },
        {"SOCKS",                    "socks5://127.0.0.1",   "",                   "",             "http://example.com",     "socks5://127.0.0.1:1080"   },
        {"SOCKS with lookup there",  "socks5h://127.0.0.1",  "",                   "",             "http://example.com",
         "socks5://127.0.0.1:1080"                                                                                                                       },
        {"http uses the http one",   "http.proxy.tld",       "secure.proxy.tld",   "",             "http://insecure.tld/",
         "http://http.proxy.tld:80"                                                                                                                      },
        {"https uses the https one", "http.proxy.tld",       "secure.proxy.tld",   "",
         "https://secure.tld/",                                                                                              "http://secure.proxy.tld:80"},
        {"with a scheme",            "http.proxy.tld",       "https://secure.tld", "",             "https://secure.tld/",
         "https://secure.tld:443"                                                                                                                        },
        {"https without its own",    "http.proxy.tld",       "",                   "",             "https://secure.tld/",    "direct"                    },
        {"http without its own",     "",                     "secure.proxy.tld",   "",             "http://insecure.tld/",   "direct"                    },
        {"the name is listed",       "proxy",                "",                   "example.com",  "http://example.com/",    "direct"                    },
        {"names below are listed",   "proxy",                "",                   ".example.com", "http://example.com/",
         "http://proxy:80"                                                                                                                               },
        {"a part of the name",       "proxy",                "",                   "ample.com",    "http://example.com/",    "http://proxy:80"           },
        {"the name above",           "proxy",                "",                   "example.com",  "http://foo.example.com", "direct"                    },
        {"another name",             "proxy",                "",                   ".foo.com",     "http://example.com/",    "http://proxy:80"           },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) seen = {.limit = 0};
        const struct proxy_environment environment = {
            .http_proxy = str_from_c(cases[i].http),
            .https_proxy = str_from_c(cases[i].https),
            .no_proxy = str_from_c(cases[i].none),
        };
        TEST_CASE("%s", cases[i].name);
        choose(&environment, cases[i].server, &seen);
        CHECK_EQ(buf_str(&seen), str_from_c(cases[i].expected));
    }
}

/* UseProxyTests of the same package, and what its documentation says beside. */
TEST(no_proxy_is_read_as_go_reads_it)
{
#define LISTED                                                                \
    "foobar.com, .barbaz.net, *.wildcard.io, 192.168.1.1, 192.168.1.2:81, "   \
    "192.168.1.3:80, 10.0.0.0/30, 2001:db8::52:0:1, [2001:db8::52:0:2]:443, " \
    "[2001:db8::52:0:3]:80, 2002:db8:a::45/64"
    const struct {
        const char *none, *host;
        bool is_direct;
        const char *name;
    } cases[] = {
        {LISTED,                "localhost",                   true,  "never localhost"                 },
        {"",                    "127.0.0.1",                   true,  "never 127.0.0.1"                 },
        {"",                    "127.0.0.2",                   true,  "never 127.0.0.0/8"               },
        {"",                    "[::1]",                       true,  "never ::1"                       },
        {"",                    "[::ffff:127.0.0.1]",          true,  "nor in the other form"           },
        {"",                    "[::2]",                       false, "not a loopback address"          },
        {LISTED,                "192.168.1.1",                 true,  "exactly this address"            },
        {LISTED,                "192.168.1.2",                 false, "another port"                    },
        {LISTED,                "192.168.1.3",                 true,  "this address and port"           },
        {LISTED,                "192.168.1.4",                 false, "another address"                 },
        {LISTED,                "10.0.0.2",                    true,  "in the network"                  },
        {LISTED,                "10.0.0.4",                    false, "just behind the network"         },
        {LISTED,                "[2001:db8::52:0:1]",          true,  "exactly this address of IPv6"    },
        {LISTED,                "[2001:db8::52:0:2]",          false, "another port of IPv6"            },
        {LISTED,                "[2001:db8::52:0:3]",          true,  "this address and port of IPv6"   },
        {LISTED,                "[2002:db8:a::123]",           true,  "in the network of IPv6"          },
        {LISTED,                "[2002:db8:a:1::123]",         false, "just behind it"                  },
        {LISTED,                "[fe80::424b:c8be:1643:a1b6]", false, "another address of IPv6"         },
        {LISTED,                "barbaz.net",                  false, ".barbaz.net is for names below"  },
        {LISTED,                "www.barbaz.net",              true,  "below .barbaz.net"               },
        {LISTED,                "foobar.com",                  true,  "the name itself"                 },
        {LISTED,                "www.foobar.com",              true,  "a name below"                    },
        {LISTED,                "WWW.FooBar.COM",              true,  "in capitals"                     },
        {LISTED,                "foofoobar.com",               false, "ends alike"                      },
        {LISTED,                "baz.com",                     false, "a part of another"               },
        {LISTED,                "localhost.net",               false, "begins alike"                    },
        {LISTED,                "local.localhost",             false, "not localhost itself"            },
        {LISTED,                "barbarbaz.net",               false, "without the dot"                 },
        {LISTED,                "wildcard.io",                 false, "*.wildcard.io is for names below"},
        {LISTED,                "nested.wildcard.io",          true,  "below *.wildcard.io"             },
        {LISTED,                "awildcard.io",                false, "the star stands for a label"     },
        {"*",                   "example.com",                 true,  "everything"                      },
        {"a.test,*,b.test",     "10.9.8.7",                    true,  "everything, among others"        },
        {":1",                  "example.com",                 false, "a port without a host is ignored"},
        {",, ,",                "example.com",                 false, "empty entries are ignored"       },
        {"example.com:80",      "www.example.com",             true,  "a name with the port"            },
        {"example.com:81",      "example.com",                 false, "a name with another port"        },
        {".example.com:80",     "www.example.com",             true,  "names below with the port"       },
        {"example.com:",        "example.com",                 true,  "an empty port is any"            },
        {"EXAMPLE.com",         "example.COM",                 true,  "both in capitals"                },
        {"::ffff:10.0.0.0/104", "10.200.0.1",                  true,  "a network in the other form"     },
        {"10.0.0.0/8",          "[::ffff:10.1.1.1]",           true,  "an address in the other form"    },
        {"10.1.1.1",            "[::ffff:10.1.1.1]",           true,  "the same without a network"      },
        {"0.0.0.0/0",           "10.0.0.1",                    true,  "all addresses of IPv4"           },
        {"0.0.0.0/0",           "[2001:db8::1]",               false, "but none of IPv6"                },
        {"::/0",                "10.0.0.1",                    false, "all of IPv6, but none of IPv4"   },
        {"::/0",                "[2001:db8::1]",               true,  "all addresses of IPv6"           },
        {"10.0.0.0/33",         "10.0.0.1",                    false, "no such network"                 },
        {"10.0.0.0/8:80",       "10.0.0.1",                    false, "networks have no ports"          },
        {"10.0.0.0/8",          "ten.test",                    false, "names are not looked up"         },
        {"0.1",                 "10.0.0.1",                    false, "addresses have no parts"         },
        {"[::2]",               "[::2]",                       false, "brackets want a port"            },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) seen = {.limit = 0};
        SCOPED(buf) server = {.limit = 0};
        const struct proxy_environment environment = {.http_proxy = STR("p"),
                                                      .no_proxy = str_from_c(cases[i].none)};
        TEST_CASE("%s", cases[i].name);
        buf_print(&server, "http://%s", cases[i].host);
        choose(&environment, buf_c(&server), &seen);
        CHECK_EQ(buf_str(&seen), cases[i].is_direct ? STR("direct") : STR("http://p:80"));
    }
}

TEST(a_variable_that_holds_no_proxy_is_an_error_without_its_text)
{
    const struct {
        const char *text, *expected;
    } cases[] = {
        {"ftp://me:hunter2@p",
         "HTTPS_PROXY: proxy: URL has a scheme that is not supported; set it to http://HOST:PORT, or unset it"},
        {"http://me:hunter2@p:99999",   "HTTPS_PROXY: proxy: URL has a bad port"                              },
        {"http://me:hunter2@p/hunter2", "HTTPS_PROXY: proxy: URL has more than a host and a port"             },
        {"http://me:hun ter2@p",
         "HTTPS_PROXY: proxy: URL has characters in its user that need escapes"                               },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct proxy_environment environment = {.https_proxy = str_from_c(cases[i].text),
                                                      .no_proxy = STR("10.0.0.0/8")};
        struct proxy_choice choice;
        struct url server;
        CHECK_OK(url_read(STR("https://10.0.0.1:6443"), &server));
        CHECK_OK(proxy_environment_choose(&environment, &server, &choice));
        CHECK(!choice.has_proxy);
        CHECK_OK(url_read(STR("https://api.test:6443"), &server));
        OWNED(error) err = proxy_environment_choose(&environment, &server, &choice);
        CHECK(error_is(err, ERROR_INVALID));
        CHECK_CONTAINS(str_from_c(err->message), str_from_c(cases[i].expected));
        CHECK(!str_contains(str_from_c(err->message), STR("ter2")));
    }
}

TEST(upper_case_variables_win)
{
    const struct {
        const char *name, *value;
    } variables[] = {
        {"HTTPS_PROXY", "upper"},
        {"https_proxy", "lower"},
        {"HTTP_PROXY",  ""     },
        {"http_proxy",  "lower"},
        {"NO_PROXY",    ""     },
        {"no_proxy",    ""     },
    };
    for (size_t i = 0; i < COUNT(variables); i++)
        setenv(variables[i].name, variables[i].value, 1); /* NOLINT(concurrency-mt-unsafe) */
    const struct proxy_environment seen = proxy_environment_read();
    CHECK_EQ(seen.https_proxy, STR("upper"));
    CHECK_EQ(seen.http_proxy, STR("lower"));
    CHECK_EQ(seen.no_proxy, STR(""));
}
