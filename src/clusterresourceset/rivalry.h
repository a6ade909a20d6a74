/*
 * Rivalry: what a set remembers of another controller that writes its conditions, too.
 *
 * Cluster API's controller reconciles a set whenever somebody writes to it, and writes the
 * condition ResourcesApplied in its own words. If each of the two put its own words back, neither
 * would ever stop. So what we wrote is remembered. A condition that is not what we wrote is
 * contested:
 *
 *   - if it says the same outcome and we have nothing new to say, it stays;
 *   - otherwise it is written, but each time after a longer pause.
 *
 * Pure: the caller reads the clock and makes the requests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "apimachinery/condition.h"
#include "apimachinery/object.h"
#include "base/duration.h"
#include "base/str.h"

/* The manager that servers derive from our user agent. */
#define RIVALRY_OURS "corset"

struct rivalry {
    char *written;  /* "False/NotApplied/message", as we wrote it last; NULL: not yet */
    duration delay; /* the last pause; 0: none yet */
    int64_t next;   /* no contested condition is written before */
    bool is_told;   /* there was an event about it */
};

void rivalry_done(struct rivalry *rivalry);

/* We wrote the condition. NULL: we tried, and nobody knows what became of it. */
void rivalry_note_written(struct rivalry *rivalry, const struct condition *condition);

/*
 * True if we wrote the condition and it is another one now. One that is still ours at the end of a
 * pause ends the rivalry: the next pause is short again.
 */
bool rivalry_is_contested(struct rivalry *rivalry, const struct condition *found, int64_t now);

/* True if a contested condition may stay: same outcome, and what we want is what we wrote. */
bool rivalry_is_settled(const struct rivalry *rivalry, const struct condition *wanted,
                        const struct condition *found);

/* How long a contested condition is not to be written; 0: now, and not again for a longer time. */
duration rivalry_wait(struct rivalry *rivalry, int64_t now);

/* Somebody changed the set or its resources and waits for the outcome: no pause. */
void rivalry_end_pause(struct rivalry *rivalry);

/*
 * The manager that wrote the conditions last beside us, by metadata.managedFields. Empty if they
 * name none. Borrows from the object.
 */
struct str rivalry_find_manager(const struct object *object);
