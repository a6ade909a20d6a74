#include "kinds/kind_age.h"

#include <inttypes.h>

#include "base/duration.h"

#define DAY  (24 * HOUR)
#define YEAR (365 * DAY)

/* What an age below a limit is counted in, and what its rest; no rest: the unit alone. */
struct step {
    duration below, unit, rest;
    char unit_name, rest_name;
};

static const struct step steps[] = {
    {2 * MINUTE,  SECOND, 0,      's', 0  },
    {10 * MINUTE, MINUTE, SECOND, 'm', 's'},
    {3 * HOUR,    MINUTE, 0,      'm', 0  },
    {8 * HOUR,    HOUR,   MINUTE, 'h', 'm'},
    {2 * DAY,     HOUR,   0,      'h', 0  },
    {8 * DAY,     DAY,    HOUR,   'd', 'h'},
    {2 * YEAR,    DAY,    0,      'd', 0  },
    {8 * YEAR,    YEAR,   DAY,    'y', 'd'},
    {FOREVER,     YEAR,   0,      'y', 0  },
};

void kind_age_write(struct buf *out, timestamp from, timestamp now)
{
    const struct step *step = steps;
    duration age;
    if (__builtin_sub_overflow(now, from, &age))
        age = now > from ? FOREVER - 1 : -FOREVER;
    if (age <= -2 * SECOND) { /* clocks may differ a little */
        buf_add(out, STR("<invalid>"));
        return;
    }
    age = age < 0 ? 0 : age;
    while (age >= step->below)
        step++;
    buf_print(out, "%" PRId64 "%c", age / step->unit, step->unit_name);
    if (step->rest && age % step->unit / step->rest)
        buf_print(out, "%" PRId64 "%c", age % step->unit / step->rest, step->rest_name);
}
