/* One requirement of a selector: its checks and its order. */
#include "apimachinery/field_error.h"
#include "apimachinery/selector_internal.h"
#include "apimachinery/validation.h"

int selector_cmp_str(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

bool selector_to_int64(struct str s, int64_t *ret_number)
{
    if (str_starts_with(s, STR("+")) && !str_starts_with(s, STR("+-")))
        s = str_skip(s, 1);
    return str_to_int64(s, ret_number);
}

/* One error for a value, its messages joined. */
static void add_messages(struct field_errors *errors, struct str field, struct str value,
                         const struct validation *found)
{
    SCOPED(buf) detail = {.limit = 0};
    for (size_t i = 0; i < found->count; i++) {
        buf_add(&detail, i ? STR("; ") : STR(""));
        buf_add(&detail, found->messages[i]);
    }
    if (found->count)
        field_errors_add_str(errors, FIELD_INVALID, field, value, buf_str(&detail));
}

static struct error *to_error(enum error_code code, const struct field_errors *errors)
{
    SCOPED(buf) text = {.limit = 0};
    if (errors->count == 0)
        return NULL;
    field_errors_write(&text, errors);
    return error_new(code, "%.*s", STR_ARG(buf_str(&text)));
}

struct error *requirement_check_key(struct str key)
{
    SCOPED(arena) arena = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    const struct validation found = validation_label_key(key);
    add_messages(&errors, STR(""), key, &found);
    return to_error(ERROR_BAD_REQUEST, &errors);
}

/* The list of values as a message shows it: null when it is empty. */
static void add_values(struct field_errors *errors, const struct requirement *wanted,
                       struct str detail)
{
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    buf_add(&text, wanted->count ? STR("") : STR("null"));
    for (size_t i = 0; i < wanted->count; i++) {
        buf_add_char(&text, i ? ',' : '[');
        buf_add_json_string(&text, wanted->values[i]);
    }
    buf_add(&text, wanted->count ? STR("]") : STR(""));
    error_free(json_read(buf_str(&text), &doc));
    field_errors_add_value(errors, FIELD_INVALID, STR("values"), json_doc_root(doc), detail);
}

static void check_integers(struct field_errors *errors, const struct requirement *wanted)
{
    int64_t number;
    for (size_t i = 0; i < wanted->count; i++)
        if (!selector_to_int64(wanted->values[i], &number))
            field_errors_add_str(errors, FIELD_INVALID,
                                 arena_print(errors->arena, "values[%zu]", i), wanted->values[i],
                                 STR("for 'Gt', 'Lt' operators, the value must be an integer"));
}

static void check_count(struct field_errors *errors, const struct requirement *wanted)
{
    switch (wanted->op) {
    case SELECTOR_IN:
    case SELECTOR_NOT_IN:
        if (wanted->count == 0)
            add_values(errors, wanted,
                       STR("for 'in', 'notin' operators, values set can't be empty"));
        break;
    case SELECTOR_EXISTS:
    case SELECTOR_DOES_NOT_EXIST:
        if (wanted->count > 0)
            add_values(errors, wanted,
                       STR("values set must be empty for exists and does not exist"));
        break;
    case SELECTOR_GREATER_THAN:
    case SELECTOR_LESS_THAN:
        check_integers(errors, wanted);
        break;
    default:
        break; /* both readers give one value for these */
    }
}

static void check_values(struct field_errors *errors, const struct requirement *wanted)
{
    for (size_t i = 0; i < wanted->count; i++) {
        const struct validation found = validation_label_value(wanted->values[i]);
        if (found.count)
            add_messages(errors,
                         arena_print(errors->arena, "values[%zu][%.*s]", i, STR_ARG(wanted->key)),
                         wanted->values[i], &found);
    }
}

struct error *requirement_make(struct arena *arena, enum error_code code,
                               const struct requirement *wanted,
                               struct requirement *ret_requirement)
{
    SCOPED(arena) scratch = {.limit = 0};
    struct field_errors errors = {.arena = &scratch};
    const struct validation found = validation_label_key(wanted->key);
    add_messages(&errors, STR("key"), wanted->key, &found);
    check_count(&errors, wanted);
    check_values(&errors, wanted);
    TRY(to_error(code, &errors));
    struct requirement made = {arena_str(arena, wanted->key), wanted->op, NULL, 0};
    made.values = arena_alloc_array(arena, wanted->count, sizeof(struct str));
    for (; made.count < wanted->count; made.count++)
        made.values[made.count] = arena_str(arena, wanted->values[made.count]);
    if (made.count)
        qsort(made.values, made.count, sizeof(struct str), selector_cmp_str);
    *ret_requirement = made;
    return arena_check(arena);
}

/* Pointers into one array: where keys are equal, their own order decides. */
static int cmp_requirement(const void *a, const void *b)
{
    const struct requirement *left = *(const struct requirement *const *)a;
    const struct requirement *right = *(const struct requirement *const *)b;
    const int cmp = str_cmp(left->key, right->key);
    return cmp ? cmp : (left > right) - (left < right);
}

void selector_sort(struct arena *arena, struct selector *selector)
{
    if (selector->count < 2)
        return;
    const struct requirement **order =
        arena_alloc_array(arena, selector->count, sizeof(const struct requirement *));
    struct requirement *sorted =
        arena_alloc_array(arena, selector->count, sizeof(struct requirement));
    for (size_t i = 0; i < selector->count; i++)
        order[i] = &selector->items[i];
    qsort(order, selector->count, sizeof(const struct requirement *), cmp_requirement);
    for (size_t i = 0; i < selector->count; i++)
        sorted[i] = *order[i];
    selector->items = sorted;
}
