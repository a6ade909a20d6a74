/*
 * Syntax of the schedules of CronJobs: five fields, or a descriptor such as @daily or "@every 1h".
 *
 * Messages and the order of checks are those of github.com/robfig/cron/v3 (parser.go). The
 * functions return NULL for success, or the message of the first error, in the arena. Schedules are
 * checked, not evaluated.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/ascii.h"
#include "base/duration.h"
#include "base/quote.h"

/* A field of a schedule and its range. Months and days of the week have names. */
struct cron_field {
    const char *name;
    int64_t min, max;
    const char *names; /* of months or days, in order, three letters each */
};

static const struct cron_field fields[] = {
    {"minute",       0, 59, NULL                                  },
    {"hour",         0, 23, NULL                                  },
    {"day of month", 1, 31, NULL                                  },
    {"month",        1, 12, "janfebmaraprmayjunjulaugsepoctnovdec"},
    {"day of week",  0, 6,  "sunmontuewedthufrisat"               },
};

/* Reads the name of a month or day, in any case. */
static bool read_name(struct str text, const struct cron_field *field, int64_t *ret_value)
{
    if (!field->names || text.len != 3)
        return false;
    for (size_t at = 0; field->names[at]; at += 3)
        if (str_eq_nocase(text, str_from(field->names + at, 3))) {
            *ret_value = field->min + (int64_t)(at / 3);
            return true;
        }
    return false;
}

/* Whether a text has the form of a number, however large. */
static bool is_number(struct str text)
{
    size_t i = text.len && (text.ptr[0] == '-' || text.ptr[0] == '+') ? 1 : 0;
    if (i == text.len)
        return false;
    while (i < text.len && ascii_is_digit(text.ptr[i]))
        i++;
    return i == text.len;
}

/* As Go's strconv.Atoi(), which takes a plus sign. */
static bool read_number(struct str text, int64_t *ret_number)
{
    const bool has_plus = str_starts_with(text, STR("+")) && is_number(text);
    return str_to_int64(has_plus ? str_skip(text, 1) : text, ret_number);
}

/* Reads a number or a name. Range checks follow in check_range(). */
static const char *read_value(struct arena *arena, struct str text, const struct cron_field *field,
                              int64_t *ret_value)
{
    int64_t number;
    if (read_name(text, field, ret_value))
        return NULL;
    if (!read_number(text, &number)) {
        SCOPED(buf) quoted = {.limit = 0};
        str_quote_go(&quoted, text);
        return arena_print(arena, "failed to parse int from %.*s: strconv.Atoi: parsing %.*s: %s",
                           STR_ARG(text), STR_ARG(buf_str(&quoted)),
                           is_number(text) ? "value out of range" : "invalid syntax")
            .ptr;
    }
    if (number < 0)
        return arena_print(arena, "negative number (%lld) not allowed: %.*s", (long long)number,
                           STR_ARG(text))
            .ptr;
    *ret_value = number;
    return NULL;
}

/* A part of a field: from low to high in steps. */
struct range {
    int64_t low, high, step;
};

/*
 * Reads "*", "?", "5" or "1-5". A single number with a step, "5/15", runs to the maximum. What
 * follows "*-" is ignored.
 */
static const char *read_bounds(struct arena *arena, struct str text, struct str bounds,
                               const struct cron_field *field, struct range *range)
{
    struct str rest = bounds, low;
    const bool has_end = str_cut(&rest, '-', &low);
    if (str_eq(low, STR("*")) || str_eq(low, STR("?"))) {
        *range = (struct range){field->min, field->max, 1};
        return NULL;
    }
    const char *wrong = read_value(arena, low, field, &range->low);
    range->high = bounds.len < text.len && !has_end ? field->max : range->low;
    range->step = 1;
    if (!wrong && has_end && str_find_char(rest, '-') != STR_NONE)
        return ARENA_JOIN(arena, STR("too many hyphens: "), text).ptr;
    if (!wrong && has_end)
        wrong = read_value(arena, rest, field, &range->high);
    return wrong;
}

static const char *check_range(struct arena *arena, const struct range *range, struct str text,
                               const struct cron_field *field)
{
    const long long low = range->low, high = range->high;
    if (low < field->min)
        return arena_print(arena, "beginning of range (%lld) below minimum (%lld): %.*s", low,
                           (long long)field->min, STR_ARG(text))
            .ptr;
    if (high > field->max)
        return arena_print(arena, "end of range (%lld) above maximum (%lld): %.*s", high,
                           (long long)field->max, STR_ARG(text))
            .ptr;
    if (low > high)
        return arena_print(arena, "beginning of range (%lld) beyond end of range (%lld): %.*s", low,
                           high, STR_ARG(text))
            .ptr;
    if (range->step == 0)
        return arena_print(arena, "step of range should be a positive number: %.*s", STR_ARG(text))
            .ptr;
    return NULL;
}

/* Checks one part of a field: bounds, with a step such as "/2" behind them. */
static const char *check_part(struct arena *arena, struct str text, const struct cron_field *field)
{
    struct range range = {0, 0, 1};
    struct str step = text, bounds;
    const bool has_step = str_cut(&step, '/', &bounds);
    const char *wrong = read_bounds(arena, text, bounds, field, &range);
    if (!wrong && has_step && str_find_char(step, '/') != STR_NONE)
        return ARENA_JOIN(arena, STR("too many slashes: "), text).ptr;
    if (!wrong && has_step)
        wrong = read_value(arena, step, &(struct cron_field){.name = "step"}, &range.step);
    return wrong ? wrong : check_range(arena, &range, text, field);
}

