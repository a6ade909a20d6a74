#include "peers/conformance/compare.h"

#include "base/buf.h"
#include "json/builder.h"
#include "json/path.h"
#include "peers/conformance/disguise.h"
#include "testing/test.h"

#define RUN STR("grunner")

static void read_recording(struct exchange_list *list)
{
    CHECK_OK(exchange_list_read(list, test_data("conformance/exchanges.jsonl"), RUN));
    CHECK(list->count > 1000);
}

static void check_none(const struct exchange *exchange, const struct differences *differences)
{
    TEST_CASE("%.*s", STR_ARG(exchange->id));
    if (differences->count)
        test_fail(TEST_PLACE("differences"), "%.*s: %.*s", STR_ARG(differences->items[0].place),
                  STR_ARG(differences->items[0].text));
}

/* Every answer of the recording in its order, disguised or not. */
static void judge_all(bool disguised, bool strict)
{
    SCOPED(exchange_list) list = {0};
    SCOPED(binding) binding = {0};
    const struct compare_options options = {.strict_managed_fields = strict};
    struct str group = {0};
    read_recording(&list);
    for (size_t i = 0; i < list.count; i++) {
        const struct exchange *exchange = &list.items[i];
        SCOPED(arena) arena = {0};
        OWNED(json_doc) answer = NULL;
        struct differences differences = {.arena = &arena};
        if (!str_eq(group, exchange->group))
            binding_begin_group(&binding);
        group = exchange->group;
        const struct str text = json_write_arena(&arena, exchange->response);
        CHECK_OK(json_read(disguised ? disguise(&arena, text) : text, &answer));
        binding_capture(&binding, &arena, exchange->capture,
                        json_path(json_doc_root(answer), "body"),
                        json_path(exchange->response, "body"));
        compare_answer(exchange, json_doc_root(answer), &options, &binding, &differences);
        check_none(exchange, &differences);
    }
}

TEST(every_recorded_answer_is_as_recorded)
{
    judge_all(false, false);
    judge_all(false, true);
}

TEST(every_recorded_answer_may_come_from_another_server)
{
    judge_all(true, false);
}

static size_t count_differences(const struct exchange *exchange, const struct json_value *answer,
                                struct binding *binding)
{
    SCOPED(arena) arena = {0};
    struct differences differences = {.arena = &arena};
    compare_answer(exchange, answer, &(struct compare_options){0}, binding, &differences);
    return differences.count;
}

/* A response with one of status and headers changed, or with nothing but them. */
static void edit_head(const struct exchange *exchange, int status, const char *header,
                      struct json_doc **ret_answer)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *value, *field;
    json_builder_object(&builder);
    JSON_FOREACH (name, value, exchange->response) {
        json_builder_key(&builder, name);
        if (status && str_eq(name, STR("status"))) {
            json_builder_int(&builder, status);
        } else if (header && str_eq(name, STR("headers"))) {
            json_builder_object(&builder);
            for (struct json_iter iter = {.container = value};;) {
                struct str key;
                if (!json_next(&iter, &key, &field))
                    break;
                json_builder_key(&builder, key);
                json_builder_value(&builder, field);
            }
            json_builder_add_array(&builder, header);
            json_builder_str(&builder, STR("surplus"));
            json_builder_end(&builder);
            json_builder_end(&builder);
        } else {
            json_builder_value(&builder, value);
        }
    }
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, ret_answer));
}

