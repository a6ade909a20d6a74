#include "peers/differential/causes.h"

#include "base/owned.h"
#include "testing/test.h"

#define INVALID(causes)       "{\"kind\":\"Status\",\"details\":{\"causes\":[" causes "]}}"
#define CAUSE(field, message) "{\"field\":\"" field "\",\"message\":\"" message "\"}"

/* What is found, a line each. */
static struct str compare(struct arena *arena, int real, const char *real_body, int corset,
                          const char *corset_body)
{
    OWNED(json_doc) real_doc = NULL;
    OWNED(json_doc) corset_doc = NULL;
    struct differences differences = {.arena = arena};
    SCOPED(buf) out = {0};
    CHECK_OK(json_read(str_from_c(real_body), &real_doc));
    CHECK_OK(json_read(str_from_c(corset_body), &corset_doc));
    const struct causes_answer a = {real, json_doc_root(real_doc)},
                               b = {corset, json_doc_root(corset_doc)};
    if (!causes_are_comparable(&a, &b))
        return STR("not comparable");
    causes_compare(&a, &b, &differences);
    for (size_t i = 0; i < differences.count; i++)
        buf_print(&out, "%s%.*s", i ? "; " : "", STR_ARG(differences.items[i].text));
    return arena_str(arena, buf_str(&out));
}

TEST(causes_are_compared_one_by_one)
{
    SCOPED(arena) arena = {0};
    const char *both = INVALID(CAUSE("spec.a", "Required value") "," CAUSE("spec.b", "Forbidden"));
    const char *twice = INVALID(CAUSE("spec.b", "Forbidden") "," CAUSE(
        "spec.a", "Required value") "," CAUSE("spec.a", "Required value"));
    const char *other = INVALID(CAUSE("spec.a", "Required value") "," CAUSE("spec.b", "Too long"));
    const char *taken = "{\"kind\":\"Pod\"}";
    CHECK_EQ(compare(&arena, 422, both, 422, twice), STR(""));
    CHECK_EQ(compare(&arena, 422, both, 422, other),
             STR("expected spec.b: Forbidden\n          got Too long"));
    CHECK_EQ(compare(&arena, 422, both, 201, taken),
             STR("missing: spec.a: Required value; missing: spec.b: Forbidden"));
    CHECK_EQ(compare(&arena, 200, taken, 422, INVALID(CAUSE("spec.b", "Forbidden"))),
             STR("unexpected: spec.b: Forbidden"));
}

TEST(objects_in_causes_are_not_compared)
{
    SCOPED(arena) arena = {0};
    const char *go = INVALID(CAUSE("a", "Invalid value: {\\\"A\\\":[\\\"}\\\"]}: is wrong"));
    const char *json = INVALID(CAUSE("a", "Invalid value: {}: is wrong"));
    const char *other = INVALID(CAUSE("a", "Invalid value: {}: is none"));
    const char *lines = INVALID(CAUSE("a", "Forbidden: cannot be changed\\n- 1\\n+ 2"));
    const char *line = INVALID(CAUSE("a", "Forbidden: cannot be changed"));
    CHECK_EQ(compare(&arena, 422, go, 422, json), STR(""));
    CHECK_EQ(
        compare(&arena, 422, go, 422, other),
        STR("expected a: Invalid value: {...}: is wrong\n          got Invalid value: {...}: is "
            "none"));
    CHECK_EQ(compare(&arena, 422, lines, 422, line), STR(""));
}

TEST(causes_beside_another_fault_are_not_compared)
{
    SCOPED(arena) arena = {0};
    const char *invalid = INVALID(CAUSE("spec.a", "Required value"));
    CHECK_EQ(compare(&arena, 409, "{}", 422, invalid), STR("not comparable"));
    CHECK_EQ(compare(&arena, 422, "{\"kind\":\"Status\"}", 422, invalid), STR("not comparable"));
    CHECK_EQ(compare(&arena, 422, invalid, 404, "{}"), STR("not comparable"));
    CHECK_EQ(compare(&arena, 422, invalid, 409, "{}"), STR("missing: spec.a: Required value"));
    CHECK_EQ(compare(&arena, 200, "{}", 201, "{}"), STR("not comparable"));
}
