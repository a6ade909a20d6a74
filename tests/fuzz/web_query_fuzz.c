/*
 * Any address may be refused; of what is accepted, the address that is written reads as the same
 * query, and its rows are a page of those that match: no place, whatever it says, leads outside.
 */
#include <stdio.h>

#include "fuzz.h"
#include "testing/test.h"
#include "web/web_query.h"
#include "web/web_rows.h"

#define CLUSTERS 25

static void add_cluster(struct web_facts *facts, int number)
{
    char text[200];
    OWNED(object) object = NULL;
    snprintf(text, sizeof(text),
             "{\"metadata\":{\"name\":\"vc-%04d\",\"namespace\":\"d\",\"labels\":{\"a\":\"b\"}}}",
             number);
    CHECK_OK(object_read(str_from_c(text), &object));
    web_facts_add(facts, WEB_KIND_CLUSTERS, object);
}

static void check_rows(struct arena *arena, const struct web_query *query)
{
    SCOPED(web_facts) facts = {0};
    for (int i = 0; i < CLUSTERS; i++)
        add_cluster(&facts, i);
    web_facts_finish(&facts);
    const struct web_view view =
        web_view_make(arena, &facts, &(struct web_scope){.is_all = true}, 0);
    const struct web_rows rows = web_rows_find(&view, query);
    CHECK(rows.count <= query->limit);
    CHECK(rows.first + rows.count <= rows.total);
    CHECK_EQ(rows.has_next, rows.first + rows.count < rows.total);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) first = {0};
    SCOPED(buf) second = {0};
    struct web_query query, again;
    OWNED(error) err = web_query_read(&arena, str_from((const char *)data, size), &query);
    if (err)
        return 0;
    web_query_write(&query, &first);
    CHECK_OK(web_query_read(&arena, buf_str(&first), &again));
    web_query_write(&again, &second);
    CHECK_EQ(buf_str(&second), buf_str(&first));
    if (query.page == WEB_CLUSTERS || query.page == WEB_SETS)
        check_rows(&arena, &query);
    return 0;
}
