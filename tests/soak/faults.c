/* How the front of the server behaves while there is trouble. */
#include <string.h>

#include "api/status.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "http/client.h"
#include "http/server.h"
#include "soak/soak.h"

#define SLOW_MOST       (3 * SECOND)
#define VERY_SLOW       (40 * SECOND) /* longer than clients wait */
#define DELAY_MOST      (4 * SECOND)
#define MOOD_MOST       (4 * SECOND)
#define HISTORY_MOST    12
#define RESTARTS_MOST   3
#define RESTARTS_WITHIN 1500

bool soak_chance(struct random *dice, double share)
{
    return random_double(dice) < share;
}

duration soak_span(struct random *dice, duration most)
{
    return (duration)random_below(dice, (uint64_t)most);
}

/* Every run leaves some kinds of fault out: those that are left meet each other more often. */
static double share(struct random *dice, double most)
{
    return soak_chance(dice, 0.4) ? 0 : most * random_double(dice);
}

void soak_profile_draw(struct soak *soak)
{
    struct random dice;
    random_init(&dice, soak->seed ^ 0xfa17);
    random_init(&soak->fault_dice, random_u64(&dice));
    random_init(&soak->world_dice, random_u64(&dice));
    random_init(&soak->restart_dice, random_u64(&dice));
    soak->profile = (struct soak_profile){
        .refused = share(&dice, 0.4),
        .broken = share(&dice, 0.3),
        .lost = share(&dice, 0.5),
        .slow = share(&dice, 0.3),
        .mangled = share(&dice, 1.5),
        .duplicate = share(&dice, 0.5),
        .delay = share(&dice, 0.4),
        .cut = share(&dice, 0.2),
        .weather = soak_chance(&dice, 0.6),
        .restarts = random_below(&dice, RESTARTS_MOST + 1),
        .restart_parks = 20 + random_below(&dice, RESTARTS_WITHIN),
        .history = 1 + random_below(&dice, HISTORY_MOST),
        .trouble = 5 * SECOND + soak_span(&dice, 15 * SECOND),
    };
}

static bool has_part(struct str text, const char *part)
{
    return memmem(text.ptr, text.len, part, strlen(part)) != NULL;
}

static bool is_read(struct http_request *http)
{
    return str_eq(http_request_method(http), STR("GET"));
}

static bool is_watch(struct http_request *http)
{
    return is_read(http) && has_part(http_request_target(http), "watch=true");
}

/* Asked on behalf of the client at the other entrance. */
static struct error *ask_back(struct soak *soak, struct http_request *http,
                              struct http_response **ret_response)
{
    static const char *const names[] = {"authorization", "content-type", "accept", "if-none-match"};
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) body = {.limit = 0};
    TRY(http_request_read_all(http, &body));
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct str value =
            http_headers_find(http_request_headers(http), str_from_c(names[i]));
        if (value.len)
            TRY(http_headers_add(&headers, str_from_c(names[i]), value));
    }
    const struct http_client_request on = {.method = http_request_method(http),
                                           .target = http_request_target(http),
                                           .headers = &headers,
                                           .body = buf_str(&body)};
    return http_client_send(soak->direct, &on, ret_response);
}

static struct error *refuse(struct soak *soak, struct http_request *http)
{
    static const int answers[] = {500, 503, 504, 429, 409};
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) body = {.limit = 0};
    const size_t known = is_read(http) ? COUNT(answers) - 1 : COUNT(answers);
    int status = answers[random_below(&soak->fault_dice, known)];
    if (is_watch(http) && soak_chance(&soak->fault_dice, 0.3))
        status = 410;
    soak_trace(soak, "  answered %d", status);
    OWNED(error) err = error_new(error_code_from_http_status(status), "not now");
    err->http_status = status;
    status_write(&body, err);
    TRY(http_headers_add(&headers, STR("content-type"), STR("application/json")));
    if (status == 429 || (status == 503 && soak_chance(&soak->fault_dice, 0.5)))
        TRY(http_headers_add(&headers, STR("retry-after"), STR("1")));
    TRY(http_request_respond(http, status, &headers));
    return http_request_write(http, buf_str(&body));
}

/* Done, and nobody hears of it; or hears something that is not true. */
static struct error *lose(struct soak *soak, struct http_request *http)
{
    OWNED(http_response) response = NULL;
    SCOPED(buf) answer = {.limit = 0};
    TRY(ask_back(soak, http, &response));
    TRY(http_response_read_all(response, &answer));
    soak_trace(soak, "  done (%d), answer lost", http_response_status(response));
    switch (random_below(&soak->fault_dice, 4)) {
    case 0:
        TRY(fiber_sleep(VERY_SLOW));
        break;
    case 1:
        return refuse(soak, http);
    default:
        break;
    }
    http_request_break(http);
    return NULL;
}

