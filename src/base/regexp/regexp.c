/* Matching; regexp_compile.c makes the programs. */
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

/* Between two characters; RUNE_NONE at the ends of the text. */
#define RUNE_NONE UINT32_MAX

struct gap {
    uint32_t before, after;
};

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

/* Places in the program that are reached; a place is in it at most once per character. */
struct places {
    uint32_t *items;
    size_t count;
};

struct match {
    const struct regexp *regexp;
    struct places now, next;
    uint32_t *seen;    /* by place: the round in which it was reached last */
    uint32_t *pending; /* places still to be followed; at most two per step */
    uint32_t round;
    bool found;
};

/* Reaches a place and all that follow from it without a character. */
static void follow_steps(struct match *match, struct places *to, uint32_t start, struct gap gap)
{
    size_t pending = 0;
    match->pending[pending++] = start;
    while (pending) {
        const uint32_t at = match->pending[--pending];
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

static bool step_accepts(const struct regexp *regexp, const struct regexp_step *step, uint32_t rune)
{
    for (int32_t i = step->x; i < step->x + step->y; i++)
        if (rune >= regexp->ranges[i].low && rune <= regexp->ranges[i].high)
            return true;
    return false;
}

static void run_match(struct match *match, struct str text)
{
    const struct regexp *regexp = match->regexp;
    uint32_t before = RUNE_NONE;
    for (;;) {
        struct str rest = text;
        const uint32_t rune = text.len ? regexp_take_rune(&rest) : RUNE_NONE;
        follow_steps(match, &match->now, 0, (struct gap){before, rune}); /* it may start anywhere */
        if (match->found || rune == RUNE_NONE)
            return;
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

bool regexp_matches(const struct regexp *regexp, struct str text)
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
    };
    memset(match.seen, 0, places * sizeof(uint32_t));
    run_match(&match, text);
    return match.found;
}
