#include "web/web_rows.h"

#include <stdio.h>

#include "testing/test.h"
#include "web/page_fixture_test.h"

/* Goes through all pages and counts how often each cluster appears, by the number in its name. */
struct walk {
    unsigned char seen[400];
    size_t pages, rows;
    bool is_ordered;
};

static void note_rows(struct walk *walk, const struct web_rows *rows)
{
    walk->pages++;
    for (size_t i = 0; i < rows->count; i++) {
        uint64_t number = 0;
        CHECK(str_to_uint64(str_skip(web_row_key(&rows->items[i]).name, 3), &number));
        walk->seen[number]++;
        walk->rows++;
        if (i && web_row_since(&rows->items[i]) > web_row_since(&rows->items[i - 1]))
            walk->is_ordered = false;
    }
}

TEST(fv_04_pages_show_each_row_once_and_in_order)
{
    SCOPED(web_facts) facts = {0};
    SCOPED(arena) arena = {0};
    struct walk walk = {.is_ordered = true};
    struct web_query query;
    page_fixture_fill(&facts, 300, 25);
    CHECK_OK(web_query_read(&arena, STR("/clusters?state=failed&sort=-since&limit=10"), &query));
    for (;;) {
        const struct web_view view =
            web_view_make(&arena, &facts, &(struct web_scope){.is_all = true}, PAGE_NOW);
        const struct web_rows rows = web_rows_find(&view, &query);
        CHECK_EQ(rows.total, 25);
        CHECK_EQ(rows.facets[STATUS_FAILED], 25);
        CHECK_EQ(rows.facets[STATUS_APPLIED], 275);
        CHECK_EQ(rows.first, walk.rows);
        note_rows(&walk, &rows);
        if (!rows.has_next)
            break;
        query.has_after = true;
        query.after = rows.next;
    }
    CHECK_EQ(walk.pages, 3);
    CHECK(walk.is_ordered);
    for (size_t i = 0; i < 25; i++)
        CHECK_EQ(walk.seen[i], 1);
}

/* The clusters from first to before end, with a number of them left out. */
static void fill_some(struct web_facts *facts, size_t first, size_t end, size_t without)
{
    char name[32];
    page_fixture_add_set(facts, "cni");
    for (size_t i = first; i < end; i++) {
        snprintf(name, sizeof(name), "vc-%04zu", i);
        if (i != without)
            page_fixture_add_cluster(facts, name);
    }
    web_facts_finish(facts);
}

TEST(fv_05_clusters_that_come_and_go_move_no_others)
{
    SCOPED(web_facts) before = {0};
    SCOPED(web_facts) after = {0};
    SCOPED(arena) arena = {0};
    struct walk walk = {0};
    struct web_query query;
    fill_some(&before, 1, 30, 400);
    fill_some(&after, 0, 30, 5); /* vc-0000 came, vc-0005 went */
    CHECK_OK(web_query_read(&arena, STR("/clusters?sort=name&limit=10"), &query));
    for (size_t page = 0;; page++) {
        const struct web_view view = web_view_make(&arena, page ? &after : &before,
                                                   &(struct web_scope){.is_all = true}, PAGE_NOW);
        const struct web_rows rows = web_rows_find(&view, &query);
        note_rows(&walk, &rows);
        if (!rows.has_next)
            break;
        query.has_after = true;
        query.after = rows.next;
    }
    for (size_t i = 1; i < 30; i++)
        CHECK_EQ(walk.seen[i], 1);
}

