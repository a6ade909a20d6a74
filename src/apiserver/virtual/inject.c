#include "apiserver/virtual/inject.h"

#include <stdlib.h>

#include "base/random.h"

/* Longer waits are black holes. */
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

static bool read_part(struct str name, struct str value, struct inject *inject)
{
    if (str_eq(name, STR("latency")))
        return read_wait(value, &inject->latency);
    if (str_eq(name, STR("jitter")))
        return read_wait(value, &inject->jitter);
    if (str_eq(name, STR("error")))
        return read_share(value, &inject->error);
    if (str_eq(name, STR("drop")))
        return read_share(value, &inject->drop);
    if (str_eq(name, STR("hole")))
        return read_share(value, &inject->hole);
    return str_eq(name, STR("seed")) && str_to_uint64(value, &inject->seed);
}

struct error *inject_read(struct str text, struct inject *ret_inject)
{
    struct inject inject = {0};
    while (text.len) {
        struct str part, name;
        str_cut(&text, ',', &part);
        struct str value = str_trim(part);
        str_cut(&value, '=', &name);
        if (!read_part(name, value, &inject))
            return error_new(ERROR_PARSE,
                             "cannot read '%.*s': expected latency=20ms, jitter=5ms, error=0.01, "
                             "drop=0.001, hole=0.001 or seed=7, with commas between",
                             STR_ARG(part));
    }
    *ret_inject = inject;
    return NULL;
}

void inject_write(const struct inject *inject, struct buf *out)
{
    char latency[DURATION_TEXT_MAX], jitter[DURATION_TEXT_MAX];
    const struct str wait = duration_write(inject->latency, latency);
    const struct str more = duration_write(inject->jitter, jitter);
    buf_print(out, "latency=%.*s,jitter=%.*s,error=%g,drop=%g,hole=%g,seed=%llu", STR_ARG(wait),
              STR_ARG(more), inject->error, inject->drop, inject->hole,
              (unsigned long long)inject->seed);
}

/* Draws of a request and of the watch it becomes are far apart. */
static void begin(struct random *random, const struct inject *inject, struct str cluster,
                  uint64_t number, uint64_t draw)
{
    const uint64_t far = UINT64_C(0xd1342543de82ef95);
    random_init(random, str_hash(cluster, inject->seed) + number + draw * far);
}

static enum inject_fault choose(const struct inject *inject, double drawn)
{
    if (drawn < inject->hole)
        return INJECT_HOLE;
    drawn -= inject->hole;
    if (drawn < inject->drop)
        return INJECT_DROP;
    drawn -= inject->drop;
    return drawn < inject->error ? INJECT_ERROR : INJECT_NONE;
}

enum inject_fault inject_decide(const struct inject *inject, struct str cluster, uint64_t number,
                                duration *ret_wait)
{
    struct random random;
    begin(&random, inject, cluster, number, 0);
    const enum inject_fault fault = choose(inject, random_double(&random));
    *ret_wait = inject->latency + (duration)random_below(&random, (uint64_t)inject->jitter + 1);
    return fault;
}

enum inject_fault inject_decide_watch(const struct inject *inject, struct str cluster,
                                      uint64_t number, uint64_t draw)
{
    struct random random;
    begin(&random, inject, cluster, number, draw);
    const enum inject_fault fault = choose(inject, random_double(&random));
    return fault == INJECT_ERROR ? INJECT_NONE : fault;
}
