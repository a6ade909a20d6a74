#include "peers/differential/causes.h"

#include "base/array.h"
#include "json/path.h"
#include "peers/conformance/wording.h"

#define INVALID_STATUS 422
#define NOT_FOUND      404

struct cause {
    struct str field, message;
};

struct causes {
    struct cause *items;
    size_t count, capacity;
};

static const struct json_value *causes_of(const struct causes_answer *answer)
{
    return answer->status == INVALID_STATUS ? json_path(answer->body, "details.causes") : NULL;
}

static bool has_causes_or_success(const struct causes_answer *answer)
{
    return json_count(causes_of(answer)) > 0 || answer->status / 100 == 2;
}

bool causes_are_comparable(const struct causes_answer *real, const struct causes_answer *corset)
{
    if (json_count(causes_of(real)) > 0)
        return corset->status != NOT_FOUND;
    return json_count(causes_of(corset)) > 0 && has_causes_or_success(real);
}

/*
 * Where the value ends that begins the text: a document in braces, or a text in quotes. Braces and
 * brackets in texts do not count.
 */
static size_t end_of_value(struct str text)
{
    size_t depth = 0;
    bool is_quoted = false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (is_quoted && c == '\\') {
            i++;
            continue;
        }
        if (c == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && (c == '{' || c == '['))
            depth++;
        else if (!is_quoted && (c == '}' || c == ']'))
            depth--;
        if (depth == 0 && !is_quoted)
            return i + 1;
    }
    return text.len;
}

/* Whether this is a document, or a text that has one in it. */
static bool is_document(struct str value)
{
    return str_starts_with(value, STR("{")) || str_starts_with(value, STR("\"{")) ||
           str_starts_with(value, STR("\"[")) || str_starts_with(value, STR("\"map["));
}

/*
 * The message without what is written otherwise by design: objects, which kube-apiserver prints as
 * Go's structs and corset as JSON, and differences of two structs, line by line.
 */
static struct str plain_message(struct arena *arena, struct str message)
{
    const struct str value = STR(" value: ");
    const size_t line = str_find_char(message, '\n');
    if (line != STR_NONE)
        message = str_slice(message, 0, line);
    const size_t at = str_find(message, value);
    if (at == STR_NONE || !is_document(str_skip(message, at + value.len)))
        return message;
    const struct str rest = str_skip(message, at + value.len);
    return arena_print(arena, "%.*s{...}%.*s", STR_ARG(str_slice(message, 0, at + value.len)),
                       STR_ARG(str_skip(rest, end_of_value(rest))));
}

/* The order of several faults in one message does not count. */
static bool is_same_cause(struct arena *arena, const struct cause *a, const struct cause *b)
{
    return str_eq(a->field, b->field) &&
           (str_eq(a->message, b->message) || wording_is_same_list(arena, a->message, b->message));
}

static bool has_cause(struct arena *arena, const struct causes *causes, const struct cause *cause)
{
    for (size_t i = 0; i < causes->count; i++)
        if (is_same_cause(arena, &causes->items[i], cause))
            return true;
    return false;
}

/* Each cause once, with uids and times that cannot be the same on both sides masked. */
static struct causes read_causes(struct arena *arena, const struct causes_answer *answer)
{
    struct causes causes = {0};
    const struct json_value *item;
    JSON_FOREACH (key, item, causes_of(answer)) {
        const struct cause cause = {
            json_path_str(item, "field"),
            wording_mask_moving(arena, plain_message(arena, json_path_str(item, "message"))),
        };
        if (!has_cause(arena, &causes, &cause))
            ARENA_ARRAY_PUSH(arena, causes.items, causes.count, causes.capacity, cause);
    }
    return causes;
}

/* What the first has and the second lacks. */
static struct causes leave_out(struct arena *arena, const struct causes *from,
                               const struct causes *what)
{
    struct causes left = {0};
    for (size_t i = 0; i < from->count; i++)
        if (!has_cause(arena, what, &from->items[i]))
            ARENA_ARRAY_PUSH(arena, left.items, left.count, left.capacity, from->items[i]);
    return left;
}

/* Takes the first cause of the field out; NULL when there is none. */
static const struct cause *take_field(struct causes *causes, struct str field)
{
    for (size_t i = 0; i < causes->count; i++)
        if (causes->items[i].field.ptr && str_eq(causes->items[i].field, field)) {
            struct cause *cause = &causes->items[i];
            cause->field = (struct str){0};
            return cause;
        }
    return NULL;
}

/* "Pod "a" is invalid" of the message; nothing where no error is told. */
static struct str subject_of(const struct causes_answer *answer)
{
    const struct str message = json_path_str(answer->body, "message");
    const size_t end = str_find(message, STR(" is invalid: "));
    return causes_of(answer) && end != STR_NONE ? str_slice(message, 0, end) : STR("");
}

static void compare_subjects(const struct causes_answer *real, const struct causes_answer *corset,
                             struct differences *differences)
{
    const struct str was = subject_of(real), is = subject_of(corset);
    if (was.len && is.len && !str_eq(was, is))
        DIFFERENCES_PRINT(differences, STR(CAUSES_PLACE), "expected %.*s\n          got %.*s",
                          STR_ARG(was), STR_ARG(is));
}

void causes_compare(const struct causes_answer *real, const struct causes_answer *corset,
                    struct differences *differences)
{
    struct arena *arena = differences->arena;
    const struct str place = STR(CAUSES_PLACE);
    const struct causes expected = read_causes(arena, real), got = read_causes(arena, corset);
    const struct causes missing = leave_out(arena, &expected, &got);
    struct causes unexpected = leave_out(arena, &got, &expected);
    compare_subjects(real, corset, differences);
    for (size_t i = 0; i < missing.count; i++) {
        const struct cause *cause = &missing.items[i];
        const struct cause *other = take_field(&unexpected, cause->field);
        if (other)
            DIFFERENCES_PRINT(differences, place, "expected %.*s: %.*s\n          got %.*s",
                              STR_ARG(cause->field), STR_ARG(cause->message),
                              STR_ARG(other->message));
        else
            DIFFERENCES_PRINT(differences, place, "missing: %.*s: %.*s", STR_ARG(cause->field),
                              STR_ARG(cause->message));
    }
    for (size_t i = 0; i < unexpected.count; i++)
        if (unexpected.items[i].field.ptr)
            DIFFERENCES_PRINT(differences, place, "unexpected: %.*s: %.*s",
                              STR_ARG(unexpected.items[i].field),
                              STR_ARG(unexpected.items[i].message));
}
