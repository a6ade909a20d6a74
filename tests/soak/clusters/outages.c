/* Servers are killed and restarted, each in its own time; then everything is well again. */
#include "async/fiber.h"
#include "soak/clusters/chaos.h"

#define TROUBLE    (30 * MINUTE)
#define LOOK_EVERY SECOND

/* Connections that were opened beside others have been idle for long enough to be closed. */
#define SETTLES (150 * SECOND)

/* What happens to a server: every other time it is killed. */
static enum site_weather draw(struct random *dice)
{
    if (random_below(dice, 2))
        return SITE_KILLED;
    return (enum site_weather)(SITE_BLACK_HOLE +
                               random_below(dice, SITE_WEATHERS - SITE_BLACK_HOLE));
}

static struct error *have_outages(void *data)
{
    struct site *site = data;
    struct random *dice = &site->dice;
    for (;;) {
        TRY(fiber_sleep(chaos_span(dice, 0, 2 * MINUTE)));
        site_turn(site, draw(dice));
        TRY(fiber_sleep(chaos_span(dice, 100 * MILLISECOND, 150 * SECOND)));
        site_turn(site, SITE_WELL);
        site_change_node(site);
    }
}

static void look_for(struct chaos *chaos, duration span)
{
    const int64_t end = loop_now(loop_current()) + span;
    while (loop_now(loop_current()) < end) {
        CHECK_OK(fiber_sleep(LOOK_EVERY));
        chaos_check_moment(chaos);
    }
}

void chaos_outages(struct chaos *chaos)
{
    look_for(chaos, SETTLES);
    chaos_check_settled(chaos);
    const struct chaos_footprint before = chaos_footprint(chaos);
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < chaos->options.clusters; i++)
            scope_start(&scope, "outages", have_outages, &chaos->sites[i]);
        look_for(chaos, TROUBLE);
    }
    for (size_t i = 0; i < chaos->options.clusters; i++) {
        if (chaos->sites[i].weather != SITE_WELL)
            site_turn(&chaos->sites[i], SITE_WELL);
        site_change_node(&chaos->sites[i]);
    }
    look_for(chaos, SETTLES);
    chaos_check_settled(chaos);
    chaos_check_counts(chaos);
    chaos_check_footprint(chaos, before);
}