/* Checks the parts of a field, which commas separate. Empty parts are skipped, as upstream. */
static const char *check_field(struct arena *arena, struct str text, const struct cron_field *field)
{
    const char *wrong = NULL;
    bool more = true;
    while (more && !wrong) {
        struct str part;
        more = str_cut(&text, ',', &part);
        if (part.len > 0)
            wrong = check_part(arena, part, field);
    }
    return wrong;
}

/* Takes the characters off the front that are digits, or that are neither digits nor a dot. */
static struct str take_run(struct str *rest, bool digits)
{
    size_t len = 0;
    while (len < rest->len && ascii_is_digit(rest->ptr[len]) == digits &&
           (digits || rest->ptr[len] != '.'))
        len++;
    const struct str run = str_slice(*rest, 0, len);
    *rest = str_skip(*rest, len);
    return run;
}

/* The message of Go's time.ParseDuration() for the first fault of a text that is no duration. */
static const char *describe_duration(struct arena *arena, struct str text)
{
    static const char *const units = "ns|us|\u00b5s|\u03bcs|ms|s|m|h";
    SCOPED(buf) quoted = {.limit = 0};
    struct str rest = text;
    if (rest.len && (rest.ptr[0] == '-' || rest.ptr[0] == '+'))
        rest = str_skip(rest, 1);
    str_quote_go(&quoted, text);
    while (rest.len) {
        size_t digits = take_run(&rest, true).len;
        if (str_starts_with(rest, STR("."))) {
            rest = str_skip(rest, 1);
            digits += take_run(&rest, true).len;
        }
        if (digits == 0)
            break;
        const struct str unit = take_run(&rest, false);
        if (unit.len == 0)
            return arena_print(arena, "time: missing unit in duration %.*s",
                               STR_ARG(buf_str(&quoted)))
                .ptr;
        if (field_is_one_of(unit, units))
            continue;
        SCOPED(buf) shown = {.limit = 0};
        str_quote_go(&shown, unit);
        return arena_print(arena, "time: unknown unit %.*s in duration %.*s",
                           STR_ARG(buf_str(&shown)), STR_ARG(buf_str(&quoted)))
            .ptr;
    }
    return arena_print(arena, "time: invalid duration %.*s", STR_ARG(buf_str(&quoted))).ptr;
}

/* Checks a descriptor, which begins with "@". */
static const char *check_word(struct arena *arena, struct str text)
{
    static const char *const words[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                        "@daily",  "@midnight", "@hourly"};
    duration span;
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_eq(text, str_from_c(words[i])))
            return NULL;
    if (!str_starts_with(text, STR("@every ")))
        return arena_print(arena, "unrecognized descriptor: %.*s", STR_ARG(text)).ptr;
    if (duration_read(str_skip(text, 7), &span))
        return NULL;
    return arena_print(arena, "failed to parse duration %.*s: %s", STR_ARG(text),
                       describe_duration(arena, str_skip(text, 7)))
        .ptr;
}

/* Takes a word off the front; false at the end. */
static bool next_word(struct str *rest, struct str *ret_word)
{
    *rest = str_trim(*rest);
    size_t len = 0;
    while (len < rest->len && !ascii_is_space(rest->ptr[len]))
        len++;
    *ret_word = str_slice(*rest, 0, len);
    *rest = str_skip(*rest, len);
    return len > 0;
}

/* The message shows the fields as Go prints a list of strings. */
static const char *check_count(struct arena *arena, struct str text)
{
    SCOPED(buf) shown = {.limit = 64 * KILOBYTE};
    struct str rest = text, word;
    size_t count = 0;
    while (next_word(&rest, &word))
        buf_print(&shown, "%s%.*s", count++ ? " " : "", STR_ARG(word));
    if (count == COUNT(fields))
        return NULL;
    return arena_print(arena, "expected exactly 5 fields, found %zu: [%.*s]", count,
                       STR_ARG(buf_str(&shown)))
        .ptr;
}

/*
 * Takes "TZ=Europe/Berlin " off the front. Upstream's parser crashes without a space behind the
 * time zone, and that is what the error says.
 */
static const char *skip_zone(struct arena *arena, struct str *text)
{
    struct str rest = *text, name;
    if (!str_starts_with(rest, STR("TZ=")) && !str_starts_with(rest, STR("CRON_TZ=")))
        return NULL;
    (void)str_cut(&rest, '=', &name);
    if (!str_cut(&rest, ' ', &name))
        return "invalid schedule format: runtime error: slice bounds out of range [:-1]";
    *text = str_trim(rest);
    if (str_contains(name, STR("..")) || str_starts_with(name, STR("/")) ||
        str_starts_with(name, STR("\\")))
        return arena_print(arena, "provided bad location %.*s: time: invalid location name",
                           STR_ARG(name))
            .ptr;
    return NULL;
}

static const char *check_schedule(struct arena *arena, struct str text)
{
    struct str rest, word;
    const char *wrong = skip_zone(arena, &text);
    if (wrong)
        return wrong;
    if (str_starts_with(text, STR("@")))
        return check_word(arena, text);
    wrong = check_count(arena, text);
    rest = text;
    for (size_t i = 0; i < COUNT(fields) && !wrong && next_word(&rest, &word); i++)
        wrong = check_field(arena, word, &fields[i]);
    return wrong;
}

struct validation syntax_schedule(struct arena *arena, struct str value)
{
    struct validation found = {.count = 0};
    const char *wrong = check_schedule(arena, value);
    if (wrong)
        found.messages[found.count++] = str_from_c(wrong);
    return found;
}
