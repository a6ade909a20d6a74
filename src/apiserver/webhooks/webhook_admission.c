/*
 *     webhook_admission_mutate() / webhook_admission_validate()
 *       select_webhook()   selectors, rules, equivalent versions, match conditions
 *       ask_webhook()      the review, the call, the answer: convert, write, webhook_call(), read
 *       judge_failure()    failurePolicy of a webhook that could not be asked
 */
#include "apiserver/webhooks/webhook_admission.h"

#include "apimachinery/selector.h"
#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/endpoints/request.h"
#include "apiserver/webhooks/admission_review.h"
#include "apiserver/webhooks/webhook_call.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "apiserver/webhooks/webhook_rules.h"
#include "async/compute.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/log.h"
#include "base/random.h"
#include "json/compare.h"
#include "json/json_patch.h"
#include "json/path.h"

#define TIMEOUT_DEFAULT 10
#define TIMEOUT_MAX     30

/* Validating webhooks that are asked at a time about one write. */
#define PARALLEL_MAX 8

/* An object has 3 MiB at most, a patch that replaces all of it takes four bytes for three. */
#define MUTATING_ANSWER_MAX   (4 * MEGABYTE + 64 * KILOBYTE)
#define VALIDATING_ANSWER_MAX (256 * KILOBYTE)

/* A webhook that is asked. */
struct invocation {
    const struct webhook_admission *admission;
    const struct json_value *webhook;
    const struct kind *kind; /* the version of the resource that its rules name */
    enum webhook_type type;
};

static struct str webhook_name(const struct invocation *invocation)
{
    return json_path_str(invocation->webhook, "name");
}

bool webhook_admission_is_needed(const struct request *request)
{
    const struct webhook_configurations *all = &request->api->webhook_configurations;
    return (map_count(&all->by_type[WEBHOOK_MUTATING]) ||
            map_count(&all->by_type[WEBHOOK_VALIDATING])) &&
           !webhook_rules_exempt(kind_gvr(request->kind));
}

static bool is_namespace(const struct kind *kind)
{
    return kind->gvk.group.len == 0 && str_eq(kind->plural, STR("namespaces"));
}

/* The namespace of a Namespace is the Namespace. */
static struct str namespace_of(const struct webhook_admission *admission)
{
    if (is_namespace(admission->kind))
        return admission->name;
    return admission->kind->namespaced ? admission->request->namespace : STR("");
}

/* The labels of the namespace: for a write of the Namespace those that it would have. */
static struct error *find_namespace_labels(const struct webhook_admission *admission,
                                           const struct json_value *object,
                                           const struct json_value **ret_labels)
{
    const struct request *request = admission->request;
    SCOPED(store_object) found = {0};
    const struct str name = namespace_of(admission);
    struct json_doc *doc;
    if (is_namespace(admission->kind) && object && request->subresource.len == 0) {
        *ret_labels = json_path(object, "metadata.labels");
        return NULL;
    }
    struct error *err = store_get(request->api->store,
                                  (struct store_id){STR("namespaces"), {.name = name}}, &found);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return status_not_found(GVR("", "v1", "namespaces"), name);
    }
    TRY(err);
    TRY(json_read(object_text_json(found.text), &doc));
    json_doc_hold(request->arena, doc);
    *ret_labels = json_path(json_doc_root(doc), "metadata.labels");
    return NULL;
}

/* An absent selector, which defaults make an empty one, means everything. */
static struct error *read_selector(const struct webhook_admission *admission,
                                   const struct json_value *value, struct selector *ret_selector)
{
    *ret_selector = (struct selector){0};
    if (json_type(value) <= JSON_NULL)
        return NULL;
    OWNED(error) wrong = selector_from_value(admission->request->arena, value, ret_selector);
    return wrong ? status_internal("%s", wrong->message) : NULL;
}

static struct error *match_namespace(const struct webhook_admission *admission,
                                     const struct json_value *webhook,
                                     const struct json_value *object, bool *ret_matches)
{
    struct selector selector;
    const struct json_value *labels = NULL;
    *ret_matches = true;
    if (!admission->kind->namespaced && !is_namespace(admission->kind))
        return NULL;
    TRY(read_selector(admission, json_path(webhook, "namespaceSelector"), &selector));
    if (selector_is_empty(&selector))
        return NULL;
    TRY(find_namespace_labels(admission, object, &labels));
    *ret_matches = selector_matches(&selector, labels);
    return NULL;
}

