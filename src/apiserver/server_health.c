#include "apiserver/server_health.h"

#include "async/loop.h"
#include "async/timer.h"
#include "base/log.h"
#include "base/memory.h"

#define REMIND_EVERY MINUTE

struct trouble {
    char *words;     /* NULL: none */
    int64_t said;    /* when the log last told of it; 0: never */
    bool is_told_of; /* the log has to tell when it is over */
};

struct server_health {
    struct loop *loop;
    struct trouble troubles[SERVER_HEALTH_PARTS];
    struct timer reminder;
};

struct server_health *server_health_new(struct loop *loop)
{
    struct server_health *health = NEW(struct server_health);
    health->loop = loop;
    return health;
}

void server_health_free(struct server_health *health)
{
    if (!health)
        return;
    timer_stop(health->loop, &health->reminder);
    for (size_t i = 0; i < SERVER_HEALTH_PARTS; i++)
        mem_free(health->troubles[i].words);
    mem_free(health);
}

const char *server_health_name(enum server_health_part part)
{
    static const char *const names[SERVER_HEALTH_PARTS] = {
        [SERVER_HEALTH_STORE] = "store",
        [SERVER_HEALTH_CONNECTIONS] = "connections",
    };
    return names[part];
}

/* Constant messages, so that logs can be searched for them. */
static void log_trouble(enum server_health_part part, const char *words)
{
    if (part == SERVER_HEALTH_STORE)
        log_error("Writes fail", LOG_STR("reason", str_from_c(words)));
    else
        log_error("No more connections are accepted", LOG_STR("reason", str_from_c(words)));
}

static void log_end(enum server_health_part part)
{
    if (part == SERVER_HEALTH_STORE)
        log_info("Writes succeed again");
    else
        log_info("Connections are accepted again");
}

/* Trouble that comes and goes is told of once a minute. */
static void tell(struct server_health *health, enum server_health_part part)
{
    struct trouble *trouble = &health->troubles[part];
    const int64_t now = loop_now(health->loop);
    if (!trouble->words || (trouble->said && now < trouble->said + REMIND_EVERY))
        return;
    trouble->said = now;
    trouble->is_told_of = true;
    log_trouble(part, trouble->words);
}

static void on_reminder(void *data)
{
    struct server_health *health = data;
    bool lasts = false;
    for (size_t i = 0; i < SERVER_HEALTH_PARTS; i++) {
        tell(health, (enum server_health_part)i);
        lasts |= health->troubles[i].words != NULL;
    }
    if (lasts)
        timer_start(health->loop, &health->reminder, loop_now(health->loop) + REMIND_EVERY,
                    on_reminder, health);
}

void server_health_set(struct server_health *health, enum server_health_part part,
                       const char *words)
{
    struct trouble *trouble = &health->troubles[part];
    if (!words && !trouble->words)
        return;
    mem_free(trouble->words);
    trouble->words = words ? mem_dup(words, strlen(words)) : NULL;
    tell(health, part);
    if (!words && trouble->is_told_of) {
        trouble->is_told_of = false;
        log_end(part);
    }
    if (words && !timer_is_started(&health->reminder))
        timer_start(health->loop, &health->reminder, loop_now(health->loop) + REMIND_EVERY,
                    on_reminder, health);
}

const char *server_health_words(const struct server_health *health, enum server_health_part part)
{
    return health->troubles[part].words;
}
