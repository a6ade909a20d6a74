/*
 * An Eviction is not stored. It asks the one budget that selects the Pod, counts the disruption
 * there, marks the Pod and deletes it. Nobody writes the status of budgets here, so that one whose
 * status no controller keeps forbids every eviction. Upstream:
 * k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go.
 */
#include "apiserver/endpoints/handle_eviction.h"

#include "apimachinery/selector.h"
#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/endpoints/body.h"
#include "apiserver/endpoints/codec.h"
#include "apiserver/endpoints/condition_edit.h"
#include "apiserver/endpoints/field_ownership.h"
#include "apiserver/endpoints/handle_delete.h"
#include "apiserver/endpoints/handle_list.h"
#include "apiserver/endpoints/negotiate.h"
#include "apiserver/endpoints/options.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/registry/kind_builtin.h"
#include "async/fiber.h"
#include "json/path.h"

#define DISRUPTED_MAX 2000 /* evictions that no controller has confirmed */

struct eviction {
    struct request *request;
    const struct kind *pods, *budgets;
    struct delete_options options;
    struct json_doc *pod;
    struct str budget; /* its name; empty: none selects the Pod */
    struct json_doc *budget_doc;
};

static void eviction_done(struct eviction *eviction)
{
    json_doc_free(eviction->pod);
    json_doc_free(eviction->budget_doc);
}

static int64_t number_of(const struct json_value *object, const char *path)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(object, path), &number);
    return number;
}

static bool has_phase(const struct json_value *pod, const char *phase)
{
    return str_eq(json_path_str(pod, "status.phase"), str_from_c(phase));
}

/* A Pod that does not run is no loss. */
static bool needs_no_budget(const struct json_value *pod)
{
    return has_phase(pod, "Succeeded") || has_phase(pod, "Failed") || has_phase(pod, "Pending") ||
           json_path(pod, "metadata.deletionTimestamp");
}

static const struct json_value *find_condition(const struct json_value *object, struct str type)
{
    const struct json_value *condition;
    JSON_FOREACH (key, condition, json_path(object, "status.conditions"))
        if (str_eq(json_path_str(condition, "type"), type))
            return condition;
    return NULL;
}

static bool is_ready(const struct json_value *pod)
{
    return str_eq(json_path_str(find_condition(pod, STR("Ready")), "status"), STR("True"));
}

static bool selects(const struct eviction *eviction, const struct json_value *budget)
{
    struct selector selector;
    OWNED(error)
    malformed = selector_from_value(eviction->request->arena, json_path(budget, "spec.selector"),
                                    &selector);
    return !malformed &&
           selector_matches(&selector, json_path(json_doc_root(eviction->pod), "metadata.labels"));
}

/* 500 when there is more than one. Suspends. */
static struct error *find_budget(struct eviction *eviction)
{
    struct request list_request = *eviction->request;
    const struct list_options options = {0};
    SCOPED(list_result) list = {0};
    list_request.kind = eviction->budgets;
    list_request.name = (struct str){0};
    TRY(handle_list_collect(&list_request, &options, &list));
    for (size_t i = 0; i < list.count; i++) {
        OWNED(json_doc) doc = NULL;
        TRY(fiber_yield_in_time());
        TRY(codec_read_stored(eviction->budgets, list.items[i], &doc));
        if (!selects(eviction, json_doc_root(doc)))
            continue;
        if (eviction->budget_doc) {
            struct error *err =
                error_new(ERROR_UNKNOWN, "This pod has more than one PodDisruptionBudget, which "
                                         "the eviction subresource does not support.");
            err->http_status = 500;
            return err;
        }
        eviction->budget_doc = TAKE(doc);
        eviction->budget = json_path_str(json_doc_root(eviction->budget_doc), "metadata.name");
    }
    return NULL;
}

static struct error *is_processed(const struct eviction *eviction)
{
    return status_budget_forbids(
        arena_print(eviction->request->arena,
                    "The disruption budget %.*s is still being processed by the server.",
                    STR_ARG(eviction->budget)),
        10);
}