TEST(another_status_or_header_is_noticed)
{
    SCOPED(exchange_list) list = {0};
    read_recording(&list);
    for (size_t i = 0; i < list.count; i++) {
        const struct exchange *exchange = &list.items[i];
        OWNED(json_doc) teapot = NULL, *type = NULL, *warning = NULL;
        if (exchange->read)
            continue;
        TEST_CASE("%.*s", STR_ARG(exchange->id));
        SCOPED(binding) binding = {0};
        edit_head(exchange, 418, NULL, &teapot);
        edit_head(exchange, 0, "Content-Type", &type);
        edit_head(exchange, 0, "Warning", &warning);
        CHECK(count_differences(exchange, json_doc_root(teapot), &binding) > 0);
        CHECK_EQ(count_differences(exchange, json_doc_root(type), &binding) > 0,
                 !exchange->status_only);
        CHECK_EQ(count_differences(exchange, json_doc_root(warning), &binding) > 0,
                 !exchange->status_only);
    }
}

/* Rows of name, rules (members of an exchange), recorded and actual body, and whether they pass. */
static void check_rule(const struct json_value *row)
{
    SCOPED(exchange_list) list = {0};
    SCOPED(binding) binding = {0};
    SCOPED(json_builder) exchange = {0}, answer = {0};
    SCOPED(buf) text = {0};
    OWNED(json_doc) recorded = NULL, *actual = NULL;
    const struct json_value *value;
    json_builder_object(&exchange);
    json_builder_add_str(&exchange, "id", STR("a"));
    json_builder_add_str(&exchange, "group", STR("a"));
    json_builder_add_str(&exchange, "description", STR("a"));
    json_builder_add_object(&exchange, "request");
    json_builder_end(&exchange);
    JSON_FOREACH (name, value, json_get(row, STR("rules"))) {
        json_builder_key(&exchange, name);
        json_builder_value(&exchange, value);
    }
    json_builder_add_object(&exchange, "response");
    json_builder_add_value(&exchange, "body", json_get(row, STR("recorded")));
    json_builder_end(&exchange);
    json_builder_end(&exchange);
    CHECK_OK(json_builder_finish(&exchange, &recorded));
    json_write(&text, json_doc_root(recorded));
    CHECK_OK(exchange_list_read(&list, buf_str(&text), RUN));
    json_builder_object(&answer);
    json_builder_add_value(&answer, "body", json_get(row, STR("actual")));
    json_builder_end(&answer);
    CHECK_OK(json_builder_finish(&answer, &actual));
    bool same;
    CHECK(json_to_bool(json_get(row, STR("same")), &same));
    CHECK_EQ(count_differences(&list.items[0], json_doc_root(actual), &binding) == 0, same);
}

TEST(each_rule_of_comparison)
{
    struct str rest = test_data("conformance/rules.jsonl");
    while (rest.len) {
        struct str line;
        OWNED(json_doc) row = NULL;
        str_cut(&rest, '\n', &line);
        CHECK_OK(json_read(line, &row));
        TEST_CASE("%.*s", STR_ARG(json_path_str(json_doc_root(row), "name")));
        check_rule(json_doc_root(row));
    }
}

TEST(a_difference_tells_place_and_both_values)
{
    SCOPED(exchange_list) list = {0};
    SCOPED(binding) binding = {0};
    SCOPED(arena) arena = {0};
    OWNED(json_doc) doc = NULL;
    struct differences differences = {.arena = &arena};
    CHECK_OK(
        exchange_list_read(&list,
                           STR("{\"id\":\"a\",\"group\":\"a\",\"description\":\"a\",\"request\":{},"
                               "\"response\":{\"status\":200,\"body\":{\"a/b\":[{\"c\":1}]}}}"),
                           RUN));
    CHECK_OK(json_read(STR("{\"status\":404,\"body\":{\"a/b\":[{\"c\":2}]}}"), &doc));
    compare_answer(&list.items[0], json_doc_root(doc), &(struct compare_options){0}, &binding,
                   &differences);
    CHECK_EQ(differences.count, 2u);
    CHECK_EQ(differences.items[0].place, STR("status"));
    CHECK_EQ(differences.items[0].text, STR("expected 200, got 404"));
    CHECK_EQ(differences.items[1].place, STR("/a~1b/0/c"));
    CHECK_EQ(differences.items[1].text, STR("expected 1, got 2"));
}
