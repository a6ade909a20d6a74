#include "peers/conformance/replay.h"

#include "async/fiber.h"
#include "async/loop.h"
#include "base/map.h"
#include "base/memory.h"
#include "http/client.h"
#include "json/compare.h"
#include "json/path.h"
#include "peers/conformance/request.h"
#include "peers/conformance/stream.h"

#define ANSWER_TIMEOUT       (60 * SECOND)
#define ANSWER_MAX           (64 * MEGABYTE)
#define POLL_TIMEOUT_DEFAULT (30 * SECOND)
#define POLL_EVERY_DEFAULT   (100 * MILLISECOND)
#define WATCH_TIMEOUT        (20 * SECOND)
#define WATCH_SILENCE        (300 * MILLISECOND)
#define BUSY_STATUS          429
#define BUSY_RETRIES         10

struct replay {
    struct loop *loop;
    struct caller *caller;
    const struct exchange_list *list;
    struct compare_options compare;
    struct binding binding;
    struct map streams; /* that were left open, by name */
    struct str group;
};

static void release_stream(void *stream)
{
    stream_free(stream);
}

struct replay *replay_new(struct loop *loop, const struct replay_options *options)
{
    struct replay *replay = NEW(struct replay);
    replay->loop = loop;
    replay->caller = caller_new(loop, &options->caller);
    replay->list = options->list;
    replay->compare = options->compare;
    replay->streams.release = release_stream;
    return replay;
}

void replay_free(struct replay *replay)
{
    if (!replay)
        return;
    map_done(&replay->streams);
    caller_free(replay->caller);
    binding_done(&replay->binding);
    mem_free(replay);
}

/* Seconds, possibly with a fraction. */
static duration span(const struct json_value *options, struct str name, duration usual)
{
    double seconds;
    return json_to_double(json_get(options, name), &seconds) ? (duration)(seconds * (double)SECOND)
                                                             : usual;
}

static bool has(const struct json_value *options, struct str name)
{
    bool set = false;
    return json_to_bool(json_get(options, name), &set) && set;
}

static bool poll_is_over(const struct json_value *poll, const struct answer *answer)
{
    const struct json_value *document = json_doc_root(answer->document), *value;
    const struct json_value *status = json_get(poll, STR("status"));
    if (status && !json_equal(status, json_path(json_doc_root(answer->response), "status")))
        return false;
    JSON_FOREACH (pointer, value, json_get(poll, STR("match"))) {
        const struct json_value *found = pointer_find(document, pointer);
        const bool any = str_eq(json_to_str(value), STR("*"));
        if (!found || (!any && !json_equal(found, value)))
            return false;
    }
    JSON_FOREACH (key, value, json_get(poll, STR("absent"))) {
        const struct json_value *found = pointer_find(document, json_to_str(value));
        if (found && json_type(found) != JSON_NULL)
            return false;
    }
    return true;
}

struct attempt {
    int status;
    duration retry_after;
};

/* Sends the request; on success the caller has a response whose head is there. */
static struct error *send_request(struct replay *replay, const struct exchange *exchange,
                                  struct arena *arena, struct http_response **ret_response)
{
    SCOPED(request) request = {0};
    TRY(request_make(replay->list, exchange, &replay->binding, arena, &request));
    return caller_send(replay->caller, &request, ret_response);
}

static struct answer_head head_of(const struct http_response *response)
{
    return (struct answer_head){http_response_status(response), http_response_headers(response)};
}

static struct error *read_body(const struct exchange *exchange, struct http_response *response,
                               struct answer *ret_answer)
{
    SCOPED(buf) body = {.limit = ANSWER_MAX};
    const struct answer_head head = head_of(response);
    TRY(http_response_read_all(response, &body));
    return answer_from_body(exchange, &head, buf_str(&body), ret_answer);
}

static struct attempt look_at(const struct http_response *response)
{
    int64_t seconds;
    const struct str after = http_headers_find(http_response_headers(response), STR("Retry-After"));
    const bool said = str_to_int64(after, &seconds) && seconds >= 0 && seconds < 60;
    return (struct attempt){http_response_status(response), said ? seconds * SECOND : SECOND};
}

/* One request and its whole answer, unless it is a stream. */
static struct error *try_once(struct replay *replay, const struct exchange *exchange,
                              struct arena *arena, struct attempt *ret_attempt,
                              struct answer *ret_answer)
{
    FIBER_TIMEOUT(ANSWER_TIMEOUT);
    OWNED(http_response) response = NULL;
    TRY(send_request(replay, exchange, arena, &response));
    *ret_attempt = look_at(response);
    return read_body(exchange, response, ret_answer);
}

static bool is_retried(const struct exchange *exchange, int status, int attempts)
{
    int64_t recorded = 0;
    json_to_int64(json_get(exchange->response, STR("status")), &recorded);
    return status == BUSY_STATUS && recorded != BUSY_STATUS && attempts < BUSY_RETRIES;
}

static struct error *ask(struct replay *replay, const struct exchange *exchange,
                         struct arena *arena, struct answer *answer)
{
    for (int attempts = 0;; attempts++) {
        struct attempt attempt;
        answer_done(answer);
        TRY(try_once(replay, exchange, arena, &attempt, answer));
        if (!is_retried(exchange, attempt.status, attempts))
            return NULL;
        TRY(fiber_sleep(attempt.retry_after));
    }
}