static struct error *pass_event(struct soak *soak, struct http_request *http, struct str line)
{
    struct random *dice = &soak->fault_dice;
    const struct soak_profile *profile = &soak->profile;
    SCOPED(buf) event = {.limit = 0};
    buf_print(&event, "%.*s\n", STR_ARG(line));
    if (!soak->in_trouble)
        return http_request_write(http, buf_str(&event));
    if (soak_chance(dice, profile->cut)) {
        http_request_break(http);
        return error_new(ERROR_CONNECTION, "cut");
    }
    if (soak_chance(dice, profile->delay))
        TRY(fiber_sleep(soak_span(dice, DELAY_MOST)));
    TRY(http_request_write(http, buf_str(&event)));
    return soak_chance(dice, profile->duplicate) ? http_request_write(http, buf_str(&event)) : NULL;
}

static struct error *mangle(struct soak *soak, struct http_request *http)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    struct str line;
    TRY(ask_back(soak, http, &response));
    TRY(http_headers_add(&headers, STR("content-type"), STR("application/json")));
    TRY(http_request_respond(http, http_response_status(response), &headers));
    for (;;) {
        TRY(http_response_read_line(response, &line));
        if (!line.ptr)
            return NULL;
        TRY(pass_event(soak, http, line));
    }
}

static struct error *misbehave(struct soak *soak, struct http_request *http)
{
    struct random *dice = &soak->fault_dice;
    const struct soak_profile *profile = &soak->profile;
    if (soak_chance(dice, profile->slow)) {
        const bool very = soak_chance(dice, 0.1);
        TRY(fiber_sleep(soak_span(dice, very ? VERY_SLOW : SLOW_MOST)));
    }
    if (soak_chance(dice, profile->broken)) {
        soak_trace(soak, "  broken");
        http_request_break(http);
        return NULL;
    }
    if (soak_chance(dice, profile->refused))
        return refuse(soak, http);
    if (is_watch(http))
        return soak_chance(dice, profile->mangled) ? mangle(soak, http)
                                                   : handler_serve(&soak->handler, http);
    if (soak_chance(dice, profile->lost))
        return lose(soak, http);
    return handler_serve(&soak->handler, http);
}

struct error *soak_front_serve(void *data, struct http_request *http)
{
    struct soak *soak = data;
    const bool watches = is_watch(http);
    soak->requests++;
    soak->writes += !is_read(http);
    soak->reads += is_read(http) && !watches;
    soak->active++;
    soak->watches += watches;
    soak_trace(soak, "asked: %.*s %.*s", STR_ARG(http_request_method(http)),
               STR_ARG(http_request_target(http)));
    struct error *err =
        soak->in_trouble ? misbehave(soak, http) : handler_serve(&soak->handler, http);
    soak->active--;
    soak->watches -= watches;
    return err;
}

enum mood { FAIR, LOSSY, RESETS, NOBODY_THERE, SILENT, RESTART, MOODS };

static const char *const mood_names[MOODS] = {"fair",         "lossy",  "resets",
                                              "nobody there", "silent", "server restarts"};

static struct sim_faults faults_of(struct soak *soak, enum mood mood)
{
    struct random *dice = &soak->fault_dice;
    switch (mood) {
    case LOSSY:
        return (struct sim_faults){.latency = soak_span(dice, 50 * MILLISECOND),
                                   .jitter = 300 * MILLISECOND,
                                   .loss = 0.1,
                                   .piece_max = 2000,
                                   .spurious = true};
    case RESETS:
        return (struct sim_faults){.jitter = 20 * MILLISECOND, .reset = 0.05};
    case NOBODY_THERE:
        return (struct sim_faults){.refuse = true};
    case SILENT:
        return (struct sim_faults){.black_hole = true};
    default:
        return (struct sim_faults){0};
    }
}

/* A server without its address for a while; what it stores stays. */
static struct error *restart_server(struct soak *soak)
{
    soak_front_close(soak);
    struct error *err = fiber_sleep(soak_span(&soak->fault_dice, MOOD_MOST));
    FIBER_SHIELD(FOREVER);
    soak_front_open(soak);
    return err;
}

struct error *soak_weather(void *data)
{
    struct soak *soak = data;
    for (;;) {
        const enum mood mood = (enum mood)random_below(&soak->fault_dice, MOODS);
        const struct sim_faults faults = faults_of(soak, mood);
        soak_trace(soak, "weather: %s", mood_names[mood]);
        sim_network_set_faults(soak->network, SOAK_FRONT, &faults);
        if (mood == RESTART)
            TRY(restart_server(soak));
        TRY(fiber_sleep(soak_span(&soak->fault_dice, MOOD_MOST)));
    }
}

void soak_clear_sky(struct soak *soak)
{
    soak->in_trouble = false;
    sim_network_set_faults(soak->network, SOAK_FRONT, &(struct sim_faults){0});
    soak_trace(soak, "the trouble is over");
}
