/*
 * One exchange from the caller's point of view: client_exchange() waits for the rate limit, calls
 * exchange_once() under the timeout of the request and repeats it where that is safe.
 *
 * Each repetition takes a token of the rate limit again and has the full timeout again. Repetitions
 * mirror client-go's rest.Request: at most ten, on 429 and 5xx only with Retry-After, and for GET
 * also when the connection was lost before a response.
 */
#include "apimachinery/status.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/log.h"
#include "client/client_internal.h"
#include "client/rate_limit.h"
#include "client/warning_text.h"
#include "http/url.h"

#define REPEATS_MAX    10
#define REPEAT_DELAY   SECOND
#define ERROR_BODY_MAX (256 * KILOBYTE)

void client_query_add(struct buf *query, const char *name, struct str value)
{
    if (!value.len)
        return;
    if (query->len)
        buf_add_char(query, '&');
    buf_add(query, str_from_c(name));
    buf_add_char(query, '=');
    url_escape_query(query, value);
}

void client_query_add_int(struct buf *query, const char *name, int64_t value)
{
    char digits[24];
    const int len = snprintf(digits, sizeof(digits), "%lld", (long long)value);
    client_query_add(query, name, str_from(digits, (size_t)len));
}

static void show_warning(const struct client_options *options, struct str text)
{
    if (options->warn)
        options->warn(options->warn_data, text);
    else
        log_v(2, "Warning from the server", LOG_STR("warning", text));
}

void client_show_warnings(const struct client_options *options, const struct http_headers *headers)
{
    HTTP_HEADERS_FOREACH (header, headers) {
        SCOPED(buf) text = {0};
        struct str value = header.value;
        if (!str_eq(header.name, STR("warning")))
            continue;
        for (; warning_text_next(&value, &text); buf_clear(&text))
            show_warning(options, buf_str(&text));
    }
}

/* -1 if there is no usable header. API servers send seconds, never the form with a date. */
static duration retry_after(const struct http_response *response)
{
    const struct str value = http_headers_find(http_response_headers(response), STR("retry-after"));
    int64_t seconds;
    if (!str_to_int64(value, &seconds) || seconds < 0 || seconds > HOUR / SECOND)
        return -1;
    return seconds * SECOND;
}

/* Turns a response that is not a success into an error, from the Status in its body. Suspends. */
static struct error *read_failure(struct http_response *response, duration *ret_retry_after)
{
    SCOPED(buf) body = {.limit = ERROR_BODY_MAX};
    *ret_retry_after = retry_after(response);
    /* An incomplete body still tells more than none, so errors of reading it are ignored. */
    error_free(http_response_read_all(response, &body));
    struct error *err = status_read_error(http_response_status(response), buf_str(&body));
    if (*ret_retry_after > 0)
        err->retry_after = *ret_retry_after;
    return err;
}

static bool is_success(int status)
{
    return (status >= 200 && status <= 299) || status == 304;
}

/* Suspends. Each piece is counted before the next one is waited for. */
static struct error *read_body(struct http_response *response, struct answer *body)
{
    for (;;) {
        struct str piece;
        TRY(answer_wait_turn(body));
        TRY(http_response_read_piece(response, &piece));
        if (!piece.len)
            return NULL;
        TRY(answer_add(body, piece), "read the response");
    }
}

/* Suspends. */
static struct error *read_success(struct client *client, const struct client_request *request,
                                  struct http_response *response, struct arena *arena,
                                  struct answer *body, struct client_raw_answer *ret_answer)
{
    const struct http_headers *headers = http_response_headers(response);
    if (ret_answer)
        *ret_answer = (struct client_raw_answer){
            .status = http_response_status(response),
            .content_type = arena_str(arena, http_headers_find(headers, STR("content-type"))),
            .etag = arena_str(arena, http_headers_find(headers, STR("etag"))),
        };
    TRY(read_body(response, body), "%.*s %.*s%.*s", STR_ARG(request->method),
        STR_ARG(client_host(client)), STR_ARG(request->path));
    return NULL;
}

/*
 * The delay before the next attempt; -1 if the error is final. With Retry-After the server has not
 * acted, so any verb may be repeated. Without a response it is unknown whether the server has
 * acted, so only a GET may be repeated.
 */
static duration repeat_delay(const struct client_request *request, const struct error *err,
                             duration asked)
{
    if (request->no_retry)
        return -1;
    if ((err->http_status == 429 || err->http_status >= 500) && asked >= 0)
        return asked;
    const bool lost = error_is(err, ERROR_CONNECTION) || error_is(err, ERROR_PROTOCOL);
    return lost && !err->http_status && str_eq(request->method, STR("GET")) ? REPEAT_DELAY : -1;
}

/* A failed attempt may have left a part of the body, which the next attempt must not see. */
struct error *client_exchange(struct client *client, const struct client_request *request,
                              struct arena *arena, struct answer *body,
                              struct client_raw_answer *ret_answer)
{
    const struct client_options *options = client_options_of(client);
    const duration limit = request->timeout ? request->timeout : options->timeout;
    body->pool = options->answers;
    body->allowance = client_answer_allowance(client);
    if (!body->text.limit)
        body->text.limit = options->answer_max;
    for (int repeats = 0;; repeats++) {
        struct error *err;
        duration asked = -1;
        if (request->rate_limit)
            TRY(rate_limit_wait(request->rate_limit));
        {
            OWNED(http_response) response = NULL;
            FIBER_TIMEOUT(limit); /* of one attempt, without the pauses between attempts */
            err = client_begin(client, request, limit, &response);
            if (!err && !is_success(http_response_status(response)))
                err = read_failure(response, &asked);
            else if (!err)
                err = read_success(client, request, response, arena, body, ret_answer);
        }
        if (!err)
            return NULL;
        const duration delay = repeats < REPEATS_MAX ? repeat_delay(request, err, asked) : -1;
        if (delay < 0)
            return err;
        log_v(6, "Request is repeated", LOG_STR("path", request->path), LOG_ERROR(err));
        struct error *interrupted = fiber_sleep(delay);
        if (interrupted) {
            error_free(interrupted); /* the error of the server tells more than the deadline */
            return err;
        }
        error_free(err);
        answer_done(body);
    }
}
