/*
 * Rows of tests/support/data/oracle, one JSON object per line: inputs, and the answers of
 * Kubernetes.
 *
 *     ROWS_FOREACH (row, "oracle/names.jsonl")
 *         check(row);
 */
#pragma once

#include "json/json.h"
#include "json/path.h"
#include "testing/test.h"

struct rows {
    struct str text;
    struct json_doc *doc;
};

/* Returns the next row and sets its id as the test case; NULL at the end. */
static inline const struct json_value *rows_next(struct rows *rows)
{
    struct str line;
    json_doc_free(rows->doc);
    rows->doc = NULL;
    if (rows->text.len == 0)
        return NULL;
    str_cut(&rows->text, '\n', &line);
    CHECK_OK(json_read(line, &rows->doc));
    const struct json_value *row = json_doc_root(rows->doc);
    const struct str id = json_path_str(row, "id");
    TEST_CASE("%.*s", STR_ARG(id));
    return row;
}

#define ROWS_FOREACH(row, file)                                                      \
    for (struct rows rows_ = {.text = test_data(file)}; rows_.text.len || rows_.doc; \
         (void)rows_next(&rows_))                                                    \
        for (const struct json_value *row = rows_next(&rows_); row; row = rows_next(&rows_))