TEST(rows_of_the_previous_page_are_those_before)
{
    SCOPED(web_facts) facts = {0};
    SCOPED(arena) arena = {0};
    struct web_query query;
    page_fixture_fill(&facts, 35, 0);
    CHECK_OK(web_query_read(&arena, STR("/clusters?limit=10"), &query));
    const struct web_view view =
        web_view_make(&arena, &facts, &(struct web_scope){.is_all = true}, PAGE_NOW);
    struct web_rows rows = web_rows_find(&view, &query);
    for (size_t i = 0; i < 2; i++) {
        query.has_after = true;
        query.after = rows.next;
        rows = web_rows_find(&view, &query);
    }
    CHECK_EQ(rows.first, 20);
    CHECK(rows.has_previous && !rows.previous_is_first);
    query.after = rows.previous;
    rows = web_rows_find(&view, &query);
    CHECK_EQ(rows.first, 10);
    CHECK(rows.has_previous && rows.previous_is_first);
}

TEST(rows_match_names_by_part_and_labels_whole)
{
    const struct {
        const char *q;
        size_t count;
    } cases[] = {
        {"vc-000",           10},
        {"VC-0011",          1 },
        {"env=prod",         12},
        {"env=pro",          0 },
        {"env=prod vc-0011", 1 },
        {"a=b env=prod",     12},
        {"x",                0 },
    };
    SCOPED(web_facts) facts = {0};
    page_fixture_fill(&facts, 12, 0);
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(arena) arena = {0};
        const struct web_query query = {
            .page = WEB_CLUSTERS, .q = str_from_c(cases[i].q), .limit = 100};
        const struct web_view view =
            web_view_make(&arena, &facts, &(struct web_scope){.is_all = true}, PAGE_NOW);
        TEST_CASE("%s", cases[i].q);
        CHECK_EQ(web_rows_find(&view, &query).total, cases[i].count);
    }
}

TEST(fv_16_a_user_of_one_namespace_sees_and_counts_that_one)
{
    SCOPED(web_facts) facts = {0};
    SCOPED(arena) arena = {0};
    const struct str other = STR("other"), own = STR("d");
    page_fixture_fill(&facts, 12, 2);
    const struct web_view none =
        web_view_make(&arena, &facts, &(struct web_scope){.namespaces = &other, .count = 1}, 0);
    const struct web_view all =
        web_view_make(&arena, &facts, &(struct web_scope){.namespaces = &own, .count = 1}, 0);
    CHECK_EQ(none.cluster_count, 0);
    CHECK_EQ(none.set_count, 0);
    CHECK_EQ(none.cluster_counts[STATUS_FAILED], 0);
    CHECK(!web_view_find_cluster(&none, KEY("d", "vc-0000")));
    CHECK_EQ(all.cluster_count, 12);
    CHECK_EQ(all.cluster_counts[STATUS_FAILED], 2);
    CHECK(web_view_find_cluster(&all, KEY("d", "vc-0000")) != NULL);
}

TEST(rows_of_a_piece_are_those_of_a_search)
{
    const char *const targets[] = {"/clusters",
                                   "/clusters?state=failed&limit=10",
                                   "/clusters?state=applied&limit=10",
                                   "/clusters?state=idle",
                                   "/clusters?limit=10&after=8.0.d/vc-0020",
                                   "/sets"};
    SCOPED(web_facts) facts = {0};
    page_fixture_fill(&facts, 60, 25);
    for (size_t i = 0; i < COUNT(targets); i++) {
        SCOPED(arena) arena = {0};
        struct web_query query;
        TEST_CASE("%s", targets[i]);
        CHECK_OK(web_query_read(&arena, str_from_c(targets[i]), &query));
        const struct web_view view =
            web_view_make(&arena, &facts, &(struct web_scope){.is_all = true}, PAGE_NOW);
        const struct web_rows piece = web_rows_find(&view, &query);
        query.namespace = STR("d"); /* all of them */
        const struct web_rows found = web_rows_find(&view, &query);
        CHECK_EQ(piece.total, found.total);
        CHECK_EQ(piece.first, found.first);
        CHECK_EQ(piece.count, found.count);
        CHECK_EQ(web_rows_matching(&piece), web_rows_matching(&found));
        for (size_t j = 0; j < piece.count; j++)
            CHECK_EQ(web_row_key(&piece.items[j]).name, web_row_key(&found.items[j]).name);
    }
}