/* Repeats the request until the poll is over; only the last answer counts. */
static struct error *ask_until(struct replay *replay, const struct exchange *exchange,
                               struct answer *answer, struct differences *differences)
{
    const struct json_value *poll = exchange->poll;
    const duration most = span(poll, STR("timeout"), POLL_TIMEOUT_DEFAULT);
    const int64_t deadline = loop_now(replay->loop) + most;
    for (;;) {
        SCOPED(arena) arena = {0};
        struct attempt attempt;
        answer_done(answer);
        TRY(try_once(replay, exchange, &arena, &attempt, answer));
        if (poll_is_over(poll, answer))
            return NULL;
        if (loop_now(replay->loop) >= deadline)
            break;
        TRY(fiber_sleep(span(poll, STR("interval"), POLL_EVERY_DEFAULT)));
    }
    DIFFERENCES_PRINT(differences, STR("poll"), "not within %ld s: %.*s", (long)(most / SECOND),
                      STR_ARG(difference_show(differences->arena, poll)));
    return NULL;
}

static struct stream_want want_of(const struct json_value *options)
{
    int64_t events = 0;
    json_to_int64(json_get(options, STR("events")), &events);
    return (struct stream_want){
        .to_the_end = has(options, STR("eof")),
        .events = (size_t)events,
        .timeout = span(options, STR("timeout"), WATCH_TIMEOUT),
        .silence = span(options, STR("quiet"), WATCH_SILENCE),
    };
}

static struct error *read_stream(const struct exchange *exchange, const struct answer_head *head,
                                 struct stream *stream, const struct json_value *options,
                                 struct answer *ret_answer)
{
    SCOPED(answer_events) events = {0};
    const struct stream_want want = want_of(options);
    TRY(stream_collect(stream, &want, &events));
    return answer_from_events(exchange, head, &events, ret_answer);
}

/* The head must come at once, also where events are awaited for long. */
static struct error *open_watch(struct replay *replay, const struct exchange *exchange,
                                struct arena *arena, struct http_response **ret_response)
{
    FIBER_TIMEOUT(ANSWER_TIMEOUT);
    for (int attempts = 0;; attempts++) {
        OWNED(http_response) response = NULL;
        TRY(send_request(replay, exchange, arena, &response));
        const struct attempt attempt = look_at(response);
        if (!is_retried(exchange, attempt.status, attempts)) {
            *ret_response = TAKE(response);
            return NULL;
        }
        TRY(fiber_sleep(attempt.retry_after));
    }
}

static struct error *watch(struct replay *replay, const struct exchange *exchange,
                           struct arena *arena, struct answer *answer)
{
    OWNED(http_response) response = NULL;
    TRY(open_watch(replay, exchange, arena, &response));
    const struct answer_head head = head_of(response);
    if (head.status != 200) {
        FIBER_TIMEOUT(ANSWER_TIMEOUT);
        return read_body(exchange, response, answer);
    }
    const struct str name = json_path_str(exchange->watch, "open");
    OWNED(stream) stream = stream_new(TAKE(response));
    if (!name.len)
        return read_stream(exchange, &head, stream, exchange->watch, answer);
    TRY(answer_from_events(exchange, &head, NULL, answer));
    map_remove(&replay->streams, name);
    map_put(&replay->streams, name, TAKE(stream));
    return NULL;
}

static struct error *read_open(struct replay *replay, const struct exchange *exchange,
                               struct answer *answer)
{
    const struct str name = json_path_str(exchange->read, "stream");
    struct stream *stream = map_find(&replay->streams, name);
    if (!stream)
        return error_new(ERROR_NOT_FOUND, "no stream %.*s is open", STR_ARG(name));
    TRY(read_stream(exchange, &(struct answer_head){0}, stream, exchange->read, answer));
    if (has(exchange->read, STR("close")))
        map_remove(&replay->streams, name);
    return NULL;
}

static struct error *perform(struct replay *replay, const struct exchange *exchange,
                             struct answer *answer, struct differences *differences)
{
    if (exchange->read)
        return read_open(replay, exchange, answer);
    if (exchange->watch)
        return watch(replay, exchange, differences->arena, answer);
    if (exchange->poll)
        return ask_until(replay, exchange, answer, differences);
    return ask(replay, exchange, differences->arena, answer);
}

static void judge(struct replay *replay, const struct exchange *exchange,
                  const struct answer *answer, struct differences *differences)
{
    const struct json_value *document = json_doc_root(answer->document);
    binding_capture(&replay->binding, differences->arena, exchange->capture, document,
                    json_get(exchange->response, STR("body")));
    compare_answer(exchange, json_doc_root(answer->response), &replay->compare, &replay->binding,
                   differences);
    compare_relations(exchange, document, &replay->binding, differences);
}

struct error *replay_exchange(struct replay *replay, const struct exchange *exchange,
                              struct answer *answer, struct differences *differences)
{
    if (!str_eq(replay->group, exchange->group)) {
        replay->group = exchange->group;
        binding_begin_group(&replay->binding);
    }
    OWNED(error) err = perform(replay, exchange, answer, differences);
    if (fiber_is_canceled(fiber_current()))
        return TAKE(err);
    if (err)
        DIFFERENCES_PRINT(differences, STR("answer"), "none: %s", err->message);
    else
        judge(replay, exchange, answer, differences);
    return NULL;
}
