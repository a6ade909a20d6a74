/*
 * What a replay came to: a line for each exchange, differences, and sums.
 *
 * Exchanges that are known to fail are listed in a file: an id a line, "#" begins a comment that
 * says why. Such a failure is expected; an exchange of the list that passes is reported as well, so
 * that the list stays true. One that depends on who is faster has a "?" behind it and may do both.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/map.h"
#include "base/str.h"
#include "peers/conformance/answer.h"
#include "peers/conformance/difference.h"
#include "peers/conformance/exchange.h"

struct report_sum {
    size_t passed, failed, expected, skipped;
    size_t unexpected; /* failures that are not in the list, and passes that are */
};

struct report {
    FILE *out;
    bool verbose; /* also the answers */
    bool quiet;   /* failures and sums alone */
    struct map expected;
    struct str group;
    struct report_sum group_sum, sum;
};

void report_done(struct report *report);

/* Reads the list of known failures; a second one is added to the first. */
void report_expect(struct report *report, struct str text);

void report_exchange(struct report *report, const struct exchange *exchange,
                     const struct answer *answer, const struct differences *differences);
void report_skipped(struct report *report, const struct exchange *exchange);

/* The sums. True when something was replayed and all of it came as expected. */
bool report_finish(struct report *report);
