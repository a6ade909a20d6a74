/*
 * From the text of an expression to its program.
 *
 * The text is read once, from the front, and code is appended as it is read. Three things happen
 * after the fact: a repetition wraps the code of the atom before it (make_star() and its
 * neighbours), a '|' puts a split in front of the alternative read last (end_branch()), and a
 * ')' makes the whole group the atom of a following repetition (close_group()). Code is contiguous
 * and its jumps are relative, so that inserting steps in front of a piece does not change the
 * piece.
 *
 * Open groups are kept on an explicit stack, so that nesting takes no stack of the fiber. Limits
 * and messages are those of Go's regexp/syntax package.
 */
#include "base/array.h"
#include "base/ascii.h"
#include "base/regexp/regexp_class.h"
#include "base/regexp/regexp_internal.h"

#define REPEAT_MAX  1000 /* Go's */
#define NESTING_MAX 1000 /* Go's */

/* Steps that are moved to make room, all in all: some milliseconds. */
#define MOVES_MAX ((size_t)4 * 1000 * 1000)

/* An open group. The whole expression is the outermost one. */
struct group {
    size_t start;  /* of the group's code */
    size_t branch; /* of the alternative at work: its split, if one stands before it */
    size_t jump;   /* the last one, behind the alternative before it */
    bool has_jump;
    unsigned outer_flags;
};

/* The state of one compilation. */
struct compile {
    struct str all, rest;
    struct regexp_step *steps;
    size_t count, capacity;
    struct regexp_class ranges;
    struct group *groups;
    size_t depth, group_capacity;
    size_t moves;         /* left of MOVES_MAX */
    const char *last_end; /* the last ":]" of the expression; NULL for none */
    unsigned flags;
    size_t atom;   /* start of what a repetition would repeat; SIZE_MAX for nothing */
    struct str op; /* the repetition that stands directly before, if any */
};

static void compile_done(struct compile *compile)
{
    mem_free(compile->steps);
    mem_free(compile->groups);
    regexp_class_done(&compile->ranges);
}

struct error *regexp_syntax_error(const char *what, struct str where)
{
    return error_new(ERROR_INVALID, "error parsing regexp: %s: `%.*s`", what, STR_ARG(where));
}

/*
 * Makes room for count steps at a place. NULL when the program would become larger than
 * REGEXP_SIZE_MAX, or when groups in groups were moved too often.
 */
static struct regexp_step *make_room(struct compile *compile, size_t at, size_t count)
{
    const size_t moved = compile->count - at;
    if (count > REGEXP_SIZE_MAX - compile->count || moved > compile->moves)
        return NULL;
    compile->moves -= moved;
    compile->steps = array_reserve(compile->steps, &compile->capacity, compile->count + count,
                                   sizeof(compile->steps[0]));
    memmove(&compile->steps[at + count], &compile->steps[at],
            (compile->count - at) * sizeof(compile->steps[0]));
    compile->count += count;
    return &compile->steps[at];
}

static struct error *insert_step(struct compile *compile, size_t at, struct regexp_step step)
{
    struct regexp_step *room = make_room(compile, at, 1);
    if (!room)
        return regexp_syntax_error("expression too large", compile->all);
    *room = step;
    return NULL;
}

/* Appends a step that a repetition may follow. */
static struct error *add_atom(struct compile *compile, struct regexp_step step)
{
    compile->atom = compile->count;
    return insert_step(compile, compile->count, step);
}

/* Ranges of all classes stand in one array. A step refers to its part by position and number. */
static struct error *add_class(struct compile *compile, struct regexp_class *class)
{
    regexp_class_normalize(class);
    if (class->count > REGEXP_RANGES_MAX - compile->ranges.count)
        return regexp_syntax_error("expression too large", compile->all);
    const struct regexp_step step = {STEP_RANGES, (int32_t)compile->ranges.count,
                                     (int32_t) class->count};
    for (size_t i = 0; i < class->count; i++)
        regexp_class_add(&compile->ranges, class->items[i].low, class->items[i].high);
    return add_atom(compile, step);
}

