#include "peers/differential/play.h"

#include "async/fiber.h"
#include "base/buf.h"
#include "http/client.h"
#include "json/builder.h"
#include "json/path.h"
#include "peers/conformance/answer.h"
#include "peers/conformance/binding.h"
#include "peers/conformance/compare.h"
#include "peers/conformance/fetch.h"
#include "peers/conformance/request.h"
#include "peers/differential/causes.h"

#define ANSWER_TIMEOUT (60 * SECOND)
#define ANSWER_MAX     (64 * MEGABYTE)
#define BUSY_STATUS    429
#define BUSY_RETRIES   20

/* What is known while one sequence is played. */
struct playing {
    struct play *play;
    struct outcome *outcome;
    struct binding real, corset; /* variables of each side */
    struct binding both;         /* which value of one stands for which of the other */
    bool is_over;
};

static void playing_done(struct playing *playing)
{
    binding_done(&playing->real);
    binding_done(&playing->corset);
    binding_done(&playing->both);
}

void outcome_done(struct outcome *outcome)
{
    json_doc_free(outcome->request);
    arena_done(&outcome->arena);
    *outcome = (struct outcome){0};
}

/*
 * An error quotes the place in kube-apiserver's source where a scheme was made. It is worked out
 * from paths of packages, which look otherwise in a program that was built from published modules.
 */
static struct str mend_scheme(struct arena *arena, struct str body)
{
    return exchange_replace(arena, body, STR("pkg/runtime/scheme.go:111"),
                            STR("pkg/api/legacyscheme/scheme.go:30"));
}

static struct error *try_send(struct playing *playing, struct caller *caller,
                              const struct binding *binding, const struct exchange *exchange,
                              int *ret_status, struct answer *ret_answer)
{
    FIBER_TIMEOUT(ANSWER_TIMEOUT);
    SCOPED(arena) arena = {0};
    SCOPED(request) request = {0};
    SCOPED(buf) body = {.limit = ANSWER_MAX};
    OWNED(http_response) response = NULL;
    TRY(request_make(&playing->play->list, exchange, binding, &arena, &request));
    TRY(caller_send(caller, &request, &response));
    const struct answer_head head = {http_response_status(response),
                                     http_response_headers(response)};
    *ret_status = head.status;
    TRY(http_response_read_all(response, &body));
    return answer_from_body(exchange, &head, mend_scheme(&arena, buf_str(&body)), ret_answer);
}

/* Suspends. A server that has too much to do is asked again. */
static struct error *send_step(struct playing *playing, struct caller *caller,
                               const struct binding *binding, const struct exchange *exchange,
                               struct answer *answer)
{
    for (int tries = 0;; tries++) {
        int status;
        answer_done(answer);
        TRY(try_send(playing, caller, binding, exchange, &status, answer));
        playing->play->requests++;
        if (status != BUSY_STATUS || tries == BUSY_RETRIES)
            return NULL;
        TRY(fiber_sleep(SECOND));
    }
}

/* Versions, uids and tokens of an answer are there for later requests. */
static void remember(struct binding *binding, struct arena *arena, const struct json_value *step,
                     const struct json_value *body)
{
    const struct str object = json_path_str(step, "object");
    const struct str token = json_path_str(body, "metadata.continue");
    const struct str uid = json_path_str(body, "metadata.uid");
    if (token.len)
        binding_set(binding, STR("continue"), token);
    /* What a dry run says of an object is not there afterwards. */
    if (!object.len || !uid.len || json_path(step, "query.dryRun"))
        return;
    binding_set(binding, arena_print(arena, "uid:%.*s", STR_ARG(object)), uid);
    binding_set(binding, arena_print(arena, "rv:%.*s", STR_ARG(object)),
                json_path_str(body, "metadata.resourceVersion"));
}

static int64_t status_of(const struct answer *answer)
{
    int64_t status = 0;
    (void)json_to_int64(json_path(json_doc_root(answer->response), "status"), &status);
    return status;
}

static struct str words_of(const struct answer *answer)
{
    const struct json_value *body = json_doc_root(answer->document);
    const struct str message = json_path_str(body, "message");
    return message.len ? message : json_path_str(body, "kind");
}

/* Where the errors of an object stand that are compared one by one. */
static struct exchange_patterns places_of_causes(struct arena *arena)
{
    static const char *const pointers[] = {"/message", "/details/causes"};
    struct exchange_patterns patterns = {
        arena_alloc_array(arena, COUNT(pointers), sizeof(*patterns.items)), COUNT(pointers)};
    for (size_t i = 0; i < COUNT(pointers); i++)
        patterns.items[i] = pointer_read(arena, str_from_c(pointers[i]));
    return patterns;
}

/* Bodies of different codes are different everywhere, so the codes and messages stand for them. */
static void compare_answers(struct playing *playing, struct exchange *exchange,
                            const struct answer *real, const struct answer *corset,
                            struct differences *differences)
{
    const struct compare_options options = {.strict_managed_fields = true};
    const struct causes_answer was = {(int)status_of(real), json_doc_root(real->document)};
    const struct causes_answer is = {(int)status_of(corset), json_doc_root(corset->document)};
    const bool with_causes = causes_are_comparable(&was, &is);
    exchange->response = json_doc_root(real->response);
    if (with_causes) {
        causes_compare(&was, &is, differences);
        exchange->loose = places_of_causes(differences->arena);
    }
    if (was.status == is.status)
        compare_answer(exchange, json_doc_root(corset->response), &options, &playing->both,
                       differences);
    else if (!with_causes)
        DIFFERENCES_PRINT(differences, STR("status"), "expected %d %.*s\n          got %d %.*s",
                          (int)status_of(real), STR_ARG(words_of(real)), (int)status_of(corset),
                          STR_ARG(words_of(corset)));
}

