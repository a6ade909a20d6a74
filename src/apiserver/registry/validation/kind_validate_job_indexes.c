/*
 * Lists of the indexes of a Job: "0-2,5".
 *
 * Upstream: validateIndexesFormat(), parseIndexInterval() and
 * validateFailedIndexesNotOverlapCompleted() in k8s.io/kubernetes/pkg/apis/batch/validation.
 */
#include "apiserver/registry/validation/kind_validate_job_internal.h"
#include "base/quote.h"

enum interval_fault {
    INTERVAL_FINE,
    INTERVAL_HAS_PARTS, /* more than two */
    INTERVAL_IS_NO_NUMBER,
    INTERVAL_IS_TOO_LARGE,
    INTERVAL_DECREASES,
};

/* From one index to another one; wrong is what the fault is about. */
struct interval {
    int64_t first, last;
    enum interval_fault fault;
    struct str wrong;
};

/* A number as Go's strconv.Atoi() reads it, with a plus sign. A minus sign has split it before. */
static enum interval_fault read_index(struct str text, int64_t completions, int64_t *ret_index)
{
    const struct str digits = str_starts_with(text, STR("+")) ? str_skip(text, 1) : text;
    if (!str_to_int64(digits, ret_index))
        return INTERVAL_IS_NO_NUMBER;
    return *ret_index >= completions ? INTERVAL_IS_TOO_LARGE : INTERVAL_FINE;
}

/* Reads "3" or "3-5". */
static struct interval read_interval(struct str text, int64_t completions)
{
    struct interval interval = {.wrong = text};
    struct str rest = text, first;
    const bool has_end = str_cut(&rest, '-', &first);
    if (has_end && str_find_char(rest, '-') != STR_NONE) {
        interval.fault = INTERVAL_HAS_PARTS;
        return interval;
    }
    interval.wrong = first;
    interval.fault = read_index(first, completions, &interval.first);
    interval.last = interval.first;
    if (interval.fault || !has_end)
        return interval;
    interval.wrong = rest;
    interval.fault = read_index(rest, completions, &interval.last);
    if (!interval.fault && interval.first >= interval.last)
        interval.fault = INTERVAL_DECREASES;
    return interval;
}

static struct str describe_order(struct arena *arena, int64_t previous, int64_t current)
{
    return arena_print(arena, "non-increasing order, previous: %lld, current: %lld",
                       (long long)previous, (long long)current);
}

static struct str describe_fault(struct arena *arena, const struct interval *interval)
{
    SCOPED(buf) wrong = {.limit = 0};
    str_quote_go(&wrong, interval->wrong);
    switch (interval->fault) {
    case INTERVAL_FINE:
        break;
    case INTERVAL_HAS_PARTS:
        return ARENA_JOIN(arena, STR("the fragment "), buf_str(&wrong),
                          STR(" violates the requirement that an index interval can have at most "
                              "two parts separated by '-'"));
    case INTERVAL_IS_NO_NUMBER:
        return ARENA_JOIN(arena, STR("cannot convert string to integer for index: "),
                          buf_str(&wrong));
    case INTERVAL_IS_TOO_LARGE:
        return ARENA_JOIN(arena, STR("too large index: "), buf_str(&wrong));
    case INTERVAL_DECREASES:
        return describe_order(arena, interval->first, interval->last);
    }
    return STR("");
}

struct str job_indexes_check(struct arena *arena, struct str text, int64_t completions,
                             int64_t *ret_total)
{
    struct str rest = text, part;
    int64_t total = 0, previous = -1;
    bool more = text.len > 0;
    *ret_total = 0;
    while (more) {
        more = str_cut(&rest, ',', &part);
        const struct interval interval = read_interval(part, completions);
        if (interval.fault)
            return describe_fault(arena, &interval);
        if (previous >= interval.first)
            return describe_order(arena, previous, interval.first);
        total += interval.last - interval.first + 1;
        previous = interval.last;
    }
    *ret_total = total;
    return STR("");
}

/* A position in a list of indexes. */
struct index_list {
    struct str rest;
    int64_t completions;
    bool more;
    struct interval at;
};

/* Moves to the next interval that is well formed; false at the end. */
static bool next_interval(struct index_list *list)
{
    struct str part;
    while (list->more) {
        list->more = str_cut(&list->rest, ',', &part);
        list->at = read_interval(part, list->completions);
        if (!list->at.fault)
            return true;
    }
    return false;
}

int64_t job_indexes_overlap(struct str one, struct str other, int64_t completions)
{
    struct index_list a = {.rest = one, .completions = completions, .more = one.len > 0};
    struct index_list b = {.rest = other, .completions = completions, .more = other.len > 0};
    bool more = next_interval(&a) && next_interval(&b);
    while (more) {
        if (a.at.first <= b.at.last && b.at.first <= a.at.last)
            return a.at.first > b.at.first ? a.at.first : b.at.first;
        more = next_interval(a.at.first <= b.at.first ? &a : &b);
    }
    return -1;
}
