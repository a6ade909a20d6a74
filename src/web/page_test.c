#include "web/page.h"

#include <string.h>

#include "testing/test.h"
#include "web/page_fixture_test.h"
#include "web/web_contents.h"

static const char *const targets[] = {
    "/",
    "/sets",
    "/sets/d/cni",
    "/clusters",
    "/clusters?state=failed&q=env%3Dprod",
    "/clusters?q=nothing",
    "/clusters/d/vc-0000",
    "/clusters/d/vc-0000/sets/cni",
    "/clusters/d/gone",
    "/reasons",
    "/events",
};

TEST(fv_02_the_overview_begins_with_one_sentence)
{
    const struct {
        size_t clusters, failed;
        const char *sentence;
    } cases[] = {
        {0,     0, "<h1>No clusters yet</h1>"                                       },
        {1,     0, "<h1>1 cluster: 1 applied</h1>"                                  },
        {3,     1, "<h1>3 clusters: 2 applied, <a class=\"s-failed\" href="         },
        {300,   0, "<h1>300 clusters: 300 applied</h1>"                             },
        {10000, 8, "<h1>10,000 clusters: 9,992 applied, <a class=\"s-failed\" href="},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(web_facts) facts = {0};
        SCOPED(html) html = {0};
        TEST_CASE("%s", cases[i].sentence);
        page_fixture_fill(&facts, cases[i].clusters, cases[i].failed);
        CHECK_EQ(page_fixture_render(&facts, "/", &html), 200);
        CHECK_CONTAINS(buf_str(&html.out), str_from_c(cases[i].sentence));
        CHECK(html.out.len < 16 * KILOBYTE);
    }
}

TEST(pages_exist_and_what_is_gone_is_404)
{
    SCOPED(web_facts) facts = {0};
    page_fixture_fill(&facts, 3, 1);
    for (size_t i = 0; i < COUNT(targets); i++) {
        SCOPED(html) html = {0};
        TEST_CASE("%s", targets[i]);
        const int status = page_fixture_render(&facts, targets[i], &html);
        CHECK_EQ(status, strstr(targets[i], "gone") ? 404 : 200);
        CHECK(str_is_utf8(buf_str(&html.out)));
        CHECK_CONTAINS(buf_str(&html.out), STR("<h1>"));
    }
}

TEST(pages_are_equal_at_another_time_but_for_ages)
{
    SCOPED(web_facts) facts = {0};
    page_fixture_fill(&facts, 30, 7);
    for (size_t i = 0; i < COUNT(targets); i++) {
        SCOPED(arena) arena = {0};
        SCOPED(html) now = {0};
        SCOPED(html) later = {0};
        struct web_query query;
        TEST_CASE("%s", targets[i]);
        CHECK_OK(web_query_read(&arena, str_from_c(targets[i]), &query));
        struct web_view view =
            web_view_make(&arena, &facts, &(struct web_scope){.is_all = true}, PAGE_NOW);
        page_render(&view, &query, &now);
        view.now += 3 * HOUR;
        page_render(&view, &query, &later);
        CHECK_EQ(html_digest(&now), html_digest(&later));
    }
}

TEST(fv_07_texts_of_others_are_text)
{
    const char *const why =
        "<script>alert(1)</script>\\\" onclick=\\\"x&amp;javascript:y \\u202e z";
    SCOPED(web_facts) facts = {0};
    page_fixture_add_set(&facts, "<b>set</b>");
    page_fixture_add_cluster(&facts, "x' y<i>");
    page_fixture_add_binding(&facts, "x' y<i>", "<b>set</b>", why, 0);
    web_facts_finish(&facts);
    const char *const odd[] = {"/",
                               "/sets",
                               "/clusters",
                               "/reasons",
                               "/events",
                               "/clusters/d/x%27%20y%3Ci%3E",
                               "/clusters/d/x%27%20y%3Ci%3E/sets/%3Cb%3Eset%3C%2Fb%3E",
                               "/clusters?q=%22%3E%3Cscript%3E"};
    for (size_t i = 0; i < COUNT(odd); i++) {
        SCOPED(html) html = {0};
        TEST_CASE("%s", odd[i]);
        CHECK_EQ(page_fixture_render(&facts, odd[i], &html), 200);
        const struct str page = buf_str(&html.out);
        CHECK(!str_contains(page, STR("<script>")));
        CHECK(!str_contains(page, STR("<b>set")));
        CHECK(!str_contains(page, STR("y<i>")));
        CHECK(!str_contains(page, STR("\" onclick=\"")));
        CHECK(!str_contains(page, STR("\u202e")));
    }
}

TEST(fv_07_long_texts_are_cut)
{
    SCOPED(web_facts) facts = {0};
    SCOPED(html) html = {0};
    char why[10001];
    memset(why, 'x', sizeof(why) - 1);
    why[sizeof(why) - 1] = '\0';
    page_fixture_add_set(&facts, "cni");
    page_fixture_add_cluster(&facts, "c");
    page_fixture_add_binding(&facts, "c", "cni", why, 0);
    web_facts_finish(&facts);
    page_fixture_render(&facts, "/clusters", &html);
    CHECK(html.out.len < 8 * KILOBYTE);
    CHECK_CONTAINS(buf_str(&html.out), STR("x…</span>"));
}

TEST(fv_21_one_refusal_on_many_clusters_is_one_reason)
{
    SCOPED(web_facts) facts = {0};
    SCOPED(html) html = {0};
    page_fixture_fill(&facts, 10000, 9000);
    page_fixture_render(&facts, "/reasons", &html);
    CHECK_CONTAINS(buf_str(&html.out), STR("<h1>1 reason</h1>"));
    CHECK_CONTAINS(buf_str(&html.out), STR("data-label=\"Clusters\">9,000</td>"));
}

