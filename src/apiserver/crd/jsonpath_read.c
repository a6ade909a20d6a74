/*
 * Parses the text of a JSONPath to steps. Upstream: k8s.io/client-go/util/jsonpath/parser.go, whose
 * quirks are kept because definitions depend on them:
 *
 * - A filter ends at the first ")" outside of quotes, so that filters cannot contain parentheses.
 * - ['name'] is read as .name, with the escapes of plain names.
 * - An identifier that is no keyword parses, and fails when it is evaluated.
 * - Spaces, "@" and "$" between steps mean nothing.
 *
 * Filters, unions and quoted names contain texts that are parsed by the same functions; NESTING_MAX
 * bounds that recursion. Steps live in the arena of the path.
 */
#include <stdlib.h>

#include "apiserver/crd/jsonpath_internal.h"
#include "base/array.h"
#include "base/ascii.h"
#include "base/buf.h"
#include "base/map.h"
#include "json/builder.h"

#define NESTING_MAX 8

static struct error *read_steps(struct arena *arena, struct str text, unsigned nesting,
                                struct path_steps *ret_steps);

static struct path_step *add_step(struct arena *arena, struct path_steps *steps,
                                  enum step_type type)
{
    ARENA_ARRAY_PUSH(arena, steps->items, steps->count, steps->capacity,
                     (struct path_step){.type = type});
    return &steps->items[steps->count - 1];
}

/* Adds a literal as a step. The document of its value belongs to the arena. */
static struct error *finish_literal(struct arena *arena, struct json_builder *builder,
                                    struct path_steps *steps)
{
    struct json_doc *doc = NULL;
    TRY(json_builder_finish(builder, &doc));
    json_doc_hold(arena, doc);
    add_step(arena, steps, STEP_LITERAL)->literal = json_doc_root(doc);
    return NULL;
}

/* Characters that end a name, unless a backslash stands before them. */
static bool is_terminator(char c)
{
    return c == '\0' || memchr(" \t\r\n.,[]$@{}", c, 12) != NULL;
}

static bool is_word(char c)
{
    return c == '_' || ascii_is_alphanumeric(c) || (unsigned char)c >= 0x80;
}

/* Takes a name off the front, with its backslashes. */
static struct str take_name(struct str *rest)
{
    size_t len = 0;
    while (len < rest->len && !is_terminator(rest->ptr[len]))
        len += rest->ptr[len] == '\\' ? 2 : 1;
    const struct str name = str_slice(*rest, 0, len);
    *rest = str_skip(*rest, len);
    return name;
}

static struct str without_backslashes(struct arena *arena, struct str name)
{
    SCOPED(buf) text = {.limit = 0};
    for (size_t i = 0; i < name.len; i++)
        if (name.ptr[i] != '\\')
            buf_add_char(&text, name.ptr[i]);
    return arena_str(arena, buf_str(&text));
}

static void read_field(struct arena *arena, struct str *rest, struct path_steps *steps)
{
    const struct str name = take_name(rest);
    if (str_eq(name, STR("*")))
        add_step(arena, steps, STEP_WILDCARD);
    else
        add_step(arena, steps, STEP_FIELD)->name = without_backslashes(arena, name);
}

/*
 * Reads one of the up to three numbers of a slice. An empty text is an absent number; a plus sign
 * is not allowed.
 */
static bool read_bound(struct str text, int64_t *ret_number, bool *ret_known)
{
    *ret_known = text.len > 0;
    return text.len == 0 || (text.ptr[0] != '+' && str_to_int64(text, ret_number));
}

static struct error *read_slice(struct arena *arena, struct str text, struct path_steps *steps)
{
    struct path_slice slice = {.by = 1};
    struct str rest = text, part;
    const bool has_second = str_cut(&rest, ':', &part);
    bool ok = read_bound(part, &slice.from, &slice.has_from);
    const bool has_third = str_cut(&rest, ':', &part);
    ok = ok && read_bound(part, &slice.to, &slice.has_to) &&
         read_bound(rest, &slice.by, &slice.has_by);
    if (!ok || (has_third && str_find_char(rest, ':') != STR_NONE))
        return error_new(ERROR_PARSE, "invalid array index %.*s", STR_ARG(text));
    slice.is_index = !has_second;
    add_step(arena, steps, STEP_SLICE)->slice = slice;
    return NULL;
}

