/*
 * A contest: somebody changes an object again and again after it was repaired.
 *
 * An object that was repaired five times within ten minutes is left alone for ten minutes. It is
 * repaired once after that, and if it drifts again it is left alone for twenty, forty, … minutes,
 * up to a day. After an hour without drift all is forgotten. Pure: times are given.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/duration.h"

#define CONTEST_REPAIRS   5
#define CONTEST_WINDOW    (10 * MINUTE)
#define CONTEST_PAUSE     (10 * MINUTE)
#define CONTEST_PAUSE_MAX (24 * HOUR)
#define CONTEST_FORGETS   HOUR

/* Of one object. The zero value has seen nothing. */
struct contest {
    int64_t repairs[CONTEST_REPAIRS]; /* the times of the last ones, in turn */
    size_t count;                     /* of all repairs */
    int64_t seen;                     /* when it had drifted last */
    int64_t until;                    /* the end of the present pause */
    duration pause;                   /* the last one; 0: it was never left alone */
    bool is_told;                     /* of the present pause */
};

/* The object has drifted. Returns whether it may be repaired now. */
bool contest_may_repair(struct contest *contest, int64_t now);

/* It was repaired. */
void contest_note_repair(struct contest *contest, int64_t now);

/* True for what has been quiet long enough: as good as the zero value. */
bool contest_is_over(const struct contest *contest, int64_t now);
