#include "http/url.h"

#include "testing/test.h"

TEST(url_reads_and_writes)
{
    /* Text, canonical form, host, port, path. */
    const struct {
        const char *text, *canonical, *host;
        uint16_t port;
        const char *path;
    } cases[] = {
        {"http://a",                 "http://a",                 "a",               80,    ""    },
        {"HTTPS://A.b/",             "https://A.b/",             "A.b",             443,   "/"   },
        {"https://a:443",            "https://a",                "a",               443,   ""    },
        {"https://a:6443/x/y",       "https://a:6443/x/y",       "a",               6443,  "/x/y"},
        {"http://10.0.0.1:1",        "http://10.0.0.1:1",        "10.0.0.1",        1,     ""    },
        {"http://a:65535",           "http://a:65535",           "a",               65535, ""    },
        {"https://[::1]:6443",       "https://[::1]:6443",       "::1",             6443,  ""    },
        {"https://[fe80::a:1]/",     "https://[fe80::a:1]/",     "fe80::a:1",       443,   "/"   },
        {"http://[1:2:3:4:5:6:7:8]", "http://[1:2:3:4:5:6:7:8]", "1:2:3:4:5:6:7:8", 80,    ""    },
        {"http://[::ffff:1.2.3.4]",  "http://[::ffff:1.2.3.4]",  "::ffff:1.2.3.4",  80,    ""    },
        {"http://[::]",              "http://[::]",              "::",              80,    ""    },
        {"http://u:p@a/",            "http://u:p@a/",            "a",               80,    "/"   },
        {"http://u@a/",              "http://u@a/",              "a",               80,    "/"   },
        {"http://:p@a/",             "http://:p@a/",             "a",               80,    "/"   },
        {"http://u%40x:p:q@a/",      "http://u%40x:p:q@a/",      "a",               80,    "/"   },
        {"http://a?q=1",             "http://a?q=1",             "a",               80,    ""    },
        {"http://a/?",               "http://a/?",               "a",               80,    "/"   },
        {"http://a/#f",              "http://a/#f",              "a",               80,    "/"   },
        {"http://a/p?q#f?g",         "http://a/p?q#f?g",         "a",               80,    "/p"  },
        {"http://a/%7e",             "http://a/%7e",             "a",               80,    "/%7e"},
        {"http://my_svc.ns-1.svc",   "http://my_svc.ns-1.svc",   "my_svc.ns-1.svc", 80,    ""    },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        struct url url;
        SCOPED(buf) text = {0};
        CHECK_OK(url_read(str_from_c(cases[i].text), &url));
        CHECK_EQ(url.host, str_from_c(cases[i].host));
        CHECK_EQ(url.port, cases[i].port);
        CHECK_EQ(url.path, str_from_c(cases[i].path));
        url_write(&url, &text);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].canonical));
    }
}

TEST(url_refuses_garbage)
{
    const struct str cases[] = {
        STR(""),
        STR("a"),
        STR("//a"),
        STR("ftp://a"),
        STR("socks5://a"),
        STR("http:/a"),
        STR("http://"),
        STR("http:///x"),
        STR("http://:80"),
        STR(" http://a"),
        STR("http://a "),
        STR("http://a b"),
        STR("http://a/b c"),
        STR("http://a/\x01"),
        STR("http://a/\x7f"),
        STR("http://a/\0"),
        STR("http://a\0"),
        STR("http://a/\r\nx: y"),
        STR("http://a\r\n"),
        STR("http://a/\xc3\xa9"),
        STR("http://a?\n"),
        STR("http://a#\n"),
        STR("http://a:"),
        STR("http://a:0"),
        STR("http://a:65536"),
        STR("http://a:-1"),
        STR("http://a:+1"),
        STR("http://a: 1"),
        STR("http://a:1x"),
        STR("http://a:000080"),
        STR("http://a:80:80"),
        STR("http://[::1"),
        STR("http://[::1]x"),
        STR("http://[]"),
        STR("http://[1]"),
        STR("http://[:1]"),
        STR("http://[1:]"),
        STR("http://[::1::]"),
        STR("http://[1:2:3:4:5:6:7]"),
        STR("http://[1:2:3:4:5:6:7:8:9]"),
        STR("http://[12345::]"),
        STR("http://[::g]"),
        STR("http://[::1%25eth0]"),
        STR("http://[::1.2.3]"),
        STR("http://[::1.2.3.4:5]"),
        STR("http://::1/"),
        STR("http://u p@a"),
        STR("http://u@b@a"),
        STR("http://a%62c/"),
        STR("http://a/%"),
        STR("http://a/%4"),
        STR("http://a/%zz"),
        STR("http://-a/"),
        STR("http://.a/"),
        STR("http://a\\b/"),
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%.*s", STR_ARG(cases[i]));
        struct url url;
        CHECK_ERROR(url_read(cases[i], &url), ERROR_PARSE);
    }
}

TEST(url_errors_show_no_password)
{
    struct url url;
    OWNED(error) err = url_read(STR("https://user:hunter2@host:99999/"), &url);
    CHECK(err != NULL);
    CHECK(strstr(err->message, "hunter2") == NULL);
}

