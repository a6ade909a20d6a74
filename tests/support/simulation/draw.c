#include "support/simulation/draw.h"

#define LEFT_OUT 0.4

bool draw_chance(struct random *dice, double share)
{
    return random_double(dice) < share;
}

duration draw_span(struct random *dice, duration most)
{
    return (duration)random_below(dice, (uint64_t)most);
}

double draw_share(struct random *dice, double most)
{
    return draw_chance(dice, LEFT_OUT) ? 0 : most * random_double(dice);
}
