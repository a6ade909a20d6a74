#include "apiserver/endpoints/parties.h"

#include "async/loop.h"
#include "base/buf.h"
#include "base/metrics.h"

/* So many parties are kept without a look at whether they still matter. */
#define KEPT_MIN 1000

static const struct metrics_family family =
    METRICS_COUNTER("apiserver_party_cpu_seconds_total",
                    "CPU time of requests, by who is served: administrators, users, or "
                    "virtual-clusters.",
                    "party");

static const struct str class_labels[] = {
    [PARTY_ADMINISTRATORS] = STR_INIT("administrators"),
    [PARTY_USERS] = STR_INIT("users"),
    [PARTY_VIRTUAL_CLUSTERS] = STR_INIT("virtual-clusters"),
};

static void share_release(void *share)
{
    cpu_share_free(share);
}

void parties_init(struct parties *parties, struct loop *loop)
{
    *parties = (struct parties){.loop = loop, .kept = KEPT_MIN, .shares.release = share_release};
    parties->administrators = cpu_share_new(loop, true, &parties->used[PARTY_ADMINISTRATORS]);
}

void parties_done(struct parties *parties)
{
    map_done(&parties->shares);
    buf_done(&parties->key);
    cpu_share_free(parties->administrators);
}

static double read_used(void *data)
{
    return (double)*(const duration *)data / (double)SECOND;
}

void parties_register(struct parties *parties, struct metrics *metrics)
{
    metrics_register(metrics, &family, 1);
    for (size_t i = 0; i < PARTY_CLASSES; i++)
        metrics_set_source(metrics_series(metrics, &family, &class_labels[i], 1), read_used,
                           &parties->used[i]);
}

/* The limit grows with those that stay, so that looking for the others costs little per request. */
static void forget_settled(struct parties *parties)
{
    MAP_FOREACH (entry, &parties->shares)
        if (cpu_share_is_settled(entry->value))
            map_remove(&parties->shares, map_key(entry));
    parties->kept = 2 * map_count(&parties->shares) + KEPT_MIN;
}

struct cpu_share *parties_find(struct parties *parties, struct str cluster, struct str user,
                               bool is_administrator)
{
    struct buf *key = &parties->key;
    if (is_administrator)
        return parties->administrators;
    buf_clear(key);
    buf_add(key, cluster);
    buf_add_char(key, '/');
    buf_add(key, cluster.len ? STR("") : user);
    struct cpu_share *share = map_find(&parties->shares, buf_str(key));
    if (share)
        return share;
    if (map_count(&parties->shares) >= parties->kept)
        forget_settled(parties);
    const enum party_class class = cluster.len ? PARTY_VIRTUAL_CLUSTERS : PARTY_USERS;
    share = cpu_share_new(parties->loop, false, &parties->used[class]);
    map_put(&parties->shares, buf_str(key), share);
    return share;
}