static struct error *add_rune(struct compile *compile, uint32_t rune)
{
    SCOPED(regexp_class) class = {.items = NULL};
    regexp_class_add(&class, rune, rune);
    if (compile->flags & REGEXP_FOLD)
        regexp_class_fold(&class);
    return add_class(compile, &class);
}

/* Without (?s) a dot accepts every character but a newline. */
static struct error *add_dot(struct compile *compile)
{
    SCOPED(regexp_class) class = {.items = NULL};
    if (compile->flags & REGEXP_DOT_ALL) {
        regexp_class_add(&class, 0, RUNE_MAX);
    } else {
        regexp_class_add(&class, 0, '\n' - 1);
        regexp_class_add(&class, '\n' + 1, RUNE_MAX);
    }
    return add_class(compile, &class);
}

static struct error *add_place(struct compile *compile, enum regexp_place place)
{
    return add_atom(compile, (struct regexp_step){STEP_ASSERT, (int32_t)place, 0});
}

/* Repetition wraps the code from atom to the end. "a?" is: split to a or behind it; a. */
static struct error *make_optional(struct compile *compile, size_t atom)
{
    const int32_t len = (int32_t)(compile->count - atom);
    return insert_step(compile, atom, (struct regexp_step){STEP_SPLIT, 1, len + 1});
}

/* "a+" is: a; split back to a or on. */
static struct error *make_plus(struct compile *compile, size_t atom)
{
    const int32_t len = (int32_t)(compile->count - atom);
    return insert_step(compile, compile->count, (struct regexp_step){STEP_SPLIT, -len, 1});
}

static struct error *make_star(struct compile *compile, size_t atom)
{
    TRY(make_plus(compile, atom));
    return make_optional(compile, atom);
}

/* Appends a copy of a piece of code. */
static struct error *add_copy(struct compile *compile, size_t from, size_t len)
{
    struct regexp_step *room = make_room(compile, compile->count, len);
    if (!room)
        return regexp_syntax_error("expression too large", compile->all);
    memcpy(room, &compile->steps[from], len * sizeof(*room));
    return NULL;
}

/*
 * Between min and max times; a negative max means without end. The code is copied: x{2,4} becomes
 * xx(x)?(x)?, which accepts the same texts as Go's nested form.
 */
static struct error *make_repeat(struct compile *compile, size_t atom, int64_t min, int64_t max)
{
    const size_t len = compile->count - atom;
    if (max < 0 && min == 0)
        return make_star(compile, atom);
    for (int64_t i = 1; i < min; i++)
        TRY(add_copy(compile, atom, len));
    if (max < 0)
        return make_plus(compile, compile->count - len);
    if (min == 0 && max == 0) {
        compile->count = atom;
        return NULL;
    }
    size_t first = atom;
    if (min == 0) {
        TRY(make_optional(compile, atom));
        first++; /* the piece itself moved by the step before it */
    }
    for (int64_t i = min > 0 ? min : 1; i < max; i++) {
        const size_t copy = compile->count;
        TRY(add_copy(compile, first, len));
        TRY(make_optional(compile, copy));
    }
    return NULL;
}

/*
 * Takes "{2}", "{2,}" or "{2,5}". False for anything else, which is plain text. Counts above
 * REPEAT_MAX are reported as REPEAT_MAX + 1.
 */
static bool take_counts(struct str *rest, int64_t *ret_min, int64_t *ret_max)
{
    struct str inner = str_skip(*rest, 1), counts, min;
    size_t len = 0;
    while (len < inner.len && (ascii_is_digit(inner.ptr[len]) || inner.ptr[len] == ','))
        len++;
    if (len == inner.len || inner.ptr[len] != '}')
        return false;
    counts = str_slice(inner, 0, len);
    inner = str_skip(inner, len + 1);
    const bool has_max = str_cut(&counts, ',', &min);
    uint64_t low = 0, high = 0;
    if (!str_to_uint64(min, &low) || min.ptr[0] == '+')
        return false;
    if (has_max && counts.len && (!str_to_uint64(counts, &high) || counts.ptr[0] == '+'))
        return false;
    *ret_min = low > REPEAT_MAX ? REPEAT_MAX + 1 : (int64_t)low;
    *ret_max = !has_max      ? *ret_min
               : !counts.len ? -1
                             : (high > REPEAT_MAX ? REPEAT_MAX + 1 : (int64_t)high);
    *rest = inner;
    return true;
}

