/* Draws that every simulation makes. */
#pragma once

#include <stdbool.h>

#include "base/random.h"

bool draw_chance(struct random *dice, double share);
duration draw_span(struct random *dice, duration most);

/* A share up to the most; often none at all, so that what is left meets itself more often. */
double draw_share(struct random *dice, double most);
