/*
 * Whether an object fits its type, in the words of typed/validate.go of sigs.k8s.io/structured-
 * merge-diff/v4.
 *
 * All problems are collected, each with its path, up to the length that a message may have. One
 * problem is shown on the line of the error; several begin a line each.
 */
#include "apiserver/managedfields/field_walk_internal.h"

/* Longer messages are cut anyway. */
#define PROBLEMS_MAX (16 * KILOBYTE)

/* Where a value is. Paths are written when there is a problem, which is rare. */
struct place {
    const struct place *above;     /* NULL: the object itself */
    struct str member;             /* of an object, */
    const struct field_step *step; /* or the element of a set or keyed list, */
    size_t index;                  /* or of an atomic list */
};

struct checker {
    struct field_walk *walk;
    const struct place *place;
    struct buf problems; /* each with two spaces in front and a line end behind */
    size_t count;
    bool duplicates;
};

static void check_value(struct checker *checker, struct field_type type,
                        const struct json_value *value, size_t depth);

static void write_place(struct buf *out, const struct place *place)
{
    if (!place)
        return;
    write_place(out, place->above);
    if (place->member.ptr) {
        buf_add_char(out, '.');
        buf_add(out, place->member);
    } else if (place->step) {
        field_step_write(out, *place->step);
    } else {
        buf_print(out, "[%zu]", place->index);
    }
}

/* Starts a problem at the place; the caller adds what it is and the end of the line. */
static struct buf *add_problem(struct checker *checker)
{
    checker->count++;
    buf_add(&checker->problems, STR("  "));
    write_place(&checker->problems, checker->place);
    buf_add(&checker->problems, STR(": "));
    return &checker->problems;
}

static void add_problem_text(struct checker *checker, struct str text)
{
    struct buf *out = add_problem(checker);
    buf_add(out, text);
    buf_add_char(out, '\n');
}

/* Go's name for the dynamic type of a value, as errors show it. */
static const char *go_type_of(const struct json_value *value)
{
    int64_t whole;
    switch (json_type(value)) {
    case JSON_OBJECT:
        return "map[string]interface {}";
    case JSON_ARRAY:
        return "[]interface {}";
    case JSON_STRING:
        return "string";
    case JSON_BOOL:
        return "bool";
    case JSON_NUMBER:
        return json_to_int64(value, &whole) ? "int64" : "float64";
    case JSON_NULL:
    case JSON_ABSENT:
        break;
    }
    return "<nil>";
}

static void check_scalar(struct checker *checker, enum field_scalar scalar,
                         const struct json_value *value)
{
    static const enum json_type wanted[] = {
        [FIELD_SCALAR_STRING] = JSON_STRING,
        [FIELD_SCALAR_NUMBER] = JSON_NUMBER,
        [FIELD_SCALAR_BOOL] = JSON_BOOL,
    };
    const enum json_type type = json_type(value);
    if (type == JSON_NULL || (scalar == FIELD_SCALAR_ANY ? type != JSON_OBJECT && type != JSON_ARRAY
                                                         : type == wanted[scalar]))
        return;
    struct buf *out = add_problem(checker);
    switch (scalar) {
    case FIELD_SCALAR_STRING:
        buf_add(out, STR("expected string, got "));
        field_print_syntax(out, value);
        break;
    case FIELD_SCALAR_NUMBER:
        buf_print(out, "expected numeric (int or float), got %s", go_type_of(value));
        break;
    case FIELD_SCALAR_BOOL:
        buf_add(out, STR("expected boolean, got "));
        field_print_value(out, value);
        break;
    case FIELD_SCALAR_ANY:
        buf_add(out, STR("expected any scalar, got "));
        field_print_value(out, value);
        break;
    }
    buf_add_char(out, '\n');
}

/*
 * A member that the type does not declare is a problem of its own, with nothing below it checked.
 */