static struct error *apply_repeat(struct compile *compile, char c, int64_t min, int64_t max)
{
    const size_t atom = compile->atom;
    switch (c) {
    case '*':
        return make_star(compile, atom);
    case '+':
        return make_plus(compile, atom);
    case '?':
        return make_optional(compile, atom);
    default:
        return make_repeat(compile, atom, min, max);
    }
}

/*
 * Takes a repetition and a '?' behind it, which asks for the shortest match and changes nothing
 * here. Sets *ret_taken to false for a brace that is plain text.
 */
static struct error *take_repeat(struct compile *compile, bool *ret_taken)
{
    const struct str before = compile->rest;
    const char c = before.ptr[0];
    int64_t min = 0, max = 0;
    *ret_taken = true;
    if (c != '{')
        compile->rest = str_skip(before, 1);
    else if (!take_counts(&compile->rest, &min, &max))
        return *ret_taken = false, NULL;
    /* A question mark behind prefers few, which makes no difference to whether there is a match. */
    if (compile->rest.len && compile->rest.ptr[0] == '?')
        compile->rest = str_skip(compile->rest, 1);
    const struct str op = str_slice(before, 0, before.len - compile->rest.len);
    if (compile->op.len)
        return regexp_syntax_error("invalid nested repetition operator",
                                   str_from(compile->op.ptr, compile->op.len + op.len));
    if (compile->atom == SIZE_MAX)
        return regexp_syntax_error("missing argument to repetition operator", op);
    if (min > REPEAT_MAX || max > REPEAT_MAX || (max >= 0 && min > max))
        return regexp_syntax_error("invalid repeat count", op);
    TRY(apply_repeat(compile, c, min, max));
    compile->op = op;
    compile->atom = SIZE_MAX;
    return NULL;
}

/* Groups and alternatives. outer_flags are restored at the end of the group. */
static struct error *open_group(struct compile *compile, unsigned outer_flags)
{
    if (compile->depth == NESTING_MAX)
        return regexp_syntax_error("expression nests too deeply", compile->all);
    const struct group group = {
        .start = compile->count, .branch = compile->count, .outer_flags = outer_flags};
    ARRAY_PUSH(compile->groups, compile->depth, compile->group_capacity, group);
    compile->atom = SIZE_MAX;
    return NULL;
}

/*
 * Ends an alternative at a '|'. "a|b|c" is: split to a or on; a; jump to the end; split to b or on;
 * b; jump to the end; c. Until the end is known a jump tells how far back the one before it is.
 */
static struct error *end_branch(struct compile *compile)
{
    struct group *group = &compile->groups[compile->depth - 1];
    const int32_t len = (int32_t)(compile->count - group->branch);
    TRY(insert_step(compile, group->branch, (struct regexp_step){STEP_SPLIT, 1, len + 2}));
    const size_t jump = compile->count;
    const int32_t back = group->has_jump ? (int32_t)(jump - group->jump) : 0;
    TRY(insert_step(compile, jump, (struct regexp_step){STEP_JUMP, back, 0}));
    group->has_jump = true;
    group->jump = jump;
    group->branch = compile->count;
    compile->atom = SIZE_MAX;
    return NULL;
}

/* Lets the jumps of a group lead behind it. */
static void end_jumps(struct compile *compile, const struct group *group)
{
    int32_t back = 1;
    for (size_t at = group->jump; group->has_jump && back; at -= (size_t)back) {
        struct regexp_step *jump = &compile->steps[at];
        back = jump->x;
        jump->x = (int32_t)(compile->count - at);
    }
}