/* The object or the old one. */
static struct error *match_object(const struct webhook_admission *admission,
                                  const struct json_value *webhook, const struct json_value *object,
                                  bool *ret_matches)
{
    struct selector selector;
    const struct json_value *old = admission->old;
    TRY(read_selector(admission, json_path(webhook, "objectSelector"), &selector));
    *ret_matches = selector_is_empty(&selector) ||
                   (object && selector_matches(&selector, json_path(object, "metadata.labels"))) ||
                   (old && selector_matches(&selector, json_path(old, "metadata.labels")));
    return NULL;
}

static bool rules_mean(const struct webhook_admission *admission, const struct json_value *webhook,
                       const struct kind *kind)
{
    const struct webhook_attributes attributes = {
        .resource = kind_gvr(kind),
        .subresource = admission->request->subresource,
        .operation = admission->operation,
        .namespaced = kind->namespaced,
    };
    return webhook_rules_match(json_path(webhook, "rules"), &attributes);
}

/*
 * The other version of the resource that the rules name; NULL when they name none. Versions of a
 * built-in kind that are stored alike and shown alike have no conversion, and are left alone.
 */
static const struct kind *find_equivalent(const struct webhook_admission *admission,
                                          const struct json_value *webhook)
{
    const struct kind *kind = admission->kind;
    size_t count;
    if (kind->is_custom) {
        const struct crd *custom = crd_of_kind(kind);
        for (size_t i = 0; i < crd_kind_count(custom); i++)
            if (crd_kind(custom, i) != kind && rules_mean(admission, webhook, crd_kind(custom, i)))
                return crd_kind(custom, i);
        return NULL;
    }
    const struct kind *all = kinds_all(&count);
    for (size_t i = 0; i < count; i++)
        if (&all[i] != kind && str_eq(all[i].stored_as, kind->stored_as) && all[i].ops->present &&
            rules_mean(admission, webhook, &all[i]))
            return &all[i];
    return NULL;
}

/*
 * Conditions are expressions in CEL, which this server does not evaluate. As for a condition that
 * kube-apiserver cannot evaluate, failurePolicy decides.
 */
static struct error *refuse_conditions(const struct webhook_admission *admission,
                                       const struct json_value *webhook, bool *ret_is_asked)
{
    if (json_count(json_path(webhook, "matchConditions")) == 0)
        return NULL;
    *ret_is_asked = false;
    if (str_eq(json_path_str(webhook, "failurePolicy"), STR("Ignore")))
        return NULL;
    return status_forbidden(
        kind_gvr(admission->kind), admission->name,
        arena_print(admission->request->arena,
                    "the matchConditions of webhook \"%.*s\" are not evaluated by this server, and "
                    "its failurePolicy is Fail",
                    STR_ARG(json_path_str(webhook, "name"))));
}

/* The object in the version that the webhook wants; NULL stays NULL. */
static struct error *convert_for(const struct invocation *invocation,
                                 const struct json_value *object, struct json_doc **ret_doc)
{
    if (!object)
        return NULL;
    OWNED(json_doc) copy = json_doc_copy(object);
    if (invocation->kind != invocation->admission->kind &&
        invocation->admission->object_kind == invocation->admission->kind)
        return invocation->kind->ops->present(invocation->kind, copy, ret_doc);
    *ret_doc = TAKE(copy);
    return NULL;
}

/* Bytes of JSON, about, of the objects that the webhook is asked about. */
static size_t size_of(const struct invocation *invocation, const struct json_value *object)
{
    const struct json_value *old = invocation->admission->old;
    return (object ? json_size(object) / 2 : 0) + (old ? json_size(old) / 2 : 0);
}

/* The objects that a webhook for another version is asked about. */
struct foreseen {
    const struct invocation *invocation;
    const struct json_value *object;
};

static struct error *convert_foreseen(void *data)
{
    const struct foreseen *foreseen = data;
    OWNED(json_doc) object = NULL;
    OWNED(json_doc) old = NULL;
    TRY(convert_for(foreseen->invocation, foreseen->object, &object));
    return convert_for(foreseen->invocation, foreseen->invocation->admission->old, &old);
}

