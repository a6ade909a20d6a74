#include "peers/differential/survey.h"

#include "testing/test.h"

static void add_one(struct survey *survey, uint64_t sequence, const char *path, const char *text)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) step = NULL;
    struct differences differences = {.arena = &arena};
    const struct str body = arena_print(&arena, "{\"method\":\"POST\",\"path\":\"%s\"}", path);
    CHECK_OK(json_read(body, &step));
    differences_add(&differences, STR("invalid"), str_from_c(text));
    survey_add(survey, sequence, json_doc_root(step), &differences);
}

TEST(a_survey_counts_equal_differences_of_a_resource)
{
    SCOPED(survey) survey = {0};
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    const char *pods = "/api/v1/namespaces/{{ns}}/pods";
    add_one(&survey, 1, "/apis/apps/v1/namespaces/{{ns}}/deployments/a/scale", "missing: x");
    add_one(&survey, 2, pods, "missing: a[0]: \"b\"");
    add_one(&survey, 3, pods, "missing: a[1]: \"c\"");
    add_one(&survey, 4, "/api/v1/nodes/n/status", "missing: a[1]: \"c\"");
    survey_print(out, &survey);
    fclose(out);
    CHECK_EQ(str_from_c(text),
             STR("     2  POST pods invalid | missing: a[0]: \"b\"  (--sequence 2)\n"
                 "     1  POST deployments/scale invalid | missing: x  (--sequence 1)\n"
                 "     1  POST nodes/status invalid | missing: a[1]: \"c\"  (--sequence 4)\n"));
    free(text);
}