static struct error *close_group(struct compile *compile)
{
    if (compile->depth == 1)
        return regexp_syntax_error("unexpected )", compile->all);
    const struct group group = compile->groups[--compile->depth];
    end_jumps(compile, &group);
    compile->flags = group.outer_flags;
    compile->atom = group.start;
    return NULL;
}

static bool is_group_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!ascii_is_alphanumeric(name.ptr[i]) && name.ptr[i] != '_')
            return false;
    return name.len > 0;
}

/*
 * whole begins with "(?P<" or "(?<", whose length is skip. Names must be well formed but mean
 * nothing here.
 */
static struct error *take_name(struct compile *compile, struct str whole, size_t skip)
{
    struct str rest = str_skip(whole, skip), name;
    if (!str_cut(&rest, '>', &name) || !is_group_name(name))
        return regexp_syntax_error("invalid named capture",
                                   str_slice(whole, 0, skip + name.len + 1));
    compile->rest = rest;
    return open_group(compile, compile->flags);
}

/* "(?i-s)" sets flags for the rest of the group around it, "(?i:" opens a group that has them. */
static struct error *take_flags(struct compile *compile, struct str whole)
{
    static const char letters[] = "imsU";
    unsigned flags = compile->flags;
    bool negative = false;
    for (size_t i = 2; i < whole.len; i++) {
        const char c = whole.ptr[i], *letter = memchr(letters, c, sizeof(letters) - 1);
        if (letter) {
            const unsigned flag = 1U << (unsigned)(letter - letters);
            flags = negative ? flags & ~flag : flags | flag;
        } else if (c == '-' && !negative) {
            negative = true;
        } else if (c == ':' || c == ')') {
            const unsigned outer = compile->flags;
            compile->rest = str_skip(whole, i + 1);
            compile->flags = flags;
            compile->atom = SIZE_MAX;
            return c == ':' ? open_group(compile, outer) : NULL;
        } else {
            return regexp_syntax_error("invalid or unsupported Perl syntax",
                                       str_slice(whole, 0, i + 1));
        }
    }
    return regexp_syntax_error("missing closing )", compile->all);
}

static struct error *take_group(struct compile *compile)
{
    const struct str whole = compile->rest;
    if (str_starts_with(whole, STR("(?P<")))
        return take_name(compile, whole, 4);
    if (str_starts_with(whole, STR("(?<")) && !str_starts_with(whole, STR("(?<=")) &&
        !str_starts_with(whole, STR("(?<!")))
        return take_name(compile, whole, 3);
    if (str_starts_with(whole, STR("(?")))
        return take_flags(compile, whole);
    compile->rest = str_skip(whole, 1);
    return open_group(compile, compile->flags);
}

/* "\Q…\E": everything in between is plain text. The end may be missing. */
static struct error *take_quoted(struct compile *compile)
{
    struct str text = str_skip(compile->rest, 2);
    const size_t end = str_find(text, STR("\\E"));
    compile->rest = end == STR_NONE ? STR("") : str_skip(text, end + 2);
    text = str_slice(text, 0, end == STR_NONE ? text.len : end);
    while (text.len)
        TRY(add_rune(compile, regexp_take_rune(&text)));
    return NULL;
}

/* An escape outside of a class: a quotation, an assertion, a class by name or a character. */
static struct error *take_escape(struct compile *compile)
{
    static const struct {
        char letter;
        enum regexp_place place;
    } places[] = {
        {'A', AT_TEXT_START   },
        {'z', AT_TEXT_END     },
        {'b', AT_WORD_EDGE    },
        {'B', NOT_AT_WORD_EDGE}
    };
    const struct str whole = compile->rest;
    if (whole.len > 1 && whole.ptr[1] == 'Q')
        return take_quoted(compile);
    for (size_t i = 0; whole.len > 1 && i < COUNT(places); i++)
        if (whole.ptr[1] == places[i].letter) {
            compile->rest = str_skip(whole, 2);
            return add_place(compile, places[i].place);
        }
    SCOPED(regexp_class) class = {.items = NULL};
    uint32_t rune = 0;
    bool taken;
    if (regexp_class_take_perl(&compile->rest, &class))
        return add_class(compile, &class);
    TRY(regexp_class_take_unicode(&compile->rest, &class, &taken));
    if (taken)
        return add_class(compile, &class);
    TRY(regexp_class_take_escape(&compile->rest, &rune));
    return add_rune(compile, rune);
}