/*
 * Has a conversion webhook asked before the admission webhook is: several admission webhooks are
 * asked at a time, and what is known of conversions must not change meanwhile. Suspends.
 */
static struct error *foresee_conversions(const struct invocation *invocation,
                                         const struct json_value *object)
{
    struct foreseen foreseen = {invocation, object};
    if (invocation->kind == invocation->admission->kind || !crd_conversions_of(invocation->kind))
        return NULL;
    return webhook_conversion_run(invocation->kind, size_of(invocation, object), convert_foreseen,
                                  &foreseen);
}

/* Errors of selectors count only for a webhook whose rules mean the request. */
static struct error *select_webhook(const struct webhook_admission *admission,
                                    const struct json_value *webhook,
                                    const struct json_value *object, struct invocation *ret,
                                    bool *ret_is_asked)
{
    const bool is_exact = str_eq(json_path_str(webhook, "matchPolicy"), STR("Exact"));
    const struct kind *kind = admission->kind;
    bool matches;
    *ret_is_asked = false;
    if (!rules_mean(admission, webhook, kind))
        kind = is_exact ? NULL : find_equivalent(admission, webhook);
    if (!kind)
        return NULL;
    TRY(match_namespace(admission, webhook, object, &matches));
    if (matches)
        TRY(match_object(admission, webhook, object, &matches));
    if (!matches)
        return NULL;
    *ret_is_asked = true;
    *ret = (struct invocation){.admission = admission, .webhook = webhook, .kind = kind};
    TRY(foresee_conversions(ret, object));
    return refuse_conditions(admission, webhook, ret_is_asked);
}

/* The first version of reviews that both sides know. */
static struct str review_version(const struct json_value *webhook)
{
    const struct json_value *version;
    JSON_FOREACH (key, version, json_path(webhook, "admissionReviewVersions"))
        if (str_eq(json_to_str(version), STR("v1")) || str_eq(json_to_str(version), STR("v1beta1")))
            return json_to_str(version);
    return STR("v1");
}

static duration timeout_of(const struct json_value *webhook)
{
    int64_t seconds = TIMEOUT_DEFAULT;
    (void)json_to_int64(json_path(webhook, "timeoutSeconds"), &seconds);
    return (seconds < 1 || seconds > TIMEOUT_MAX ? TIMEOUT_DEFAULT : seconds) * SECOND;
}

/* One question and its answer. The steps that grow with the object run on a worker thread. */
struct exchange {
    const struct invocation *invocation;
    const struct json_value *object;
    char uid[RANDOM_UUID_LEN + 1];
    struct admission_review review;
    struct json_doc *converted, *old;
    struct buf body, text;
    struct admission_answer answer;
};

static void exchange_done(struct exchange *exchange)
{
    json_doc_free(exchange->converted);
    json_doc_free(exchange->old);
    buf_done(&exchange->body);
    buf_done(&exchange->text);
    admission_answer_done(&exchange->answer);
}

static struct error *write_review(void *data)
{
    struct exchange *exchange = data;
    const struct invocation *invocation = exchange->invocation;
    const struct webhook_admission *admission = invocation->admission;
    TRY(convert_for(invocation, exchange->object, &exchange->converted));
    TRY(convert_for(invocation, admission->old, &exchange->old));
    exchange->review.object = exchange->converted ? json_doc_root(exchange->converted) : NULL;
    exchange->review.old_object = exchange->old ? json_doc_root(exchange->old) : NULL;
    return admission_review_write(&exchange->review, &exchange->body);
}

static struct error *read_answer(void *data)
{
    struct exchange *exchange = data;
    return admission_answer_read(buf_str(&exchange->text), &exchange->review,
                                 exchange->invocation->type == WEBHOOK_MUTATING, &exchange->answer);
}