TEST(a_page_that_loads_counts_nothing)
{
    SCOPED(web_facts) facts = {.is_loading = true, .loaded = 4100};
    SCOPED(html) html = {0};
    page_fixture_render(&facts, "/clusters", &html);
    CHECK_CONTAINS(buf_str(&html.out), STR("Loading: 4,100 clusters so far"));
}

TEST(fv_22_an_old_page_says_since_when_it_is)
{
    SCOPED(web_facts) facts = {.as_of = PAGE_NOW, .problem_since = PAGE_NOW + 5 * SECOND};
    SCOPED(html) html = {0};
    page_fixture_fill(&facts, 1, 0);
    facts.problem = STR("connection refused");
    page_fixture_render(&facts, "/", &html);
    CHECK_CONTAINS(buf_str(&html.out), STR("As of 00:10:00, not connected since 00:10:05 UTC: "
                                           "connection refused"));
    CHECK_CONTAINS(buf_str(&html.out), STR("1 cluster: 1 applied"));
}

TEST(fv_23_what_may_not_be_listed_names_the_right)
{
    SCOPED(web_facts) facts = {0};
    SCOPED(html) html = {0};
    facts.missing[WEB_KIND_CLUSTER_EVENTS] = STR("events is forbidden");
    page_fixture_fill(&facts, 1, 0);
    page_fixture_render(&facts, "/events", &html);
    CHECK_CONTAINS(buf_str(&html.out), STR("Not shown: events is forbidden"));
    CHECK_CONTAINS(buf_str(&html.out), STR("list and watch <code>events</code>"));
}

TEST(a_set_tells_what_it_brings_by_kind_and_name_alone)
{
    static const char *const resource =
        "{\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm\",\"namespace\":\"d\"},\"data\":{"
        "\"a\":\"{apiVersion: v1, kind: Namespace, metadata: {name: net}}\\n---\\n{apiVersion: v1, "
        "kind: ConfigMap, metadata: {name: cfg, namespace: net}, data: {k: hidden-value}}\"}}";
    OWNED(web_contents) contents = web_contents_new(NULL, NULL);
    OWNED(object) object = NULL;
    SCOPED(web_facts) facts = {0};
    SCOPED(html) before = {0};
    SCOPED(html) html = {0};
    page_fixture_fill(&facts, 3, 0);
    facts.contents = contents;
    page_fixture_render(&facts, "/sets/d/cni", &before);
    CHECK_OK(object_read(str_from_c(resource), &object));
    CHECK(web_contents_put(contents, RESOURCE_CONFIG_MAP, KEY("d", "cm"), object));
    CHECK(!web_contents_put(contents, RESOURCE_CONFIG_MAP, KEY("d", "cm"), object));
    page_fixture_render(&facts, "/sets/d/cni", &html);
    const struct str page = buf_str(&html.out);
    CHECK(html_digest(&before) != html_digest(&html));
    CHECK_CONTAINS(page, STR("<span class=\"ns\">Namespace</span> net</li>"));
    CHECK_CONTAINS(page, STR("<span class=\"ns\">ConfigMap</span> net/cfg</li>"));
    CHECK_CONTAINS(page, STR("data-label=\"Objects\">2</td>"));
    CHECK_CONTAINS(page, STR("data-label=\"Size\">158 B</td>"));
    CHECK(!str_contains(page, STR("hidden-value")));
}

TEST(a_resource_that_cannot_be_used_quotes_nothing)
{
    OWNED(web_contents) contents = web_contents_new(NULL, NULL);
    OWNED(object) object = NULL;
    SCOPED(web_facts) facts = {.contents = contents};
    SCOPED(html) html = {0};
    page_fixture_fill(&facts, 3, 0);
    CHECK_OK(object_read(
        STR("{\"metadata\":{\"name\":\"cm\"},\"data\":{\"a\":\"{hidden-value: [\"}}"), &object));
    web_contents_put(contents, RESOURCE_CONFIG_MAP, KEY("d", "cm"), object);
    page_fixture_render(&facts, "/sets/d/cni", &html);
    CHECK_CONTAINS(buf_str(&html.out), STR("Not shown: this ConfigMap cannot be used (syntax)"));
    CHECK(!str_contains(buf_str(&html.out), STR("hidden-value")));
}

static bool tell_connection(void *data, struct key cluster, struct web_connection *ret_connection)
{
    (void)cluster;
    *ret_connection = *(const struct web_connection *)data;
    return true;
}

TEST(a_cluster_tells_its_last_probe_and_its_next_try)
{
    struct web_connection connection = {.is_connected = true, .last_probe = PAGE_NOW - 4 * SECOND};
    SCOPED(web_facts) facts = {.connection = tell_connection, .connection_data = &connection};
    SCOPED(html) up = {0};
    SCOPED(html) down = {0};
    page_fixture_fill(&facts, 1, 0);
    page_fixture_render(&facts, "/clusters/d/vc-0000", &up);
    CHECK_CONTAINS(buf_str(&up.out), STR("The last probe was <time"));
    CHECK(!str_contains(buf_str(&up.out), STR("Next try")));
    connection = (struct web_connection){.last_probe = PAGE_NOW - 9 * SECOND,
                                         .failures = 5,
                                         .problem = STR("connection refused"),
                                         .next_try = 14 * SECOND};
    page_fixture_render(&facts, "/clusters/d/vc-0000", &down);
    CHECK_CONTAINS(buf_str(&down.out), STR("The last probe failed <time"));
    CHECK_CONTAINS(buf_str(&down.out), STR("ago: connection refused. Next try in 14 s."));
    CHECK(html_digest(&up) != html_digest(&down));
}
