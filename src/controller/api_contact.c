/*
 * The checks and the log lines look at the cache that has been behind longest. A watch that the
 * server ended is opened again within milliseconds, so a lag alone is nothing to tell of: it is
 * one with a problem, or after ANSWER_TIMEOUT.
 */
#include "controller/api_contact.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/random.h"
#include "client/client.h"
#include "controller/cache/cache.h"
#include "controller/health.h"

#define SYNC_GRACE     (15 * SECOND)
#define CONTACT_GRACE  (60 * SECOND)
#define ANSWER_TIMEOUT (10 * SECOND)
#define LOG_PERIOD     MINUTE

/* Together less than 3 s, in which a server that is back shall be noticed. */
#define PROBE_PAUSE      (500 * MILLISECOND) /* and up to as much again */
#define PROBE_TIMEOUT    (1500 * MILLISECOND)
#define PROBE_ANSWER_MAX (64 * KILOBYTE)

static const struct metrics_family families[] = {
    METRICS_GAUGE("kubernetes_healthcheck",
                  "This metric records the result of a single healthcheck.", "name", "type"),
};

static struct str problem_of(const struct cache_lag *lag)
{
    return lag->problem.len ? lag->problem : STR("the server has not answered yet");
}

/* NULL while the span of the lag is below the grace. */
static struct error *check_lag(const struct api_contact *contact, const struct cache_lag *lag,
                               int64_t since, duration grace)
{
    const duration span = loop_now(contact->loop) - since;
    const struct str problem = problem_of(lag);
    if (span < grace)
        return NULL;
    return error_new(ERROR_UNREACHABLE, "the cache of %.*s %s for %lld s: %.*s",
                     STR_ARG(lag->resource),
                     lag->is_synced ? "has not followed the API server" : "has not been filled",
                     (long long)(span / SECOND), STR_ARG(problem));
}

static struct error *check_synced(void *data)
{
    const struct api_contact *contact = data;
    struct cache_lag lag;
    if (contact->has_synced || !cache_set_find_lag(contact->caches, false, &lag))
        return NULL;
    return check_lag(contact, &lag, contact->started, SYNC_GRACE);
}

static struct error *check_contact(void *data)
{
    const struct api_contact *contact = data;
    struct cache_lag lag;
    if (!contact->has_synced || !cache_set_find_lag(contact->caches, true, &lag))
        return NULL;
    return check_lag(contact, &lag, lag.since, CONTACT_GRACE);
}

static double read_check(struct error *err)
{
    const double result = err ? 0 : 1;
    error_free(err);
    return result;
}

static double read_synced(void *data)
{
    return read_check(check_synced(data));
}

static double read_contact(void *data)
{
    return read_check(check_contact(data));
}

static const struct {
    const char *name;
    health_check_fn *check;
    metrics_read_fn *read;
} checks[] = {
    {"informer-sync", check_synced,  read_synced },
    {"api-server",    check_contact, read_contact},
};

void api_contact_init(struct api_contact *contact, struct loop *loop, struct cache_set *caches,
                      struct health *health, struct metrics *metrics)
{
    *contact = (struct api_contact){.loop = loop, .caches = caches, .started = loop_now(loop)};
    if (metrics)
        metrics_register(metrics, families, COUNT(families));
    for (size_t i = 0; i < COUNT(checks); i++) {
        if (health)
            health_add_check(health, checks[i].name, checks[i].check, contact);
        if (metrics)
            metrics_set_source(
                METRICS_SERIES(metrics, &families[0], str_from_c(checks[i].name), STR("readyz")),
                checks[i].read, contact);
    }
}

/* What the log has said last. */
struct report {
    bool is_away;
    int64_t logged;
};

/* Logs what is due, and returns how long there will be nothing more to say by itself. */
static duration report_lag(struct api_contact *contact, struct report *report)
{
    struct cache_lag lag;
    const int64_t now = loop_now(contact->loop);
    if (!cache_set_find_lag(contact->caches, false, &lag)) {
        if (report->is_away)
            log_info("API server is followed again");
        *report = (struct report){0};
        return LOG_PERIOD;
    }
    if (report->is_away && now - report->logged < LOG_PERIOD)
        return report->logged + LOG_PERIOD - now;
    if (!report->is_away && !lag.problem.len && now - lag.since < ANSWER_TIMEOUT)
        return lag.since + ANSWER_TIMEOUT - now;
    log_error("API server is away: changes are not seen", LOG_STR("err", problem_of(&lag)),
              LOG_STR("resource", lag.resource), LOG_DURATION("lasts", now - lag.since));
    *report = (struct report){.is_away = true, .logged = now};
    return LOG_PERIOD;
}

struct error *api_contact_run(void *data)
{
    struct api_contact *contact = data;
    struct report report = {0};
    for (;;) {
        FIBER_TIMEOUT(report_lag(contact, &report));
        OWNED(error) err = cache_set_wait_lag(contact->caches);
        if (err && !error_is(err, ERROR_DEADLINE))
            return error_ignore(TAKE(err), ERROR_CANCELED);
    }
}

/* Any answer will do: the client tells the caches of it. Suspends. */
static void send_probe(struct client *client)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) body = {.limit = PROBE_ANSWER_MAX};
    const struct client_raw_request request = {
        .path = STR("/version"), .timeout = PROBE_TIMEOUT, .no_retry = true};
    FIBER_TIMEOUT(PROBE_TIMEOUT);
    error_free(client_raw(client, &request, &arena, &body, NULL));
}

/* Suspends until it may be time for a probe. */
static struct error *wait_for_probe(const struct api_contact *contact)
{
    struct cache_lag lag;
    if (!cache_set_find_lag(contact->caches, false, &lag))
        return cache_set_wait_lag(contact->caches);
    return fiber_sleep(random_jitter(loop_random(contact->loop), PROBE_PAUSE, 1));
}

struct error *api_contact_probe(void *data)
{
    const struct api_contact *contact = data;
    for (;;) {
        OWNED(error) err = wait_for_probe(contact);
        if (err)
            return error_ignore(TAKE(err), ERROR_CANCELED);
        struct client *client = cache_set_client(contact->caches);
        if (client && client_is_awaited(client))
            send_probe(client);
    }
}