static void fill_review(struct exchange *exchange)
{
    const struct invocation *invocation = exchange->invocation;
    const struct webhook_admission *admission = invocation->admission;
    const bool is_scale = admission->object_kind != admission->kind;
    random_uuid(loop_random(admission->request->api->loop), exchange->uid);
    exchange->review = (struct admission_review){
        .version = review_version(invocation->webhook),
        .uid = str_from(exchange->uid, RANDOM_UUID_LEN),
        .kind = is_scale ? admission->object_kind->gvk : invocation->kind->gvk,
        .request_kind = admission->object_kind->gvk,
        .resource = kind_gvr(invocation->kind),
        .request_resource = kind_gvr(admission->kind),
        .subresource = admission->request->subresource,
        .name = admission->name,
        .namespace = namespace_of(admission),
        .operation = admission->operation,
        .user = &admission->request->user,
        .options = admission->options,
        .dry_run = admission->dry_run,
    };
}

/*
 * Asks a webhook. *ret_failure is set when there is no usable answer; failurePolicy is about that.
 * Every other error ends the request.
 */
static struct error *ask_webhook(struct exchange *exchange, struct error **ret_failure)
{
    const struct invocation *invocation = exchange->invocation;
    const struct request *request = invocation->admission->request;
    const size_t size = size_of(invocation, exchange->object);
    const struct webhook_request call = {
        .client_config = json_path(invocation->webhook, "clientConfig"),
        .timeout = timeout_of(invocation->webhook),
        .answer_max =
            invocation->type == WEBHOOK_MUTATING ? MUTATING_ANSWER_MAX : VALIDATING_ANSWER_MAX,
        .pass = request->pass,
        .context = "failed to call webhook: ",
    };
    struct webhook_request asked = call;
    exchange->body.secret = exchange->text.secret = true;
    fill_review(exchange);
    TRY(compute_sized(size, write_review, exchange));
    asked.body = buf_str(&exchange->body);
    struct error *err = webhook_call(request->api, &asked, &exchange->text);
    if (err && (err->code == ERROR_CANCELED || err->code == ERROR_DEADLINE ||
                err->code == ERROR_TOO_MANY_REQUESTS))
        return err;
    if (!err) {
        err = compute_sized(exchange->text.len, read_answer, exchange);
        if (err && (err->code == ERROR_CANCELED || err->code == ERROR_DEADLINE))
            return err;
    }
    *ret_failure = err;
    return NULL;
}

/* Takes the failure. NULL: the write goes on without the webhook. */
static struct error *judge_failure(const struct invocation *invocation, struct error *failure)
{
    OWNED(error) owned = failure;
    if (!failure)
        return NULL;
    if (str_eq(json_path_str(invocation->webhook, "failurePolicy"), STR("Ignore"))) {
        log_v(2, "Failed calling webhook, failing open",
              LOG_STR("webhook", webhook_name(invocation)),
              LOG_STR("error", str_from_c(failure->message)));
        return NULL;
    }
    return status_internal("failed calling webhook \"%.*s\": %s", STR_ARG(webhook_name(invocation)),
                           failure->message);
}

/* A webhook that may change something outside of the object cannot take part in a dry run. */
static struct error *check_dry_run(const struct invocation *invocation)
{
    const struct str effects = json_path_str(invocation->webhook, "sideEffects");
    if (!invocation->admission->dry_run || str_eq(effects, STR("None")) ||
        str_eq(effects, STR("NoneOnDryRun")))
        return NULL;
    return status_bad_request("admission webhook \"%.*s\" does not support dry run",
                              STR_ARG(webhook_name(invocation)));
}

static void take_warnings(const struct exchange *exchange)
{
    const struct json_value *text;
    JSON_FOREACH (key, text, exchange->answer.warnings)
        json_warn(&exchange->invocation->admission->request->warnings,
                  arena_str(exchange->invocation->admission->request->arena, json_to_str(text)));
}

/* The patch of a mutating webhook, on a worker thread if much is to be read. */
struct mutation {
    const struct exchange *exchange;
    struct json_doc *result; /* in the version of the request */
    bool changed;
    struct error *failure; /* the patch cannot be used; failurePolicy is about that, too */
};