static void check_members(struct checker *checker, struct field_type type,
                          const struct json_value *value, size_t depth)
{
    const struct place *above = checker->place;
    const struct json_value *child;
    JSON_FOREACH (key, child, value) {
        struct field_member member;
        const struct place place = {.above = above, .member = key};
        const bool known = field_type_member(type, key, &member);
        checker->place = &place;
        if (known)
            check_value(checker, member.type, child, depth + 1);
        else
            add_problem_text(checker, STR("field not declared in schema"));
        checker->place = above;
        if (!known)
            return; /* upstream stops here, too */
    }
}

static void check_elements(struct checker *checker, struct field_type type,
                           const struct json_value *value, size_t depth)
{
    const struct place *above = checker->place;
    const struct json_value *child;
    size_t index = 0;
    JSON_FOREACH (key, child, value) {
        const struct place place = {.above = above, .index = index};
        (void)key;
        index++;
        checker->place = &place;
        check_value(checker, field_type_element(type), child, depth + 1);
        checker->place = above;
    }
}

/*
 * Elements of sets and keyed lists: each needs a step, and only one may have it unless duplicates
 * are allowed.
 */
static void check_items(struct checker *checker, struct field_type type,
                        const struct json_value *value, size_t depth)
{
    const struct place *above = checker->place;
    const struct field_items items = field_items_read(checker->walk, type, value);
    for (size_t i = 0; i < items.count && i < items.broken; i++) {
        const struct field_item *item = &items.items[i];
        if (item->first != i && !checker->duplicates) {
            struct buf *out = add_problem(checker);
            buf_add(out, STR("duplicate entries for key "));
            field_step_write(out, item->step);
            buf_add_char(out, '\n');
        }
        const struct place place = {.above = above, .step = &item->step};
        checker->place = &place;
        check_value(checker, field_type_element(type), item->value, depth + 1);
        checker->place = above;
    }
    if (items.problem.len)
        add_problem_text(checker, items.problem);
}

static void check_container(struct checker *checker, const struct json_value *value,
                            const char *expected)
{
    if (json_type(value) == JSON_NULL)
        return;
    struct buf *out = add_problem(checker);
    buf_print(out, "expected %s, got ", expected);
    field_print_value(out, value);
    buf_add_char(out, '\n');
}

/* One value and all below it, at most FIELD_DEPTH_MAX deep. */
static void check_value(struct checker *checker, struct field_type type,
                        const struct json_value *value, size_t depth)
{
    const struct field_shape shape = field_type_shape(type);
    const enum field_form form = field_form_of(shape, value);
    if (depth >= FIELD_DEPTH_MAX || checker->problems.overflowed)
        return;
    if (form == FIELD_SCALAR)
        check_scalar(checker, shape.scalar, value);
    else if (form == FIELD_MAP && json_type(value) == JSON_OBJECT)
        check_members(checker, type, value, depth);
    else if (form == FIELD_MAP)
        check_container(checker, value, "map");
    else if (json_type(value) != JSON_ARRAY)
        check_container(checker, value, "list");
    else if (shape.list == SCHEMA_LIST_ATOMIC)
        check_elements(checker, type, value, depth);
    else
        check_items(checker, type, value, depth);
}

struct error *field_walk_check(struct field_walk *walk, struct field_type type,
                               const struct json_value *value, bool duplicates)
{
    struct checker checker = {
        .walk = walk,
        .problems = {.limit = PROBLEMS_MAX},
        .duplicates = duplicates,
    };
    struct error *err = NULL;
    check_value(&checker, type, value, 0);
    struct str text = buf_str(&checker.problems);
    text = str_slice(text, 0, text.len ? text.len - 1 : 0);
    if (checker.count == 1)
        text = str_skip(text, 2);
    if (checker.count)
        err =
            error_new(ERROR_UNKNOWN, "%s%.*s", checker.count > 1 ? "errors:\n" : "", STR_ARG(text));
    buf_done(&checker.problems);
    return err;
}
