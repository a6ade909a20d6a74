/*
 * Syntax of the schedules of CronJobs: five fields, or a descriptor such as @daily or "@every 1h".
 *
 * Messages and the order of checks are those of github.com/robfig/cron/v3 (parser.go). The
 * functions return NULL for success, or the message of the first error, in the arena. Schedules are
 * checked, not evaluated.
 */
#include "apiserver/registry/kind_validate_internal.h"
#include "base/duration.h"

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

/* Reads a number or a name. Range checks follow in check_range(). */
static const char *read_value(struct arena *arena, struct str text, const struct cron_field *field,
                              int64_t *ret_value)
{
    int64_t number;
    if (read_name(text, field, ret_value))
        return NULL;
    if (!str_to_int64(text, &number))
        return arena_print(arena,
                           "failed to parse int from %.*s: strconv.Atoi: parsing \"%.*s\": invalid "
                           "syntax",
                           STR_ARG(text), STR_ARG(text))
            .ptr;
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

/* Reads "*", "?", "5" or "1-5". A single number with a step, "5/15", runs to the maximum. */
static const char *read_bounds(struct arena *arena, struct str bounds,
                               const struct cron_field *field, bool has_step, struct range *range)
{
    struct str rest = bounds, low;
    if (str_eq(bounds, STR("*")) || str_eq(bounds, STR("?"))) {
        *range = (struct range){field->min, field->max, 1};
        return NULL;
    }
    const bool has_end = str_cut(&rest, '-', &low);
    const char *wrong = read_value(arena, low, field, &range->low);
    range->high = has_step ? field->max : range->low;
    range->step = 1;
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
    const char *wrong = read_bounds(arena, bounds, field, has_step, &range);
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

/* Checks a descriptor, which begins with "@". */
static const char *check_word(struct arena *arena, struct str text)
{
    static const char *const words[] = {"@yearly", "@annually", "@monthly", "@weekly",
                                        "@daily",  "@midnight", "@hourly"};
    duration span;
    for (size_t i = 0; i < COUNT(words); i++)
        if (str_eq(text, str_from_c(words[i])))
            return NULL;
    if (str_starts_with(text, STR("@every ")))
        return duration_read(str_skip(text, 7), &span)
                   ? NULL
                   : arena_print(arena, "failed to parse duration %.*s", STR_ARG(text)).ptr;
    return arena_print(arena, "unrecognized descriptor: %.*s", STR_ARG(text)).ptr;
}

/* Takes a word off the front; false at the end. */
static bool next_word(struct str *rest, struct str *ret_word)
{
    *rest = str_trim(*rest);
    size_t len = 0;
    while (len < rest->len && rest->ptr[len] != ' ' && rest->ptr[len] != '\t')
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

/* Time zones in a schedule are refused before anything else; timeZone is a field of its own. */
static const char *check_schedule(struct arena *arena, struct str text)
{
    struct str rest = text, word;
    if (str_contains(text, STR("TZ")))
        return "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    if (text.ptr[0] == '@')
        return check_word(arena, text);
    const char *wrong = check_count(arena, text);
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