/* What a webhook has made is read as a body is: unknown fields go, defaults come. */
static struct error *decode_patched(const struct exchange *exchange, struct json_doc *patched,
                                    struct json_doc **ret_doc)
{
    const struct webhook_admission *admission = exchange->invocation->admission;
    const bool is_scale = admission->object_kind != admission->kind;
    const struct kind *kind = is_scale ? admission->object_kind : exchange->invocation->kind;
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) filled = NULL;
    TRY(kind->ops->decode(kind, patched, NULL, &decoded));
    TRY(kind->ops->default_(kind, decoded, &filled));
    if (is_scale || kind == admission->kind) {
        *ret_doc = TAKE(filled);
        return NULL;
    }
    return admission->kind->ops->present(admission->kind, filled, ret_doc);
}

static struct error *apply_patch(void *data)
{
    struct mutation *mutation = data;
    const struct exchange *exchange = mutation->exchange;
    const struct json_value *object = json_doc_root(exchange->converted);
    OWNED(json_patch) patch = NULL;
    OWNED(json_doc) patched = NULL;
    const struct str type = exchange->answer.patch_type;
    struct error *unreadable = json_patch_read(buf_str(&exchange->answer.patch), NULL, &patch);
    if (unreadable)
        mutation->failure =
            error_wrap(unreadable, "received undecodable patch in webhook response");
    else if (!str_eq(type, STR("JSONPatch")))
        mutation->failure =
            error_new(ERROR_PROTOCOL, "unsupported patch type \"%.*s\"", STR_ARG(type));
    if (mutation->failure)
        return NULL;
    TRY(json_patch_apply(patch, object, &patched));
    mutation->changed = !json_equal(json_doc_root(patched), object);
    return decode_patched(exchange, patched, &mutation->result);
}

static bool is_empty_patch(struct str patch)
{
    return patch.len == 0 || str_eq(str_trim(patch), STR("[]"));
}

/* *object is replaced by what the patch makes of it. */
static struct error *mutate_object(const struct exchange *exchange, struct json_doc **object,
                                   bool *ret_changed)
{
    const struct str patch = buf_str(&exchange->answer.patch);
    struct mutation mutation = {.exchange = exchange};
    *ret_changed = false;
    if (is_empty_patch(patch))
        return NULL;
    if (!exchange->converted)
        return status_internal("admission webhook \"%.*s\" attempted to modify the object, which "
                               "is not supported for this operation",
                               STR_ARG(webhook_name(exchange->invocation)));
    const size_t size = json_size(json_doc_root(exchange->converted)) / 2 + patch.len;
    struct error *err =
        webhook_conversion_run(exchange->invocation->admission->kind, size, apply_patch, &mutation);
    if (err) {
        OWNED(error) wrong = err;
        error_free(mutation.failure);
        return err->code == ERROR_CANCELED || err->code == ERROR_DEADLINE
                   ? TAKE(wrong)
                   : status_internal("%s", wrong->message);
    }
    if (mutation.failure)
        return judge_failure(exchange->invocation, mutation.failure);
    json_doc_free(*object);
    *object = mutation.result;
    *ret_changed = mutation.changed;
    return NULL;
}

static struct error *call_mutating(const struct invocation *invocation, struct json_doc **object,
                                   bool *ret_changed)
{
    struct error *failure = NULL;
    SCOPED(exchange)
    exchange = {
        .invocation = invocation,
        .object = *object ? json_doc_root(*object) : NULL,
    };
    *ret_changed = false;
    TRY(check_dry_run(invocation));
    TRY(ask_webhook(&exchange, &failure));
    if (failure)
        return judge_failure(invocation, failure);
    take_warnings(&exchange);
    if (!exchange.answer.allowed)
        return admission_answer_denial(&exchange.answer, webhook_name(invocation));
    return mutate_object(&exchange, object, ret_changed);
}

/* What of a webhook is remembered between the rounds. */
struct mutating_state {
    bool was_asked; /* and may be asked again */
    bool again;     /* something changed behind it */
};

/*
 * One round. A change makes every webhook before it with reinvocationPolicy IfNeeded be asked
 * again, once. The second round asks nobody for the first time.
 */