TEST(url_longer_than_the_limit_is_refused)
{
    SCOPED(buf) text = {0};
    struct url url;
    buf_add(&text, STR("http://a/"));
    while (text.len <= URL_LENGTH_MAX)
        buf_add_char(&text, 'x');
    CHECK_FAILS(url_read(buf_str(&text), &url), ERROR_PARSE, "longer");
    CHECK_FAILS(url_read_proxy(buf_str(&text), &url), ERROR_PARSE, "longer");
}

TEST(url_reads_proxies)
{
    const struct {
        const char *text, *canonical;
    } cases[] = {
        {"http://proxy:3128", "http://proxy:3128" },
        {"http://proxy/",     "http://proxy"      },
        {"https://u:p@proxy", "https://u:p@proxy" },
        {"socks5://proxy",    "socks5://proxy"    },
        {"socks5h://[::1]:9", "socks5://[::1]:9"  },
        {"proxy:3128",        "http://proxy:3128" },
        {"proxy",             "http://proxy"      },
        {"u:p@proxy:1/",      "http://u:p@proxy:1"},
    };
    struct url url;
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].text);
        SCOPED(buf) text = {0};
        CHECK_OK(url_read_proxy(str_from_c(cases[i].text), &url));
        url_write(&url, &text);
        CHECK_EQ(buf_str(&text), str_from_c(cases[i].canonical));
    }
    CHECK_FAILS(url_read_proxy(STR("http://proxy/path"), &url), ERROR_PARSE, "proxy");
    CHECK_FAILS(url_read_proxy(STR("http://proxy?q"), &url), ERROR_PARSE, "proxy");
    CHECK_FAILS(url_read_proxy(STR("ftp://proxy"), &url), ERROR_PARSE, "proxy");
    CHECK_FAILS(url_read_proxy(STR(""), &url), ERROR_PARSE, "host");
}

TEST(url_joins_prefix_path_and_query)
{
    const struct {
        const char *base, *path, *query, *target;
    } cases[] = {
        {"https://a",         "/api", "",        "/api"            },
        {"https://a/",        "/api", "",        "/api"            },
        {"https://a/k8s",     "/api", "watch=1", "/k8s/api?watch=1"},
        {"https://a/k8s/",    "/api", "",        "/k8s/api"        },
        {"https://a/k8s//",   "api",  "",        "/k8s/api"        },
        {"https://a/k8s?x#y", "/api", "",        "/k8s/api"        },
        {"https://a",         "",     "",        "/"               },
    };
    SCOPED(arena) arena = {0};
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s %s", cases[i].base, cases[i].path);
        struct url url;
        CHECK_OK(url_read(str_from_c(cases[i].base), &url));
        CHECK_EQ(url_join(&arena, &url, str_from_c(cases[i].path), str_from_c(cases[i].query)),
                 str_from_c(cases[i].target));
    }
}

TEST(url_authority_and_origin)
{
    SCOPED(arena) arena = {0};
    struct url url;
    CHECK_OK(url_read(STR("https://u:p@[::1]:443/x"), &url));
    CHECK_EQ(url_authority(&arena, &url), STR("[::1]"));
    CHECK_EQ(url_origin(&arena, &url), STR("https://[::1]:443"));
    CHECK_OK(url_read(STR("http://host:8080"), &url));
    CHECK_EQ(url_authority(&arena, &url), STR("host:8080"));
    CHECK_EQ(url_origin(&arena, &url), STR("http://host:8080"));
}

TEST(url_escapes_every_byte)
{
    SCOPED(arena) arena = {0};
    for (int c = 0; c < 256; c++) {
        const char byte = (char)c;
        SCOPED(buf) segment = {0}, query = {0};
        struct str back;
        url_escape_segment(&segment, str_from(&byte, 1));
        CHECK_OK(url_unescape(&arena, buf_str(&segment), &back));
        CHECK_EQ(back, str_from(&byte, 1));
        url_escape_query(&query, str_from(&byte, 1));
        CHECK_OK(url_unescape_query(&arena, buf_str(&query), &back));
        CHECK_EQ(back, str_from(&byte, 1));
        CHECK(str_find_char(buf_str(&segment), '/') == STR_NONE);
        CHECK(str_find_char(buf_str(&query), '&') == STR_NONE);
    }
    SCOPED(buf) text = {0};
    url_escape_segment(&text, STR("a b/c?d%"));
    url_escape_query(&text, STR("a=b,c in (d)+e"));
    CHECK_EQ(buf_str(&text), STR("a%20b%2Fc%3Fd%25a%3Db%2Cc%20in%20%28d%29%2Be"));
    struct str back;
    CHECK_OK(url_unescape_query(&arena, STR("a+b%2B"), &back));
    CHECK_EQ(back, STR("a b+"));
    CHECK_OK(url_unescape(&arena, STR("a+b"), &back));
    CHECK_EQ(back, STR("a+b"));
    CHECK_FAILS(url_unescape(&arena, STR("ab%4"), &back), ERROR_PARSE, "byte 2");
    CHECK_ERROR(url_unescape(&arena, STR("%gg"), &back), ERROR_PARSE);
}