/* 429 with the reason. */
static struct error *is_exhausted(const struct eviction *eviction, const struct json_value *budget)
{
    struct arena *arena = eviction->request->arena;
    const struct json_value *condition = find_condition(budget, STR("DisruptionAllowed"));
    const int64_t healthy = number_of(budget, "status.currentHealthy");
    const int64_t desired = number_of(budget, "status.desiredHealthy");
    const struct str message = json_path_str(condition, "message");
    const struct str reason = json_path_str(condition, "reason");
    const bool is_told =
        str_eq(json_path_str(condition, "status"), STR("False")) && message.len > 0;
    struct str why;
    if (is_told && str_eq(reason, STR("SyncFailed")))
        why = arena_print(arena,
                          "The disruption budget %.*s does not allow evicting pods currently "
                          "because it failed sync: %.*s",
                          STR_ARG(eviction->budget), STR_ARG(message));
    else if (healthy <= desired)
        why = arena_print(
            arena, "The disruption budget %.*s needs %lld healthy pods and has %lld currently",
            STR_ARG(eviction->budget), (long long)desired, (long long)healthy);
    else if (is_told)
        why = arena_print(
            arena, "The disruption budget %.*s does not allow evicting pods currently (%.*s): %.*s",
            STR_ARG(eviction->budget), STR_ARG(reason), STR_ARG(message));
    else
        why =
            arena_print(arena, "The disruption budget %.*s does not allow evicting pods currently",
                        STR_ARG(eviction->budget));
    return status_budget_forbids(why, 0);
}

static struct error *check_budget(const struct eviction *eviction, const struct json_value *budget)
{
    const struct gvr named = GVR("policy", "v1", "poddisruptionbudget");
    const int64_t allowed = number_of(budget, "status.disruptionsAllowed");
    if (number_of(budget, "status.observedGeneration") < number_of(budget, "metadata.generation"))
        return is_processed(eviction);
    if (allowed < 0)
        return status_forbidden(named, eviction->budget,
                                STR("pdb disruptions allowed is negative"));
    if (json_count(json_path(budget, "status.disruptedPods")) > DISRUPTED_MAX)
        return status_forbidden(named, eviction->budget,
                                STR("DisruptedPods map too big - too many evictions not confirmed "
                                    "by PDB controller"));
    return allowed == 0 ? is_exhausted(eviction, budget) : NULL;
}

/* The budget with one disruption less. */
static struct error *count_disruption(const struct eviction *eviction,
                                      const struct json_value *budget, struct json_doc **ret_doc)
{
    const struct request *request = eviction->request;
    const int64_t allowed = number_of(budget, "status.disruptionsAllowed") - 1;
    const struct condition_edit used_up = {
        .type = STR("DisruptionAllowed"),
        .status = STR("False"),
        .reason = STR("InsufficientPods"),
        .observed_generation = number_of(budget, "status.observedGeneration"),
        .now = request->now,
        .arena = request->arena,
    };
    const struct field_ownership ownership = {request->arena, eviction->budgets,
                                              STR("kube-apiserver"), STR("status"), request->now};
    SCOPED(json_edit) change = {0};
    OWNED(json_doc) doc = NULL;
    char now[TIMESTAMP_TEXT_MAX];
    json_edit_init(&change, budget);
    json_edit_set_int(&change, JSON_PLACE("status.disruptionsAllowed"), allowed);
    json_edit_set_str(&change, JSON_PLACE_KEY("status.disruptedPods", request->name),
                      timestamp_write(request->now, now));
    if (allowed == 0)
        TRY(condition_edit_set(&used_up, budget, &change));
    TRY(json_edit_finish(&change, &doc));
    return field_ownership_update(&ownership, budget, json_doc_root(doc), ret_doc);
}

static struct error *take_disruption(void *data, struct store_edit *edit)
{
    const struct eviction *eviction = data;
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) doc = NULL;
    if (!edit->previous)
        return NULL; /* deleted in the meantime; it forbids nothing any more */
    TRY(codec_read_stored(eviction->budgets, edit->previous, &old));
    TRY(check_budget(eviction, json_doc_root(old)));
    if (eviction->options.dry_run)
        return NULL;
    TRY(count_disruption(eviction, json_doc_root(old), &doc));
    return codec_write_edit(eviction->budgets, doc, STORE_PUT, edit, NULL);
}

/*
 * A Pod that is not ready does not count as healthy. It may go if its budget says so, or if there
 * are enough others, provided that it is still as it was seen.
 */
static bool may_go_unhealthy(const struct eviction *eviction)
{
    const struct json_value *budget = json_doc_root(eviction->budget_doc);
    const int64_t desired = number_of(budget, "status.desiredHealthy");
    if (is_ready(json_doc_root(eviction->pod)))
        return false;
    return str_eq(json_path_str(budget, "spec.unhealthyPodEvictionPolicy"), STR("AlwaysAllow")) ||
           (desired > 0 && number_of(budget, "status.currentHealthy") >= desired);
}