/* Reads [a,b]: each part is parsed as if it stood alone in brackets. */
static struct error *read_union(struct arena *arena, struct str text, unsigned nesting,
                                struct path_steps *steps)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == ',';
    struct path_steps *options = arena_alloc_array(arena, count, sizeof(options[0]));
    for (size_t i = 0; i < count; i++) {
        struct str option;
        str_cut(&text, ',', &option);
        option = arena_print(arena, "[%.*s]", STR_ARG(str_trim(option)));
        TRY(read_steps(arena, option, nesting + 1, &options[i]));
    }
    struct path_step *step = add_step(arena, steps, STEP_UNION);
    step->options = options;
    step->option_count = count;
    return NULL;
}

/* Reads what follows "[": a slice, an index, a wildcard, a union or a quoted name. */
static struct error *read_array(struct arena *arena, struct str *rest, unsigned nesting,
                                struct path_steps *steps)
{
    const size_t end = str_find_char(*rest, ']');
    if (end == STR_NONE)
        return error_new(ERROR_PARSE, "unterminated array");
    struct str text = str_slice(*rest, 0, end);
    *rest = str_skip(*rest, end + 1);
    if (str_eq(text, STR("*")))
        text = STR(":");
    if (str_find_char(text, ',') != STR_NONE)
        return read_union(arena, text, nesting, steps);
    if (text.len >= 2 && text.ptr[0] == '\'' &&
        str_find_char(str_skip(text, 1), '\'') == text.len - 2) {
        text = arena_print(arena, ".%.*s", STR_ARG(str_slice(text, 1, text.len - 1)));
        struct path_steps inner = {.items = NULL};
        TRY(read_steps(arena, text, nesting + 1, &inner));
        for (size_t i = 0; i < inner.count; i++)
            *add_step(arena, steps, STEP_FIELD) = inner.items[i];
        return NULL;
    }
    return read_slice(arena, text, steps);
}

static enum step_compare compare_from(struct str text)
{
    static const struct {
        struct str text;
        enum step_compare compare;
    } names[] = {
        {STR_INIT("<"),  COMPARE_LESS         },
        {STR_INIT(">"),  COMPARE_GREATER      },
        {STR_INIT("=="), COMPARE_EQUAL        },
        {STR_INIT("!="), COMPARE_NOT_EQUAL    },
        {STR_INIT("<="), COMPARE_LESS_EQUAL   },
        {STR_INIT(">="), COMPARE_GREATER_EQUAL},
    };
    for (size_t i = 0; i < COUNT(names); i++)
        if (str_eq(text, names[i].text))
            return names[i].compare;
    return COMPARE_UNKNOWN;
}

/* The length of a filter's text up to its ")". A parenthesis between quotes does not count. */
static size_t filter_len(struct str text)
{
    char quote = 0;
    bool closed = false;
    for (size_t i = 0; i < text.len && text.ptr[i] != '\n'; i++) {
        const char c = text.ptr[i];
        if ((c == '"' || c == '\'') && !quote)
            quote = c;
        else if (quote && c == quote && text.ptr[i - 1] != '\\')
            closed = true;
        else if (c == ')' && (quote != 0) == closed)
            return i;
    }
    return STR_NONE;
}

static bool is_operator(char c)
{
    return c == '!' || c == '<' || c == '>' || c == '=';
}

/*
 * Reads what follows "[?(". The first operator splits the text into two paths. Without one the
 * filter tests for existence.
 */
static struct error *read_filter(struct arena *arena, struct str *rest, unsigned nesting,
                                 struct path_steps *steps)
{
    const size_t len = filter_len(*rest);
    if (len == STR_NONE)
        return error_new(ERROR_PARSE, "unterminated filter");
    const struct str text = str_slice(*rest, 0, len);
    *rest = str_skip(*rest, len + 1);
    if (rest->len == 0 || rest->ptr[0] != ']')
        return error_new(ERROR_PARSE, "unclosed array expect ]");
    *rest = str_skip(*rest, 1);

    size_t from = 0, to;
    while (from < text.len && !is_operator(text.ptr[from]))
        from++;
    for (to = from; to < text.len && is_operator(text.ptr[to]);)
        to++;
    struct path_step step = {.type = STEP_FILTER};
    if (from > 0 && to > from && to < text.len) {
        step.compare = compare_from(str_slice(text, from, to));
        TRY(read_steps(arena, str_slice(text, 0, from), nesting + 1, &step.left));
        TRY(read_steps(arena, str_skip(text, to), nesting + 1, &step.right));
    } else {
        TRY(read_steps(arena, text, nesting + 1, &step.left));
    }
    *add_step(arena, steps, STEP_FILTER) = step;
    return NULL;
}

