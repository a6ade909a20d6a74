#include "clusterresourceset/contest.h"

bool contest_is_over(const struct contest *contest, int64_t now)
{
    return now - contest->seen >= CONTEST_FORGETS;
}

bool contest_may_repair(struct contest *contest, int64_t now)
{
    if (contest->count && contest_is_over(contest, now))
        *contest = (struct contest){0};
    contest->seen = now;
    return now >= contest->until;
}

/* Whether this repair is the last of five within the window. */
static bool is_often(const struct contest *contest, int64_t now)
{
    const int64_t first = contest->repairs[contest->count % CONTEST_REPAIRS];
    return contest->count >= CONTEST_REPAIRS && now - first < CONTEST_WINDOW;
}

void contest_note_repair(struct contest *contest, int64_t now)
{
    contest->seen = now;
    contest->repairs[contest->count++ % CONTEST_REPAIRS] = now;
    if (!contest->pause && !is_often(contest, now))
        return;
    const duration next = contest->pause ? 2 * contest->pause : CONTEST_PAUSE;
    contest->pause = next < CONTEST_PAUSE_MAX ? next : CONTEST_PAUSE_MAX;
    contest->until = now + contest->pause;
    contest->is_told = false;
}