static struct error *take_class(struct compile *compile)
{
    SCOPED(regexp_class) class = {.items = NULL};
    TRY(regexp_class_take(&compile->rest, compile->last_end, compile->flags, &class));
    return add_class(compile, &class);
}

/* Takes one element that is not a repetition. */
static struct error *take_one(struct compile *compile)
{
    const char c = compile->rest.ptr[0];
    const bool multi_line = compile->flags & REGEXP_MULTI_LINE;
    switch (c) {
    case '(':
        return take_group(compile);
    case '[':
        return take_class(compile);
    case '\\':
        return take_escape(compile);
    default:
        break;
    }
    if (str_char_len(compile->rest) == 0)
        return regexp_syntax_error("invalid UTF-8", compile->rest);
    const uint32_t rune = regexp_take_rune(&compile->rest);
    switch (rune) {
    case '|':
        return end_branch(compile);
    case ')':
        return close_group(compile);
    case '.':
        return add_dot(compile);
    case '^':
        return add_place(compile, multi_line ? AT_LINE_START : AT_TEXT_START);
    case '$':
        return add_place(compile, multi_line ? AT_LINE_END : AT_TEXT_END);
    default:
        return add_rune(compile, rune);
    }
}

/*
 * compile->op is the text of a repetition directly in front, so that "a**" can be reported as Go
 * does.
 */
static struct error *compile_all(struct compile *compile)
{
    TRY(open_group(compile, 0));
    while (compile->rest.len) {
        const char c = compile->rest.ptr[0];
        bool taken = false;
        if (c == '*' || c == '+' || c == '?' || c == '{')
            TRY(take_repeat(compile, &taken));
        if (taken)
            continue;
        compile->op = STR("");
        TRY(take_one(compile));
    }
    if (compile->depth > 1)
        return regexp_syntax_error("missing closing )", compile->all);
    end_jumps(compile, &compile->groups[0]);
    return NULL;
}

static const char *find_last_end(struct str text)
{
    for (size_t i = text.len; i >= 2; i--)
        if (text.ptr[i - 2] == ':' && text.ptr[i - 1] == ']')
            return text.ptr + i - 2;
    return NULL;
}

/* The program is compiled on the heap and copied to the arena at its exact size. */
struct error *regexp_compile(struct arena *arena, struct str text, const struct regexp **ret_regexp)
{
    __attribute__((cleanup(compile_done))) struct compile compile = {
        .all = text,
        .rest = text,
        .atom = SIZE_MAX,
        .moves = MOVES_MAX,
        .last_end = find_last_end(text),
    };
    if (text.len > REGEXP_TEXT_MAX)
        return error_new(ERROR_INVALID,
                         "error parsing regexp: expression too large: %zu bytes, at most %zu are "
                         "taken",
                         text.len, REGEXP_TEXT_MAX);
    TRY(compile_all(&compile));
    struct regexp_step *steps = arena_alloc_array(arena, compile.count, sizeof(*steps));
    struct regexp_range *ranges = arena_alloc_array(arena, compile.ranges.count, sizeof(*ranges));
    if (compile.count)
        memcpy(steps, compile.steps, compile.count * sizeof(*steps));
    if (compile.ranges.count)
        memcpy(ranges, compile.ranges.items, compile.ranges.count * sizeof(*ranges));
    struct regexp *regexp = ARENA_NEW(arena, struct regexp);
    *regexp = (struct regexp){steps, compile.count, ranges};
    *ret_regexp = regexp;
    return NULL;
}
