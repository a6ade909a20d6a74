/*
 * Matching; regexp_compile.c makes the programs.
 *
 * This is the simulation of a nondeterministic automaton by Thompson, as in Russ Cox, "Regular
 * Expression Matching: the Virtual Machine Approach" (https://swtch.com/~rsc/regexp/regexp2.html).
 * `now` holds the places in the program that wait for a character. For each character of the text,
 * every place whose ranges accept it leads to the step behind it, and follow_steps() adds all
 * places that can be reached from there without a character to `next`. The match ends as soon as
 * the end of the program is reached.
 */
#include "base/regexp/regexp.h"

#include "base/memory.h"
#include "base/regexp/regexp_internal.h"

uint32_t regexp_take_rune(struct str *text)
{
    const size_t len = str_char_len(*text);
    if (len == 0) {
        *text = str_skip(*text, 1);
        return 0xfffd;
    }
    const uint32_t rune = str_char_code(str_slice(*text, 0, len));
    *text = str_skip(*text, len);
    return rune;
}

/* So many places are set up in the time of one step. */
#define SETUP_SHARE 16

/* The characters on both sides of a place in the text; RUNE_NONE at the ends of the text. */
#define RUNE_NONE UINT32_MAX

struct gap {
    uint32_t before, after;
};

/* ASCII alone, as \w and \b in Go. RUNE_NONE is no word character. */
static bool is_word(uint32_t rune)
{
    return rune == '_' || (rune >= '0' && rune <= '9') || (rune >= 'A' && rune <= 'Z') ||
           (rune >= 'a' && rune <= 'z');
}

static bool place_holds(enum regexp_place place, struct gap gap)
{
    switch (place) {
    case AT_TEXT_START:
        return gap.before == RUNE_NONE;
    case AT_TEXT_END:
        return gap.after == RUNE_NONE;
    case AT_LINE_START:
        return gap.before == RUNE_NONE || gap.before == '\n';
    case AT_LINE_END:
        return gap.after == RUNE_NONE || gap.after == '\n';
    case AT_WORD_EDGE:
        return is_word(gap.before) != is_word(gap.after);
    case NOT_AT_WORD_EDGE:
        return is_word(gap.before) == is_word(gap.after);
    }
    return false;
}

/* Places in the program that were reached. A place is in the set at most once per character. */
struct places {
    uint32_t *items;
    size_t count;
};

/* One match. The four arrays are parts of one allocation. */
struct match {
    const struct regexp *regexp;
    struct places now, next;
    uint32_t *seen;    /* by place: the round in which it was reached last */
    uint32_t *pending; /* places still to be followed; at most two per step */
    uint32_t round;
    bool found;
    size_t *steps; /* left */
};

/*
 * Adds a place and all places that follow from it without a character. An explicit stack replaces
 * recursion; match->seen keeps a loop such as (a*)* from running for ever.
 */
static void follow_steps(struct match *match, struct places *to, uint32_t start, struct gap gap)
{
    size_t pending = 0;
    match->pending[pending++] = start;
    while (pending && *match->steps) {
        const uint32_t at = match->pending[--pending];
        --*match->steps;
        if (match->seen[at] == match->round)
            continue;
        match->seen[at] = match->round;
        if (at == match->regexp->count) {
            match->found = true;
            return;
        }
        const struct regexp_step *step = &match->regexp->steps[at];
        if (step->op == STEP_RANGES) {
            to->items[to->count++] = at;
        } else if (step->op == STEP_ASSERT) {
            if (place_holds((enum regexp_place)step->x, gap))
                match->pending[pending++] = at + 1;
        } else {
            match->pending[pending++] = (uint32_t)((int64_t)at + step->x);
            if (step->op == STEP_SPLIT)
                match->pending[pending++] = (uint32_t)((int64_t)at + step->y);
        }
    }
}

/* The ranges of a step are sorted and apart. */
static bool step_accepts(const struct regexp *regexp, const struct regexp_step *step, uint32_t rune)
{
    int32_t low = step->x, high = step->x + step->y;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (rune < regexp->ranges[middle].low)
            high = middle;
        else if (rune > regexp->ranges[middle].high)
            low = middle + 1;
        else
            return true;
    }
    return false;
}

/*
 * Place 0 is added again before each character, because a match may start anywhere in the text.
 * Both calls of follow_steps() for one gap belong to the same round.
 */
static void run_match(struct match *match, struct str text)
{
    const struct regexp *regexp = match->regexp;
    uint32_t before = RUNE_NONE;
    for (;;) {
        struct str rest = text;
        const uint32_t rune = text.len ? regexp_take_rune(&rest) : RUNE_NONE;
        follow_steps(match, &match->now, 0, (struct gap){before, rune}); /* it may start anywhere */
        if (match->found || rune == RUNE_NONE || !*match->steps)
            return;
        *match->steps -= match->now.count < *match->steps ? match->now.count : *match->steps;
        struct str behind = rest;
        const struct gap gap = {rune, behind.len ? regexp_take_rune(&behind) : RUNE_NONE};
        match->round++;
        match->next.count = 0;
        for (size_t i = 0; i < match->now.count && !match->found; i++)
            if (step_accepts(regexp, &regexp->steps[match->now.items[i]], rune))
                follow_steps(match, &match->next, match->now.items[i] + 1, gap);
        if (match->found)
            return;
        const struct places swapped = match->now;
        match->now = match->next;
        match->next = swapped;
        before = rune;
        text = rest;
    }
}

/*
 * Five arrays of program size, allocated together: now, next, seen and twice the room for pending,
 * since a split adds two places for the one it takes.
 */
enum regexp_result regexp_match(const struct regexp *regexp, struct str text, size_t *steps)
{
    const size_t places = regexp->count + 1;
    OWNED_PTR uint32_t *memory = mem_realloc_array(NULL, places * 5 + 1, sizeof(uint32_t));
    struct match match = {
        .regexp = regexp,
        .now = {.items = memory},
        .next = {.items = memory + places},
        .seen = memory + 2 * places,
        .pending = memory + 3 * places,
        .round = 1,
        .steps = steps,
    };
    const size_t setup = places / SETUP_SHARE;
    *steps -= setup < *steps ? setup : *steps;
    memset(match.seen, 0, places * sizeof(uint32_t));
    run_match(&match, text);
    return match.found ? REGEXP_MATCH : *steps ? REGEXP_NO_MATCH : REGEXP_TOO_COSTLY;
}

size_t regexp_size(const struct regexp *regexp)
{
    return regexp->count;
}
