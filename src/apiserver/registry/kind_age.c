/*
 * The table forms[] has the breakpoints of upstream's HumanDuration(). A span is shown by the first
 * row whose limit it does not reach; the smaller unit is left out when it is 0.
 */
#include "apiserver/registry/kind_age.h"

#include <stdio.h>

#define DAY  (24 * HOUR)
#define YEAR (365 * DAY)

/* A span below the limit is shown in the large unit, and its rest in the small one. */
struct form {
    duration below;
    duration large;
    char large_name;
    duration small; /* 0: no small unit */
    char small_name;
};

static const struct form forms[] = {
    {2 * MINUTE,  SECOND, 's', 0,      0  },
    {10 * MINUTE, MINUTE, 'm', SECOND, 's'},
    {3 * HOUR,    MINUTE, 'm', 0,      0  },
    {8 * HOUR,    HOUR,   'h', MINUTE, 'm'},
    {2 * DAY,     HOUR,   'h', 0,      0  },
    {8 * DAY,     DAY,    'd', HOUR,   'h'},
    {2 * YEAR,    DAY,    'd', 0,      0  },
    {8 * YEAR,    YEAR,   'y', DAY,    'd'},
    {FOREVER,     YEAR,   'y', 0,      0  },
};

/* Copies a word, so that results always point into the caller's text. */
static struct str constant(struct str word, char text[static KIND_AGE_MAX])
{
    memcpy(text, word.ptr, word.len);
    return (struct str){text, word.len};
}

struct str kind_age_write(duration age, char text[static KIND_AGE_MAX])
{
    /* Clocks differ: less than two seconds in the future count as now. */
    if (age <= -2 * SECOND)
        return constant(STR("<invalid>"), text);
    if (age < 0)
        return constant(STR("0s"), text);
    const struct form *form = forms;
    while (age >= form->below && form->below != FOREVER)
        form++;
    const int64_t large = age / form->large;
    const int64_t small = form->small ? age % form->large / form->small : 0;
    int len = snprintf(text, KIND_AGE_MAX, "%lld%c", (long long)large, form->large_name);
    if (small > 0)
        len += snprintf(text + len, KIND_AGE_MAX - (size_t)len, "%lld%c", (long long)small,
                        form->small_name);
    return (struct str){text, (size_t)len};
}

duration kind_age_between(timestamp from, timestamp to)
{
    duration span;
    if (__builtin_sub_overflow(to, from, &span))
        return from < to ? INT64_MAX : INT64_MIN;
    return span;
}

struct str kind_age_since(const struct json_value *time, timestamp now,
                          char text[static KIND_AGE_MAX])
{
    timestamp then;
    if (!timestamp_read(json_to_str(time), &then))
        return constant(STR("<unknown>"), text);
    return kind_age_write(kind_age_between(then, now), text);
}