/* Reads what follows an opening quote. A backslash stands for the character behind it. */
static struct error *read_quote(struct arena *arena, struct str *rest, char quote,
                                struct path_steps *steps)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(json_builder) builder = {.limit = 0};
    size_t i = 0;
    for (; i < rest->len && rest->ptr[i] != quote && rest->ptr[i] != '\n'; i++) {
        if (rest->ptr[i] == '\\' && i + 1 < rest->len)
            i++;
        buf_add_char(&text, rest->ptr[i]);
    }
    if (i >= rest->len || rest->ptr[i] != quote)
        return error_new(ERROR_PARSE, "unterminated quoted string");
    *rest = str_skip(*rest, i + 1);
    json_builder_str(&builder, buf_str(&text));
    return finish_literal(arena, &builder, steps);
}

/* Whole numbers become integers, others doubles: the two do not compare with each other. */
static struct error *read_number(struct arena *arena, struct str *rest, struct path_steps *steps)
{
    size_t len = rest->ptr[0] == '+' || rest->ptr[0] == '-';
    while (len < rest->len && (rest->ptr[len] == '.' || ascii_is_digit(rest->ptr[len])))
        len++;
    const struct str text = str_slice(*rest, 0, len);
    SCOPED(json_builder) builder = {.limit = 0};
    const char *c = arena_c(arena, text);
    char *end;
    int64_t whole;
    const double number = strtod(c, &end);
    *rest = str_skip(*rest, len);
    if (str_to_int64(text.len && text.ptr[0] == '+' ? str_skip(text, 1) : text, &whole))
        json_builder_int(&builder, whole);
    else if (len > 0 && end == c + len && __builtin_isfinite(number))
        json_builder_double(&builder, number);
    else
        return error_new(ERROR_PARSE, "cannot parse number %.*s", STR_ARG(text));
    return finish_literal(arena, &builder, steps);
}

static struct error *read_identifier(struct arena *arena, struct str *rest,
                                     struct path_steps *steps)
{
    const struct str name = take_name(rest);
    SCOPED(json_builder) builder = {.limit = 0};
    if (!str_eq(name, STR("true")) && !str_eq(name, STR("false"))) {
        add_step(arena, steps, STEP_FAIL);
        return NULL;
    }
    json_builder_bool(&builder, str_eq(name, STR("true")));
    return finish_literal(arena, &builder, steps);
}

/* Reads what follows "..". The name of a field may stand right behind the dots. */
static struct error *read_recursive(struct arena *arena, struct str *rest, struct path_steps *steps)
{
    if (steps->count && steps->items[steps->count - 1].type == STEP_RECURSIVE)
        return error_new(ERROR_PARSE, "invalid multiple recursive descent");
    add_step(arena, steps, STEP_RECURSIVE);
    if (rest->len && is_word(rest->ptr[0]))
        read_field(arena, rest, steps);
    return NULL;
}

static bool take_prefix(struct str *rest, struct str prefix)
{
    if (!str_starts_with(*rest, prefix))
        return false;
    *rest = str_skip(*rest, prefix.len);
    return true;
}

/* Reads one step. The order of the tests matters: "[?(" before "[", ".." before ".". */
static struct error *read_step(struct arena *arena, struct str *rest, unsigned nesting,
                               struct path_steps *steps)
{
    const char c = rest->ptr[0];
    if (take_prefix(rest, STR("[?(")))
        return read_filter(arena, rest, nesting, steps);
    if (take_prefix(rest, STR("..")))
        return read_recursive(arena, rest, steps);
    if (take_prefix(rest, STR("[")))
        return read_array(arena, rest, nesting, steps);
    if (take_prefix(rest, STR("\"")) || take_prefix(rest, STR("'")))
        return read_quote(arena, rest, c, steps);
    if (take_prefix(rest, STR(" ")) || take_prefix(rest, STR("@")) || take_prefix(rest, STR("$")))
        return NULL;
    if (c == '+' || c == '-' || ascii_is_digit(c))
        return read_number(arena, rest, steps);
    if (take_prefix(rest, STR("."))) {
        read_field(arena, rest, steps);
        return NULL;
    }
    if (is_word(c))
        return read_identifier(arena, rest, steps);
    return error_new(ERROR_PARSE, "unrecognized character in action: '%c'", c);
}

static struct error *read_steps(struct arena *arena, struct str text, unsigned nesting,
                                struct path_steps *ret_steps)
{
    if (nesting > NESTING_MAX)
        return error_new(ERROR_PARSE, "nested too deeply");
    while (text.len > 0)
        TRY(read_step(arena, &text, nesting, ret_steps));
    return NULL;
}

struct error *jsonpath_compile(struct arena *arena, struct str text,
                               const struct jsonpath **ret_path)
{
    struct jsonpath *path = ARENA_NEW(arena, struct jsonpath);
    TRY(read_steps(arena, arena_str(arena, text), 0, &path->steps));
    *ret_path = path;
    return NULL;
}
