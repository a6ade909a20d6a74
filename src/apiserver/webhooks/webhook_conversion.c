/*
 * Questions come from crd_convert(), see crd_conversion.h. ask_questions() takes all of them that
 * are about one version, sends one ConversionReview, and puts the answers where crd_convert() finds
 * them.
 */
#include "apiserver/webhooks/webhook_conversion.h"

#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "apiserver/endpoints/request.h"
#include "apiserver/webhooks/conversion_review.h"
#include "apiserver/webhooks/webhook_call.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "json/path.h"

#define TIMEOUT    (30 * SECOND)
#define TURN_MAX   (5 * MINUTE) /* that a watch waits for its turn */
#define ANSWER_MAX (8 * MEGABYTE)

/* A call for a list: so many objects, or so many bytes of them. */
#define PIECE_OBJECTS 128
#define PIECE_BYTES   (1 * MEGABYTE)

/* Answers that a list keeps for its next step, in bytes of their text. */
#define KEPT_BYTES (1 * MEGABYTE)

/* A write in another version needs two to five rounds; each further version of managers, three. */
#define ROUNDS_MAX 64

/* The conversions of a request. */
struct webhook_conversion {
    struct request *request;
    struct crd_conversions known;
    size_t kept; /* bytes of answers that are known */
    size_t held; /* of these, bytes that count as the request's */
    bool has_failed;
};

static void release_conversion(void *data)
{
    struct webhook_conversion *conversion = data;
    crd_conversions_done(&conversion->known);
}

const struct kind *webhook_conversion_kind(struct request *request, const struct kind *kind)
{
    if (!kind || !crd_conversion_webhook(kind))
        return kind;
    struct webhook_conversion *conversion = ARENA_NEW(request->arena, struct webhook_conversion);
    *conversion = (struct webhook_conversion){.request = request};
    arena_hold(request->arena, release_conversion, conversion);
    return crd_conversions_view(&conversion->known, request->arena, kind);
}

static struct webhook_conversion *conversion_of(const struct kind *kind)
{
    struct crd_conversions *known = crd_conversions_of(kind);
    return known ? CONTAINER_OF(known, struct webhook_conversion, known) : NULL;
}

bool webhook_conversion_has_failed(const struct kind *kind)
{
    const struct webhook_conversion *conversion = conversion_of(kind);
    return conversion && conversion->has_failed;
}

static void forget_answers(struct webhook_conversion *conversion)
{
    crd_conversions_clear(&conversion->known);
    inflight_limits_give(conversion->request->pass, conversion->held);
    conversion->kept = conversion->held = 0;
}

void webhook_conversion_forget(const struct kind *kind)
{
    struct webhook_conversion *conversion = conversion_of(kind);
    if (conversion)
        forget_answers(conversion);
}

/* One review and its answer. */
struct conversion_exchange {
    struct crd_question *questions;
    size_t count, capacity;
    struct json_doc **converted; /* one for each question; NULL until they are known */
    struct conversion_review review;
    char uid[RANDOM_UUID_LEN + 1];
    struct buf body, text;
};

static void conversion_exchange_done(struct conversion_exchange *exchange)
{
    for (size_t i = 0; i < exchange->count; i++) {
        json_doc_free(exchange->questions[i].object);
        json_doc_free(exchange->converted[i]);
    }
    mem_free(exchange->questions);
    mem_free(exchange->converted);
    buf_done(&exchange->body);
    buf_done(&exchange->text);
}

/* Takes the questions about the version of the first one, in their order. */
static void take_questions(struct crd_conversions *known, struct conversion_exchange *exchange)
{
    const struct str version = known->questions[0].to.version;
    size_t left = 0;
    for (size_t i = 0; i < known->count; i++) {
        const struct crd_question question = known->questions[i];
        if (str_eq(question.to.version, version))
            ARRAY_PUSH(exchange->questions, exchange->count, exchange->capacity, question);
        else
            known->questions[left++] = question;
    }
    known->count = left;
    exchange->converted = mem_alloc_zero(exchange->count * sizeof(struct json_doc *));
}

static struct error *write_question(void *data)
{
    struct conversion_exchange *exchange = data;
    return conversion_review_write(&exchange->review, &exchange->body);
}

static struct error *read_converted(void *data)
{
    struct conversion_exchange *exchange = data;
    return conversion_review_read(&exchange->review, buf_str(&exchange->text), exchange->converted);
}

static size_t size_of_questions(const struct conversion_exchange *exchange)
{
    size_t size = 0;
    for (size_t i = 0; i < exchange->count; i++)
        size += json_size(json_doc_root(exchange->questions[i].object)) / 2;
    return size;
}

/* A turn of a watch. Zero is none. */
struct stream_turn {
    struct semaphore *turns;
};

static void stream_turn_done(struct stream_turn *turn)
{
    if (turn->turns)
        semaphore_give(turn->turns);
}