/* Marks the Pod that was seen; another one with its name stays as it is. */
static struct error *mark_disrupted(void *data, struct store_edit *edit)
{
    const struct eviction *eviction = data;
    const struct condition_edit target = {
        .type = STR("DisruptionTarget"),
        .status = STR("True"),
        .reason = STR("EvictionByEvictionAPI"),
        .message = STR("Eviction API: evicting"),
        .now = eviction->request->now,
        .arena = eviction->request->arena,
    };
    SCOPED(json_edit) change = {0};
    OWNED(json_doc) old = NULL;
    OWNED(json_doc) doc = NULL;
    if (!edit->previous)
        return NULL;
    TRY(codec_read_stored(eviction->pods, edit->previous, &old));
    if (!str_eq(json_path_str(json_doc_root(old), "metadata.uid"),
                json_path_str(json_doc_root(eviction->pod), "metadata.uid")))
        return NULL;
    json_edit_init(&change, json_doc_root(old));
    TRY(condition_edit_set(&target, json_doc_root(old), &change));
    TRY(json_edit_finish(&change, &doc));
    return codec_write_edit(eviction->pods, doc, STORE_PUT, edit, NULL);
}

/* Deletes the Pod as a DELETE with these options does, after a look whether that works. */
static struct error *delete_pod(const struct eviction *eviction, struct delete_options options)
{
    const struct request *request = eviction->request;
    const struct key key = request_key(request, request->name);
    struct delete_options trial = options;
    SCOPED(delete_result) seen = {0};
    SCOPED(delete_result) result = {0};
    trial.dry_run = true;
    TRY(handle_delete_object(request->api, eviction->pods, key, &trial, request->now, &seen));
    if (options.dry_run)
        return NULL;
    TRY(api_change(request->api, api_id(eviction->pods, key), STORE_ANY, mark_disrupted,
                   (void *)eviction, NULL));
    options.uid = json_path_str(json_doc_root(eviction->pod), "metadata.uid");
    options.resource_version = (struct str){0}; /* it was checked, and the mark has changed it */
    return handle_delete_object(request->api, eviction->pods, key, &options, request->now, &result);
}

/* The options of the Eviction; dryRun may also be in the query. */
static struct error *read_options(struct eviction *eviction, const struct json_value *body,
                                  bool dry_run)
{
    const struct json_value *given = json_path(body, "deleteOptions");
    if (given)
        TRY(delete_options_read(eviction->request, given, &eviction->options));
    eviction->options.dry_run = eviction->options.dry_run || dry_run;
    return NULL;
}

static struct error *evict_guarded(struct eviction *eviction)
{
    const struct request *request = eviction->request;
    struct delete_options options = eviction->options;
    TRY(find_budget(eviction));
    if (!eviction->budget_doc)
        return delete_pod(eviction, options);
    if (!may_go_unhealthy(eviction)) {
        const struct key key = {request->namespace, eviction->budget};
        TRY(api_change(request->api, api_id(eviction->budgets, key), STORE_ANY, take_disruption,
                       eviction, NULL));
        return delete_pod(eviction, options);
    }
    const bool is_ours = options.resource_version.len == 0;
    if (is_ours)
        options.resource_version =
            json_path_str(json_doc_root(eviction->pod), "metadata.resourceVersion");
    struct error *err = delete_pod(eviction, options);
    if (!is_ours || !error_is(err, ERROR_CONFLICT))
        return err;
    error_free(err);
    return is_processed(eviction);
}

struct error *handle_eviction(struct request *request)
{
    const struct kind kind = {
        .gvk = GVK("policy", "v1", "Eviction"),
        .type = go_type_find(GVK("policy", "v1", "Eviction")),
        .ops = &kind_builtin_ops,
    };
    SCOPED(eviction)
    eviction = {.request = request,
                .pods = request->kind,
                .budgets = kinds_find(GVR("policy", "v1", "poddisruptionbudgets"))};
    struct response_format format;
    struct write_options options;
    OWNED(json_doc) body = NULL;
    TRY(negotiate(request, &format));
    TRY(write_options_read(request, false, &options));
    TRY(body_read_kind(request, &kind, options.validation, &body, NULL));
    if (!str_eq(json_path_str(json_doc_root(body), "metadata.name"), request->name))
        return status_bad_request("name in URL does not match name in Eviction object");
    TRY(read_options(&eviction, json_doc_root(body), options.dry_run));
    struct error *err =
        api_get(request->api, eviction.pods, request_key(request, request->name), &eviction.pod);
    if (error_is(err, ERROR_NOT_FOUND)) {
        error_free(err);
        return status_not_found(kind_gvr(request->kind), request->name);
    }
    TRY(err);
    TRY(needs_no_budget(json_doc_root(eviction.pod)) ? delete_pod(&eviction, eviction.options)
                                                     : evict_guarded(&eviction));
    return response_send_created(request);
}
