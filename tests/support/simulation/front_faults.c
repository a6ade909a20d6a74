/* How the front of the server behaves while there is trouble. */
#include <string.h>

#include "apimachinery/status.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "http/client.h"
#include "http/server.h"
#include "support/simulation/draw.h"
#include "support/simulation/front.h"
#include "testing/sim_network.h"

#define SLOW_MAX  (3 * SECOND)
#define VERY_SLOW (40 * SECOND) /* longer than clients wait */
#define DELAY_MAX (4 * SECOND)
#define MOOD_MAX  (4 * SECOND)

struct front_faults front_faults_draw(struct random *dice)
{
    return (struct front_faults){
        .refused = draw_share(dice, 0.4),
        .broken = draw_share(dice, 0.3),
        .lost = draw_share(dice, 0.5),
        .slow = draw_share(dice, 0.3),
        .mangled = draw_share(dice, 1.5),
        .duplicate = draw_share(dice, 0.5),
        .delay = draw_share(dice, 0.4),
        .cut = draw_share(dice, 0.2),
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
static struct error *ask_back(struct front *front, struct http_request *http,
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
    return http_client_send(front->direct, &on, ret_response);
}

static struct error *refuse(struct front *front, struct http_request *http)
{
    static const int answers[] = {500, 503, 504, 429, 409};
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) body = {.limit = 0};
    const size_t known = is_read(http) ? COUNT(answers) - 1 : COUNT(answers);
    int status = answers[random_below(&front->dice, known)];
    if (is_watch(http) && draw_chance(&front->dice, 0.3))
        status = 410;
    trace_print(front->options.trace, "  answered %d", status);
    OWNED(error) err = error_new(error_code_from_http_status(status), "not now");
    err->http_status = status;
    status_write(&body, err);
    TRY(http_headers_add(&headers, STR("content-type"), STR("application/json")));
    if (status == 429 || (status == 503 && draw_chance(&front->dice, 0.5)))
        TRY(http_headers_add(&headers, STR("retry-after"), STR("1")));
    TRY(http_request_respond(http, status, &headers));
    return http_request_write(http, buf_str(&body));
}

/* Done, and nobody hears of it; or hears something that is not true. */
static struct error *lose(struct front *front, struct http_request *http)
{
    OWNED(http_response) response = NULL;
    SCOPED(buf) answer = {.limit = 0};
    TRY(ask_back(front, http, &response));
    TRY(http_response_read_all(response, &answer));
    trace_print(front->options.trace, "  done (%d), answer lost", http_response_status(response));
    switch (random_below(&front->dice, 4)) {
    case 0:
        TRY(fiber_sleep(VERY_SLOW));
        break;
    case 1:
        return refuse(front, http);
    default:
        break;
    }
    http_request_break(http);
    return NULL;
}

static struct error *pass_event(struct front *front, struct http_request *http, struct str line)
{
    struct random *dice = &front->dice;
    const struct front_faults *faults = &front->faults;
    SCOPED(buf) event = {.limit = 0};
    buf_print(&event, "%.*s\n", STR_ARG(line));
    if (!front->in_trouble)
        return http_request_write(http, buf_str(&event));
    if (draw_chance(dice, faults->cut)) {
        http_request_break(http);
        return error_new(ERROR_CONNECTION, "cut");
    }
    if (draw_chance(dice, faults->delay))
        TRY(fiber_sleep(draw_span(dice, DELAY_MAX)));
    TRY(http_request_write(http, buf_str(&event)));
    return draw_chance(dice, faults->duplicate) ? http_request_write(http, buf_str(&event)) : NULL;
}

static struct error *mangle(struct front *front, struct http_request *http)
{
    SCOPED(http_headers) headers = {0};
    OWNED(http_response) response = NULL;
    struct str line;
    TRY(ask_back(front, http, &response));
    TRY(http_headers_add(&headers, STR("content-type"), STR("application/json")));
    TRY(http_request_respond(http, http_response_status(response), &headers));
    for (;;) {
        TRY(http_response_read_line(response, &line));
        if (!line.ptr)
            return NULL;
        TRY(pass_event(front, http, line));
    }
}

static struct error *break_off(struct http_request *http)
{
    http_request_break(http);
    return NULL;
}

static struct error *misbehave(struct front *front, struct http_request *http)
{
    struct random *dice = &front->dice;
    const struct front_faults *faults = &front->faults;
    if (draw_chance(dice, faults->slow)) {
        const bool very = draw_chance(dice, 0.1);
        TRY(fiber_sleep(draw_span(dice, very ? VERY_SLOW : SLOW_MAX)));
        /* Who asked may have gone without our hearing of it. */
        if (front->is_silent || front->is_cut)
            return break_off(http);
    }
    if (draw_chance(dice, faults->broken)) {
        trace_print(front->options.trace, "  broken");
        return break_off(http);
    }
    if (draw_chance(dice, faults->refused))
        return refuse(front, http);
    if (is_watch(http))
        return draw_chance(dice, faults->mangled) ? mangle(front, http)
                                                  : handler_serve(&front->handler, http);
    if (draw_chance(dice, faults->lost))
        return lose(front, http);
    return handler_serve(&front->handler, http);
}

/* Whoever comes is a stranger, or may not. */
static struct error *turn_away(struct http_request *http, enum error_code code, int status)
{
    SCOPED(buf) body = {.limit = 0};
    OWNED(error) err = error_new(code, "turned away");
    err->http_status = status;
    status_write(&body, err);
    return http_request_answer(http, status, STR("application/json"), buf_str(&body));
}

static bool is_forbidden(const struct front *front, struct http_request *http)
{
    return front->options.forbidden && !is_read(http) &&
           has_part(http_request_target(http), front->options.forbidden);
}

static struct error *serve(struct front *front, struct http_request *http)
{
    if (front->is_cut)
        return break_off(http);
    if (front->unauthorized)
        return turn_away(http, ERROR_UNAUTHORIZED, 401);
    if (is_forbidden(front, http))
        return turn_away(http, ERROR_FORBIDDEN, 403);
    return front->in_trouble ? misbehave(front, http) : handler_serve(&front->handler, http);
}

struct error *front_serve(void *data, struct http_request *http)
{
    struct front *front = data;
    const bool watches = is_watch(http);
    front->requests++;
    front->writes += !is_read(http) && !has_part(http_request_target(http), "dryRun=All");
    front->reads += is_read(http) && !watches;
    front->active++;
    front->watches += watches;
    trace_print(front->options.trace, "%sasked: %.*s %.*s", front->options.name,
                STR_ARG(http_request_method(http)), STR_ARG(http_request_target(http)));
    if (front->options.asked && !front->is_cut)
        front->options.asked(front, http);
    struct error *err = serve(front, http);
    front->active--;
    front->watches -= watches;
    return err;
}

enum mood { FAIR, LOSSY, RESETS, NOBODY_THERE, SILENT, RESTART, MOODS };

static const char *const mood_names[MOODS] = {"fair",         "lossy",  "resets",
                                              "nobody there", "silent", "server restarts"};

static struct sim_faults faults_of(struct front *front, enum mood mood)
{
    struct random *dice = &front->dice;
    switch (mood) {
    case LOSSY:
        return (struct sim_faults){.latency = draw_span(dice, 50 * MILLISECOND),
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
static struct error *restart_server(struct front *front)
{
    if (!front->front)
        return NULL; /* somebody else is at it */
    front_shut(front);
    struct error *err = fiber_sleep(draw_span(&front->dice, MOOD_MAX));
    FIBER_SHIELD(FOREVER);
    front_listen(front);
    return err;
}

struct error *front_weather(void *data)
{
    struct front *front = data;
    for (;;) {
        const enum mood mood = (enum mood)random_below(&front->dice, MOODS);
        const struct sim_faults faults = faults_of(front, mood);
        trace_print(front->options.trace, "%sweather: %s", front->options.name, mood_names[mood]);
        front->is_silent = mood == SILENT;
        sim_network_set_faults(front->options.network, front->options.host, &faults);
        if (mood == RESTART)
            TRY(restart_server(front));
        TRY(fiber_sleep(draw_span(&front->dice, MOOD_MAX)));
    }
}

void front_clear_sky(struct front *front)
{
    front->in_trouble = front->unauthorized = front->is_silent = false;
    sim_network_set_faults(front->options.network, front->options.host, &(struct sim_faults){0});
    trace_print(front->options.trace, "%sthe trouble is over", front->options.name);
}