/* Requests have a share of their own, and are refused when it is used up. Watches wait. */
static struct error *take_turn(const struct request *request, struct stream_turn *turn)
{
    struct semaphore *turns = &request->api->conversion_turns;
    if (request->verb != VERB_WATCH)
        return NULL;
    FIBER_TIMEOUT(TURN_MAX);
    struct error *err = semaphore_take(turns);
    if (!err)
        turn->turns = turns;
    if (!error_is(err, ERROR_DEADLINE))
        return err;
    error_free(err);
    return error_new(ERROR_TOO_MANY_REQUESTS,
                     "Too many watches wait for conversion webhooks, please try again later.");
}

/* Errors that say nothing about the webhook. */
static bool is_ours(const struct error *err)
{
    return error_is(err, ERROR_CANCELED) || error_is(err, ERROR_DEADLINE) ||
           error_is(err, ERROR_TOO_MANY_REQUESTS);
}

static struct error *call_webhook(struct webhook_conversion *conversion,
                                  const struct json_value *webhook,
                                  struct conversion_exchange *exchange)
{
    const struct request *request = conversion->request;
    const size_t before = request->pass ? request->pass->bytes : 0;
    SCOPED(stream_turn) turn = {0};
    SCOPED(webhook_wait) wait = {0};
    const struct webhook_request call = {
        .client_config = json_path(webhook, "clientConfig"),
        .timeout = TIMEOUT,
        .body = buf_str(&exchange->body),
        .answer_max = ANSWER_MAX,
        .pass = request->pass,
        .context = "",
    };
    TRY(take_turn(request, &turn));
    TRY(webhook_wait_begin(&wait, request->api));
    struct error *err = webhook_call(request->api, &call, &exchange->text);
    conversion->held += request->pass ? request->pass->bytes - before : 0;
    if (!err || is_ours(err))
        return err;
    OWNED(error) owned = err;
    return conversion_review_failure(&exchange->review, err->message);
}

static void take_answers(struct webhook_conversion *conversion,
                         const struct conversion_exchange *exchange)
{
    for (size_t i = 0; i < exchange->count; i++)
        crd_conversions_put(&conversion->known, &exchange->questions[i],
                            TAKE(exchange->converted[i]));
    conversion->kept += exchange->text.len;
}

static struct error *ask_questions(struct webhook_conversion *conversion, const struct kind *kind)
{
    const struct json_value *webhook = crd_conversion_webhook(kind);
    SCOPED(conversion_exchange) exchange = {.body.secret = true, .text.secret = true};
    take_questions(&conversion->known, &exchange);
    random_uuid(loop_random(conversion->request->api->loop), exchange.uid);
    exchange.review = (struct conversion_review){
        .uid = str_from(exchange.uid, RANDOM_UUID_LEN),
        .to = exchange.questions[0].to,
        .questions = exchange.questions,
        .count = exchange.count,
    };
    TRY(conversion_review_version(webhook, &exchange.review.version));
    TRY(compute_sized(size_of_questions(&exchange), write_question, &exchange));
    TRY(call_webhook(conversion, webhook, &exchange));
    TRY(compute_sized(exchange.text.len, read_converted, &exchange));
    take_answers(conversion, &exchange);
    return NULL;
}

static struct error *ask_all(struct webhook_conversion *conversion, const struct kind *kind)
{
    while (conversion->known.count) {
        struct error *err = ask_questions(conversion, kind);
        if (!err)
            continue;
        conversion->has_failed = !error_is(err, ERROR_CANCELED);
        return err;
    }
    return NULL;
}

struct error *webhook_conversion_run(const struct kind *kind, size_t size, compute_fn *work,
                                     void *data)
{
    struct webhook_conversion *conversion = conversion_of(kind);
    if (!conversion)
        return compute_sized(size, work, data);
    for (size_t i = 0; i < ROUNDS_MAX; i++) {
        struct error *err = compute_sized(size, work, data);
        if (conversion->known.count == 0)
            return err;
        error_free(err);
        TRY(ask_all(conversion, kind));
    }
    return status_internal("more than %d conversions are needed", ROUNDS_MAX);
}

/* Objects of a list that are read to find out what is to be converted. */
struct piece {
    const struct kind *kind;
    struct object_text *const *items;
    size_t begin, end;
};

/* What cannot be read is told when the object is sent. */
static struct error *read_piece(void *data)
{
    const struct piece *piece = data;
    for (size_t i = piece->begin; i < piece->end; i++) {
        OWNED(json_doc) doc = NULL;
        error_free(codec_read_stored(piece->kind, piece->items[i], &doc));
    }
    return NULL;
}

struct error *webhook_conversion_prepare(const struct kind *kind, struct object_text *const *items,
                                         size_t count, size_t begin, size_t *ret_end)
{
    struct webhook_conversion *conversion = conversion_of(kind);
    struct piece piece = {kind, items, begin, begin};
    size_t bytes = 0;
    *ret_end = count;
    if (!conversion || begin >= count)
        return NULL;
    if (conversion->kept > KEPT_BYTES)
        forget_answers(conversion);
    while (piece.end < count && piece.end - begin < PIECE_OBJECTS && bytes < PIECE_BYTES)
        bytes += object_text_size(items[piece.end++]);
    TRY(compute_sized(bytes, read_piece, &piece));
    TRY(ask_all(conversion, kind));
    *ret_end = piece.end;
    return NULL;
}
