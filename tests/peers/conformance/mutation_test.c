/*
 * Answers with one thing wrong: every change that the rules do not excuse must be noticed.
 */
#include "base/buf.h"
#include "json/builder.h"
#include "json/compare.h"
#include "json/json_pointer_test.h"
#include "json/path.h"
#include "peers/conformance/compare.h"
#include "testing/test.h"

#define RUN STR("grunner")

static void read_recording(struct exchange_list *list)
{
    CHECK_OK(exchange_list_read(list, test_data("conformance/exchanges.jsonl"), RUN));
    CHECK(list->count > 1000);
}

/* Mutations. A copy is made in which one place is different; hit() tells when it is reached. */
enum mutation {
    DROP_MEMBER,
    ADD_MEMBER,
    CHANGE_SCALAR,
    SWAP_ELEMENTS,
    MUTATIONS,
};

static const char *const mutation_names[MUTATIONS] = {"drop", "add", "change", "swap"};

#define DEPTH_MAX   64
#define NOTICED_MIN 500 /* of each mutation: the recording has many more places */

struct mutator {
    const struct exchange *exchange;
    enum mutation mutation;
    size_t target, seen;
    struct str path[DEPTH_MAX];
    size_t depth;
    bool excused; /* the rules allow what was done */
    struct arena *arena;
    struct buf place;
};

static void mutator_done(struct mutator *mutator)
{
    buf_done(&mutator->place);
}

static struct str token(const struct mutator *mutator, size_t up)
{
    return up < mutator->depth ? mutator->path[mutator->depth - 1 - up] : STR("");
}

/* The place itself, or with up = 1 the object around it. */
static bool is_covered(const struct mutator *mutator, const struct exchange_patterns *patterns,
                       size_t up)
{
    for (size_t i = 0; mutator->depth >= up && i < patterns->count; i++)
        if (pointer_covers(&patterns->items[i], mutator->path, mutator->depth - up))
            return true;
    return false;
}

static bool is_below(const struct mutator *mutator, struct str name)
{
    for (size_t i = 0; i < mutator->depth; i++)
        if (str_eq(mutator->path[i], name))
            return true;
    return false;
}

/* Whether a member may be absent, or any. The mutator stands on it. */
static bool is_optional(const struct mutator *mutator)
{
    const bool type =
        str_eq(token(mutator, 0), STR("kind")) || str_eq(token(mutator, 0), STR("apiVersion"));
    const bool time =
        str_eq(token(mutator, 0), STR("time")) && str_eq(token(mutator, 2), STR("managedFields"));
    return is_covered(mutator, &mutator->exchange->lenient, 0) || time ||
           (type && str_eq(token(mutator, 2), STR("items")));
}

/* What is loose may differ, but must be there: up is 1 where presence is at stake. */
static bool is_free(const struct mutator *mutator, size_t up)
{
    const bool fields =
        is_below(mutator, STR("managedFields")) && !mutator->exchange->strict_managed_fields;
    const bool in_metadata = str_eq(token(mutator, 1), STR("metadata"));
    return fields || is_covered(mutator, &mutator->exchange->loose, up) ||
           is_below(mutator, STR("storageVersionHash")) ||
           (in_metadata && (str_eq(token(mutator, 0), STR("selfLink"))));
}

static bool is_unordered_here(const struct mutator *mutator)
{
    return is_covered(mutator, &mutator->exchange->unordered, 0) ||
           str_eq(token(mutator, 0), STR("causes")) ||
           str_eq(token(mutator, 0), STR("managedFields"));
}

static bool hit(struct mutator *mutator, enum mutation mutation, bool excused)
{
    if (mutator->mutation != mutation || mutator->seen++ != mutator->target)
        return false;
    mutator->excused = excused;
    for (size_t i = 0; i < mutator->depth; i++)
        json_pointer_add(&mutator->place, mutator->path[i]);
    return true;
}

static void enter(struct mutator *mutator, struct str name)
{
    CHECK(mutator->depth < DEPTH_MAX);
    mutator->path[mutator->depth++] = name;
}

static void copy(struct mutator *mutator, struct json_builder *builder,
                 const struct json_value *value);

static void copy_object(struct mutator *mutator, struct json_builder *builder,
                        const struct json_value *object)
{
    const struct json_value *value;
    json_builder_object(builder);
    JSON_FOREACH (name, value, object) {
        enter(mutator, name);
        const bool excused =
            is_free(mutator, 1) || is_optional(mutator) || json_type(value) == JSON_NULL;
        /* The last member of what is loose may not go: it would be empty. */
        const bool last =
            json_count(object) == 1 && is_covered(mutator, &mutator->exchange->loose, 1);
        if (last || !hit(mutator, DROP_MEMBER, excused)) {
            json_builder_key(builder, name);
            copy(mutator, builder, value);
        }
        mutator->depth--;
    }
    enter(mutator, STR("surplus"));
    if (hit(mutator, ADD_MEMBER, is_free(mutator, 1) || is_optional(mutator)))
        json_builder_add_int(builder, "surplus", 1);
    mutator->depth--;
    json_builder_end(builder);
}

static void copy_element(struct mutator *mutator, struct json_builder *builder,
                         const struct json_value *array, size_t index)
{
    enter(mutator, arena_print(mutator->arena, "%zu", index));
    copy(mutator, builder, json_at(array, index));
    mutator->depth--;
}

