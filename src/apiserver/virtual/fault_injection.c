/*
 * Reading, writing and drawing of faults. Drawing is a pure function of its arguments: each draw
 * has a random generator of its own, seeded from the cluster, the number of the request and the
 * draw.
 */
#include "apiserver/virtual/fault_injection.h"

#include <stdlib.h>

#include "base/random.h"

/* Longer waits are holes. */
#define WAIT_MAX HOUR

static bool read_share(struct str text, double *ret_share)
{
    char copy[32];
    char *end;
    if (text.len == 0 || text.len >= sizeof(copy))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *ret_share = strtod(copy, &end);
    return *end == '\0' && *ret_share >= 0 && *ret_share <= 1;
}

static bool read_wait(struct str text, duration *ret_wait)
{
    return duration_read(text, ret_wait) && *ret_wait >= 0 && *ret_wait <= WAIT_MAX;
}

/* One "name=value"; false when the name is unknown or the value does not fit. */
static bool read_part(struct str name, struct str value, struct fault_injection *faults)
{
    if (str_eq(name, STR("latency")))
        return read_wait(value, &faults->latency);
    if (str_eq(name, STR("jitter")))
        return read_wait(value, &faults->jitter);
    if (str_eq(name, STR("error")))
        return read_share(value, &faults->error);
    if (str_eq(name, STR("drop")))
        return read_share(value, &faults->drop);
    if (str_eq(name, STR("hole")))
        return read_share(value, &faults->hole);
    return str_eq(name, STR("seed")) && str_to_uint64(value, &faults->seed);
}

struct error *fault_injection_read(struct str text, struct fault_injection *ret_faults)
{
    struct fault_injection faults = {0};
    while (text.len) {
        struct str part, name;
        str_cut(&text, ',', &part);
        struct str value = str_trim(part);
        str_cut(&value, '=', &name);
        if (!read_part(name, value, &faults))
            return error_new(ERROR_PARSE,
                             "cannot read '%.*s': expected latency=20ms, jitter=5ms, error=0.01, "
                             "drop=0.001, hole=0.001 or seed=7, with commas between",
                             STR_ARG(part));
    }
    *ret_faults = faults;
    return NULL;
}

void fault_injection_write(const struct fault_injection *faults, struct buf *out)
{
    char latency[DURATION_TEXT_MAX], jitter[DURATION_TEXT_MAX];
    const struct str wait = duration_write(faults->latency, latency);
    const struct str more = duration_write(faults->jitter, jitter);
    buf_print(out, "latency=%.*s,jitter=%.*s,error=%g,drop=%g,hole=%g,seed=%llu", STR_ARG(wait),
              STR_ARG(more), faults->error, faults->drop, faults->hole,
              (unsigned long long)faults->seed);
}

/* The factor keeps the seeds of a request and of the draws of its watch far apart. */
static void begin_draws(struct random *random, const struct fault_injection *faults,
                        struct str cluster, uint64_t number, uint64_t draw)
{
    const uint64_t far = UINT64_C(0xd1342543de82ef95);
    random_init(random, str_hash(cluster, faults->seed) + number + draw * far);
}

/* drawn is uniform in [0, 1). The order decides when the probabilities exceed 1. */
static enum injected_fault choose_fault(const struct fault_injection *faults, double drawn)
{
    if (drawn < faults->hole)
        return INJECTED_HOLE;
    drawn -= faults->hole;
    if (drawn < faults->drop)
        return INJECTED_DROP;
    drawn -= faults->drop;
    return drawn < faults->error ? INJECTED_ERROR : INJECTED_NONE;
}

enum injected_fault fault_injection_decide(const struct fault_injection *faults, struct str cluster,
                                           uint64_t number, duration *ret_wait)
{
    struct random random;
    begin_draws(&random, faults, cluster, number, 0);
    const enum injected_fault fault = choose_fault(faults, random_double(&random));
    *ret_wait = faults->latency + (duration)random_below(&random, (uint64_t)faults->jitter + 1);
    return fault;
}

enum injected_fault fault_injection_decide_watch(const struct fault_injection *faults,
                                                 struct str cluster, uint64_t number, uint64_t draw)
{
    struct random random;
    begin_draws(&random, faults, cluster, number, draw);
    const enum injected_fault fault = choose_fault(faults, random_double(&random));
    return fault == INJECTED_ERROR ? INJECTED_NONE : fault;
}