/*
 * Keeps what is not declared. After different codes the servers hold different objects, so that
 * nothing more can be learnt of the sequence, also when the difference is a declared one.
 */
static void judge(struct playing *playing, struct json_doc *step, bool same_status,
                  const struct differences *differences)
{
    struct outcome *outcome = playing->outcome;
    outcome->differences.arena = &outcome->arena;
    for (size_t i = 0; i < differences->count; i++)
        if (!declared_has(playing->play->declared, json_doc_root(step), &differences->items[i]))
            differences_add(&outcome->differences, differences->items[i].place,
                            differences->items[i].text);
    outcome->differs = outcome->differences.count > 0;
    playing->is_over = outcome->differs || !same_status;
    if (outcome->differs)
        outcome->request = json_doc_ref(step);
    else if (playing->is_over)
        playing->play->cut_short++;
}

/* Suspends. The other side has not answered: that is a difference, and worse when it is gone. */
static void blame(struct playing *playing, struct json_doc *step, const struct error *err)
{
    SCOPED(arena) arena = {0};
    struct outcome *outcome = playing->outcome;
    struct differences differences = {.arena = &arena};
    error_free(fiber_sleep(200 * MILLISECOND)); /* its end is seen a moment later */
    OWNED(error) end = launch_check(playing->play->launch);
    outcome->crashed = end;
    DIFFERENCES_PRINT(&differences, STR("answer"), "none: %s", end ? end->message : err->message);
    judge(playing, step, false, &differences);
}

/*
 * Suspends. A handler of kube-apiserver that panics ends the request and no more: nothing can be
 * compared then, but corset has to answer. Returns the error when the server is not there.
 */
static struct error *excuse_panic(struct playing *playing, struct error *err)
{
    OWNED(error) owned = err;
    OWNED(json_doc) doc = NULL;
    int status = 0;
    if (error_is(owned, ERROR_CANCELED))
        return TAKE(owned);
    OWNED(error)
    gone = fetch_document(playing->play->real, STR("/api/v1/namespaces/default"), &status, &doc);
    if (gone || status != 200)
        return TAKE(owned);
    playing->play->panics++;
    playing->is_over = true;
    return NULL;
}

static struct error *play_step(struct playing *playing, struct json_doc *step)
{
    SCOPED(arena) arena = {0};
    SCOPED(answer) real = {0}, corset = {0};
    struct exchange exchange = {.request = json_doc_root(step)};
    struct differences differences = {.arena = &arena};
    struct play *play = playing->play;
    struct error *fault = send_step(playing, play->real, &playing->real, &exchange, &real);
    if (fault)
        TRY(excuse_panic(playing, fault), "kube-apiserver");
    OWNED(error) err = send_step(playing, play->corset, &playing->corset, &exchange, &corset);
    if (error_is(err, ERROR_CANCELED))
        return TAKE(err);
    if (err) {
        blame(playing, step, err);
        return NULL;
    }
    if (playing->is_over)
        return NULL;
    compare_answers(playing, &exchange, &real, &corset, &differences);
    remember(&playing->real, &arena, exchange.request, json_doc_root(real.document));
    remember(&playing->corset, &arena, exchange.request, json_doc_root(corset.document));
    judge(playing, step, status_of(&real) == status_of(&corset), &differences);
    return NULL;
}

static struct json_doc *make_read(struct str path)
{
    SCOPED(json_builder) builder = {0};
    struct json_doc *step = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "method", STR("GET"));
    json_builder_add_str(&builder, "path", path);
    json_builder_end(&builder);
    error_free(json_builder_finish(&builder, &step));
    return step;
}

/* Each place once. */
static struct error *read_touched(struct playing *playing, const struct sequence *sequence)
{
    for (size_t i = 0; !playing->is_over && i < sequence->count; i++) {
        const struct str path = json_path_str(json_doc_root(sequence->steps[i]), "reads");
        bool is_first = path.len > 0;
        for (size_t j = 0; is_first && j < i; j++)
            is_first = !str_eq(json_path_str(json_doc_root(sequence->steps[j]), "reads"), path);
        OWNED(json_doc) step = is_first ? make_read(path) : NULL;
        if (step)
            TRY(play_step(playing, step));
    }
    return NULL;
}

static struct error *make_namespace(struct playing *playing, struct str name)
{
    struct caller *const callers[] = {playing->play->real, playing->play->corset};
    SCOPED(arena) arena = {0};
    const struct str body = arena_print(
        &arena, "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"%.*s\"}}",
        STR_ARG(name));
    for (size_t i = 0; i < COUNT(callers); i++) {
        int status;
        TRY(fetch_create(callers[i], STR("/api/v1/namespaces"), body, &status));
        if (status != 201)
            return error_new(ERROR_INVALID, "the namespace %.*s: %d", STR_ARG(name), status);
    }
    return NULL;
}

struct error *play_sequence(struct play *play, const struct sequence *sequence,
                            struct outcome *ret_outcome)
{
    SCOPED(arena) arena = {0};
    SCOPED(playing) playing = {.play = play, .outcome = ret_outcome};
    const struct str name =
        arena_print(&arena, "d-%.*s-%zu", STR_ARG(play->list.run), ++play->number);
    *ret_outcome = (struct outcome){0};
    binding_set(&playing.real, STR("ns"), name);
    binding_set(&playing.corset, STR("ns"), name);
    TRY(make_namespace(&playing, name));
    for (size_t i = 0; !playing.is_over && i < sequence->count; i++) {
        ret_outcome->step = i;
        TRY(play_step(&playing, sequence->steps[i]));
    }
    if (!playing.is_over) {
        ret_outcome->step = sequence->count;
        TRY(read_touched(&playing, sequence));
    }
    return NULL;
}