static void copy_array(struct mutator *mutator, struct json_builder *builder,
                       const struct json_value *array)
{
    json_builder_array(builder);
    for (size_t i = 0; i < json_count(array); i++) {
        const bool pair =
            i + 1 < json_count(array) && !json_equal(json_at(array, i), json_at(array, i + 1));
        const bool excused = is_free(mutator, 0) || is_unordered_here(mutator);
        const bool swapped = pair && hit(mutator, SWAP_ELEMENTS, excused);
        if (swapped)
            copy_element(mutator, builder, array, i + 1);
        copy_element(mutator, builder, array, i);
        i += swapped;
    }
    json_builder_end(builder);
}

static void copy_scalar(struct mutator *mutator, struct json_builder *builder,
                        const struct json_value *value)
{
    const bool is_continue =
        str_eq(token(mutator, 0), STR("continue")) && str_eq(token(mutator, 1), STR("metadata"));
    double number;
    bool truth;
    if (json_type(value) == JSON_NULL ||
        !hit(mutator, CHANGE_SCALAR, is_free(mutator, 0) || is_continue))
        json_builder_value(builder, value);
    else if (json_to_bool(value, &truth))
        json_builder_bool(builder, !truth);
    else if (json_to_double(value, &number))
        json_builder_double(builder, number + 1);
    else
        json_builder_str(builder,
                         arena_print(mutator->arena, "%.*sx", STR_ARG(json_to_str(value))));
}

static void copy(struct mutator *mutator, struct json_builder *builder,
                 const struct json_value *value)
{
    if (json_type(value) == JSON_OBJECT)
        copy_object(mutator, builder, value);
    else if (json_type(value) == JSON_ARRAY)
        copy_array(mutator, builder, value);
    else
        copy_scalar(mutator, builder, value);
}

static void copy_selected(struct mutator *mutator, struct json_builder *builder,
                          const struct json_value *selected)
{
    const struct json_value *value;
    json_builder_object(builder);
    JSON_FOREACH (text, value, selected) {
        const struct pointer pointer = pointer_read(mutator->arena, text);
        for (size_t i = 0; i < pointer.count; i++)
            enter(mutator, pointer.tokens[i]);
        json_builder_key(builder, text);
        copy(mutator, builder, value);
        mutator->depth = 0;
    }
    json_builder_end(builder);
}

static void copy_part(struct mutator *mutator, struct json_builder *builder, struct str name,
                      const struct json_value *value)
{
    const bool is_body = str_eq(name, STR("body"));
    json_builder_key(builder, name);
    if (str_eq(name, STR("status")) || str_eq(name, STR("headers"))) {
        json_builder_value(builder, value);
    } else if (is_body && mutator->exchange->select) {
        copy_selected(mutator, builder, value);
    } else {
        if (!is_body)
            enter(mutator, name);
        copy(mutator, builder, value);
        mutator->depth = 0;
    }
}

static void mutate(struct mutator *mutator, struct json_doc **ret_answer)
{
    SCOPED(json_builder) builder = {0};
    const struct json_value *value;
    json_builder_object(&builder);
    JSON_FOREACH (name, value, mutator->exchange->response)
        copy_part(mutator, &builder, name, value);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, ret_answer));
}

static size_t count_places(const struct exchange *exchange, enum mutation mutation)
{
    SCOPED(arena) arena = {0};
    SCOPED(mutator)
    mutator = {.exchange = exchange, .mutation = mutation, .target = SIZE_MAX, .arena = &arena};
    OWNED(json_doc) answer = NULL;
    mutate(&mutator, &answer);
    return mutator.seen;
}

static size_t count_differences(const struct exchange *exchange, const struct json_value *answer,
                                struct binding *binding)
{
    SCOPED(arena) arena = {0};
    struct differences differences = {.arena = &arena};
    compare_answer(exchange, answer, &(struct compare_options){0}, binding, &differences);
    return differences.count;
}

struct tally {
    size_t noticed, excused;
};

static void try_mutation(const struct exchange *exchange, enum mutation mutation, size_t target,
                         struct tally *tally)
{
    SCOPED(arena) arena = {0};
    SCOPED(binding) binding = {0};
    SCOPED(mutator)
    mutator = {.exchange = exchange, .mutation = mutation, .target = target, .arena = &arena};
    OWNED(json_doc) answer = NULL;
    mutate(&mutator, &answer);
    TEST_CASE("%.*s: %s %.*s", STR_ARG(exchange->id), mutation_names[mutation],
              STR_ARG(buf_str(&mutator.place)));
    const size_t found = count_differences(exchange, json_doc_root(answer), &binding);
    tally->excused += mutator.excused;
    tally->noticed += !mutator.excused;
    CHECK_EQ(found > 0, !mutator.excused);
}

static void notice_mutations(enum mutation mutation)
{
    SCOPED(exchange_list) list = {0};
    struct tally tally = {0};
    read_recording(&list);
    for (size_t i = 0; i < list.count; i++) {
        const struct exchange *exchange = &list.items[i];
        if (exchange->status_only)
            continue;
        const size_t count = count_places(exchange, mutation);
        for (size_t target = 0; target < count; target++)
            try_mutation(exchange, mutation, target, &tally);
    }
    TEST_CASE("%s: %zu noticed, %zu excused", mutation_names[mutation], tally.noticed,
              tally.excused);
    CHECK(tally.noticed > NOTICED_MIN);
}

TEST(a_missing_member_is_noticed)
{
    notice_mutations(DROP_MEMBER);
}

TEST(a_surplus_member_is_noticed)
{
    notice_mutations(ADD_MEMBER);
}

TEST(another_value_is_noticed)
{
    notice_mutations(CHANGE_SCALAR);
}

TEST(another_order_is_noticed)
{
    notice_mutations(SWAP_ELEMENTS);
}
