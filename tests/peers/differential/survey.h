/*
 * Counts what differs instead of making each sequence small: a line for each kind of difference,
 * with the number of a sequence that has it. For when there is much to look at.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/map.h"
#include "json/json.h"
#include "peers/conformance/difference.h"

struct survey {
    struct map rows; /* struct survey_row by the difference, without digits and what is quoted */
};

void survey_done(struct survey *survey);
void survey_add(struct survey *survey, uint64_t sequence, const struct json_value *step,
                const struct differences *differences);

/* The most frequent ones first. */
void survey_print(FILE *out, const struct survey *survey);