static struct error *run_round(const struct webhook_admission *admission,
                               const struct webhook_list *list, struct mutating_state *states,
                               bool is_second, struct json_doc **object)
{
    for (size_t i = 0; i < list->count; i++) {
        struct invocation invocation;
        bool is_asked, changed;
        if (is_second && !states[i].again)
            continue;
        TRY(select_webhook(admission, list->items[i], *object ? json_doc_root(*object) : NULL,
                           &invocation, &is_asked));
        if (!is_asked)
            continue;
        invocation.type = WEBHOOK_MUTATING;
        TRY(call_mutating(&invocation, object, &changed));
        for (size_t k = 0; changed && k < i; k++)
            states[k].again = states[k].again || states[k].was_asked;
        states[i].was_asked =
            str_eq(json_path_str(list->items[i], "reinvocationPolicy"), STR("IfNeeded"));
    }
    return NULL;
}

struct error *webhook_admission_mutate(const struct webhook_admission *admission,
                                       struct json_doc *object, struct json_doc **ret_object)
{
    struct request *request = admission->request;
    struct webhook_list list;
    SCOPED(webhook_wait) wait = {0};
    OWNED(json_doc) current = object ? json_doc_ref(object) : NULL;
    bool is_again = false;
    TRY(webhook_configurations_list(request->api, request->arena, WEBHOOK_MUTATING, &list));
    if (list.count) {
        struct mutating_state *states =
            arena_alloc_array(request->arena, list.count, sizeof(struct mutating_state));
        TRY(webhook_wait_begin(&wait, request->api));
        TRY(run_round(admission, &list, states, false, &current));
        for (size_t i = 0; i < list.count; i++)
            is_again = is_again || states[i].again;
        if (is_again)
            TRY(run_round(admission, &list, states, true, &current));
    }
    if (ret_object)
        *ret_object = TAKE(current);
    return NULL;
}

/* One of several validating webhooks that are asked at a time, each on a fiber. */
struct validation_call {
    struct invocation invocation;
    const struct json_value *object;
    struct error *refusal;
};

static struct error *call_validating(void *data)
{
    struct validation_call *call = data;
    const struct invocation *invocation = &call->invocation;
    struct error *failure = NULL;
    SCOPED(exchange) exchange = {.invocation = invocation, .object = call->object};
    TRY(ask_webhook(&exchange, &failure));
    if (failure) {
        call->refusal = judge_failure(invocation, failure);
        return NULL;
    }
    take_warnings(&exchange);
    if (!exchange.answer.allowed)
        call->refusal = admission_answer_denial(&exchange.answer, webhook_name(invocation));
    return NULL;
}

/* The refusal of the first in the order of the configurations is told; those behind it are not. */
static struct error *take_first_refusal(struct validation_call *calls, size_t count)
{
    struct error *first = NULL;
    for (size_t i = 0; i < count; i++)
        if (!first)
            first = calls[i].refusal;
        else
            error_free(calls[i].refusal);
    return first;
}

static struct error *run_batch(struct validation_call *calls, size_t count)
{
    struct error *err;
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < count; i++)
            scope_start(&scope, "validating webhook", call_validating, &calls[i]);
        err = scope_wait(&scope);
    }
    struct error *refusal = take_first_refusal(calls, count);
    if (!err)
        return refusal;
    error_free(refusal);
    return err;
}

struct error *webhook_admission_validate(const struct webhook_admission *admission,
                                         const struct json_value *object)
{
    struct request *request = admission->request;
    struct webhook_list list;
    SCOPED(webhook_wait) wait = {0};
    size_t count = 0;
    TRY(webhook_configurations_list(request->api, request->arena, WEBHOOK_VALIDATING, &list));
    struct validation_call *calls =
        arena_alloc_array(request->arena, list.count ? list.count : 1, sizeof(*calls));
    for (size_t i = 0; i < list.count; i++) {
        struct invocation invocation;
        bool is_asked;
        TRY(select_webhook(admission, list.items[i], object, &invocation, &is_asked));
        if (!is_asked)
            continue;
        invocation.type = WEBHOOK_VALIDATING;
        TRY(check_dry_run(&invocation));
        calls[count++] = (struct validation_call){.invocation = invocation, .object = object};
    }
    if (count)
        TRY(webhook_wait_begin(&wait, request->api));
    for (size_t i = 0; i < count; i += PARALLEL_MAX)
        TRY(run_batch(calls + i, count - i < PARALLEL_MAX ? count - i : PARALLEL_MAX));
    return NULL;
}
