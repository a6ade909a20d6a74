/*
 * Validation of the specs of Jobs, of the templates of CronJobs, which are the same but for the
 * selector, and of updates of Jobs.
 *
 * Rules of single numbers are rows. validate_job_spec() checks what depends on several members;
 * validate_job() what needs the name and the uid, too: the generated selector and the host names of
 * the Pods. Policies are checked in kind_validate_job_policy.c, the status in
 * kind_validate_job_status.c. Upstream: ValidateJob() and ValidateJobSpecUpdate() in
 * k8s.io/kubernetes/pkg/apis/batch/validation, and pkg/registry/batch/job/strategy.go.
 */
#include "apimachinery/selector.h"
#include "apiserver/registry/validation/kind_validate_job_internal.h"
#include "json/compare.h"

#define PARALLELISM_MAX    100000
#define FAILED_INDEXES_MAX 100000

/* With more completions than this there are stricter limits. */
#define COMPLETIONS_SOFT_MAX 100000
#define HIGH_MAX             10000

#define MANAGED_BY_MAX ((size_t)63)

#define UID_LABEL         STR("batch.kubernetes.io/controller-uid")
#define NAME_LABEL        STR("batch.kubernetes.io/job-name")
#define LEGACY_UID_LABEL  STR("controller-uid")
#define LEGACY_NAME_LABEL STR("job-name")

int64_t job_number(const struct json_value *object, const char *member)
{
    int64_t number = 0;
    (void)json_to_int64(json_path(object, member), &number);
    return number;
}

bool job_is_indexed(const struct json_value *spec)
{
    return str_eq(json_path_str(spec, "completionMode"), STR("Indexed"));
}

bool job_has_condition(const struct json_value *status, const char *type, const char *value)
{
    const struct json_value *condition;
    JSON_FOREACH (key, condition, json_path(status, "conditions"))
        if (str_eq(json_path_str(condition, "type"), str_from_c(type)) &&
            str_eq(json_path_str(condition, "status"), str_from_c(value)))
            return true;
    return false;
}

/* The text `when` follows the limit in the message; it may be empty. */
static void validate_at_most(struct kind_validator *v, const struct json_value *spec,
                             struct str path, const char *member, int64_t max, const char *when)
{
    if (job_number(spec, member) > max)
        field_invalid(
            v, path, member, json_path(spec, member),
            arena_print(v->arena, "must be less than or equal to %lld%s", (long long)max, when)
                .ptr);
}

/* Failures of many indexes need much room in the status. */
static void validate_many_indexes(struct kind_validator *v, const struct json_value *spec,
                                  struct str path)
{
    static const char when[] =
        " when completions are above 100000 and used with backoff limit per index";
    if (job_number(spec, "completions") <= COMPLETIONS_SOFT_MAX ||
        !json_path(spec, "backoffLimitPerIndex"))
        return;
    if (!json_path(spec, "maxFailedIndexes"))
        field_required(v, path, "maxFailedIndexes",
                       "must be specified when completions is above 100000");
    validate_at_most(v, spec, path, "parallelism", HIGH_MAX, when);
    validate_at_most(v, spec, path, "maxFailedIndexes", HIGH_MAX, when);
}

/* The limits of a Job with the completion mode Indexed. */
static void validate_indexed_job(struct kind_validator *v, const struct json_value *spec,
                                 struct str path)
{
    const struct json_value *failed = json_path(spec, "maxFailedIndexes");
    if (!json_path(spec, "completions"))
        field_required(v, path, "completions", "when completion mode is Indexed");
    else if (failed && job_number(spec, "maxFailedIndexes") > job_number(spec, "completions"))
        field_invalid(v, path, "maxFailedIndexes", failed,
                      "must be less than or equal to completions");
    validate_at_most(v, spec, path, "parallelism", PARALLELISM_MAX,
                     " when completion mode is Indexed");
    validate_at_most(v, spec, path, "maxFailedIndexes", FAILED_INDEXES_MAX, "");
    validate_many_indexes(v, spec, path);
}

/* Failures are counted by index only where there are indexes. */
static void validate_not_indexed_job(struct kind_validator *v, const struct json_value *spec,
                                     struct str path)
{
    static const char *const members[] = {"backoffLimitPerIndex", "maxFailedIndexes"};
    for (size_t i = 0; i < COUNT(members); i++)
        if (json_path(spec, members[i]))
            field_invalid(v, path, members[i], json_path(spec, members[i]),
                          "requires indexed completion mode");
}

/* A row reports an unknown completion mode, which has no limits. */
static void validate_completion_mode(struct kind_validator *v, const struct json_value *spec,
                                     struct str path)
{
    const struct json_value *mode = json_path(spec, "completionMode");
    if (!json_path(spec, "backoffLimitPerIndex") && json_path(spec, "maxFailedIndexes"))
        field_required(v, path, "backoffLimitPerIndex", "when maxFailedIndexes is specified");
    if (job_is_indexed(spec))
        validate_indexed_job(v, spec, path);
    else if (!mode || str_eq(json_to_str(mode), STR("NonIndexed")))
        validate_not_indexed_job(v, spec, path);
}

static void validate_managed_by(struct kind_validator *v, const struct json_value *spec,
                                struct str path)
{
    const struct json_value *name = json_path(spec, "managedBy");
    const struct str place = field_path(v, path, "managedBy");
    if (!name)
        return;
    validate_domain_path(v, path, "managedBy", json_to_str(name));
    if (json_to_str(name).len > MANAGED_BY_MAX)
        field_errors_add_too_long(v->errors, place, MANAGED_BY_MAX);
}

static void validate_job_policies(struct kind_validator *v, const struct json_value *spec,
                                  struct str path)
{
    const struct json_value *failure = json_path(spec, "podFailurePolicy");
    const struct json_value *success = json_path(spec, "successPolicy");
    const struct json_value *replacement = json_path(spec, "podReplacementPolicy");
    if (failure)
        validate_pod_failure_policy(v, spec, field_path(v, path, "podFailurePolicy"));
    if (success && !job_is_indexed(spec))
        field_invalid(v, path, "successPolicy", success, "requires indexed completion mode");
    else if (success)
        validate_success_policy(v, spec, field_path(v, path, "successPolicy"));
    if (replacement)
        field_one_of(v, path, "podReplacementPolicy", json_to_str(replacement),
                     failure ? "Failed" : "Failed|TerminatingOrFailed");
}

/* Pods of a Job end. Where a policy judges their failures, kubelets must not restart them. */
static void validate_job_restart(struct kind_validator *v, const struct json_value *spec,
                                 struct str path)
{
    static const char member[] = "template.spec.restartPolicy";
    const struct json_value *policy = json_path(spec, member);
    const struct str name = json_to_str(policy);
    if (name.len == 0 || str_eq(name, STR("Always")))
        field_required(v, path, member, "valid values: \"OnFailure\", \"Never\"");
    else if (!field_is_one_of(name, "OnFailure|Never"))
        field_one_of(v, path, member, name, "OnFailure|Never");
    else if (json_path(spec, "podFailurePolicy") && !str_eq(name, STR("Never")))
        field_invalid(v, path, member, policy,
                      "only \"Never\" is supported when podFailurePolicy is specified");
}

/* The walk does not enter the selector, because that of a template is refused as a whole. */
static void validate_job_selector(struct kind_validator *v, const struct json_value *spec,
                                  struct str path)
{
    const struct json_value *selector = json_path(spec, "selector"), *expression;
    const struct str list = field_path(v, path, "selector.matchExpressions");
    size_t index = 0;
    if (!selector)
        field_required(v, path, "selector", "");
    else
        validate_label_selector(v, selector, field_path(v, path, "selector"));
    JSON_FOREACH (key, expression, json_path(selector, "matchExpressions"))
        validate_label_requirement(v, expression, field_path_index(v, list, index++));
    validate_selector_match(v, spec, path);
}

/* A template has no selector: the server generates one for each Job that is made of it. */
static void validate_template_selector(struct kind_validator *v, const struct json_value *spec,
                                       struct str path)
{
    const struct json_value *selector = json_path(spec, "selector");
    const struct json_value *manual = json_path(spec, "manualSelector");
    if (selector)
        field_invalid(v, path, "selector", selector, "`selector` will be auto-generated");
    if (field_is_true(manual))
        field_errors_add_value(v->errors, FIELD_NOT_SUPPORTED,
                               field_path(v, path, "manualSelector"), manual,
                               STR("supported values: \"nil\", \"false\""));
}

void validate_job_spec(struct kind_validator *v, const struct json_value *object, struct str path)
{
    validate_completion_mode(v, object, path);
    validate_managed_by(v, object, path);
    validate_job_policies(v, object, path);
    validate_job_restart(v, object, path);
    if (v->kind->type == &type_job)
        validate_job_selector(v, object, path);
    else
        validate_template_selector(v, object, path);
}

/* Jobs that are older than the labels with a prefix need not have them. */
static bool needs_prefixed_labels(const struct kind_validator *v)
{
    const struct json_value *labels = json_path(v->old, "spec.template.metadata.labels");
    return !v->old || (json_get(labels, NAME_LABEL) && json_get(labels, UID_LABEL));
}

static void validate_generated_label(struct kind_validator *v, const struct json_value *labels,
                                     struct str key, struct str value)
{
    const struct str place = field_path_key(v, STR("spec.template.metadata.labels"), key);
    const struct json_value *label = json_get(labels, key);
    const struct str detail = ARENA_JOIN(v->arena, STR("must be '"), value, STR("'"));
    if (!label)
        field_errors_add(v->errors, FIELD_REQUIRED, place, detail);
    else if (!str_eq(json_to_str(label), value))
        field_invalid_map(v, place, NULL, labels, detail);
}

/* Whether a selector selects the labels that are generated. One that is malformed does. */
static bool selects_generated(struct kind_validator *v, const struct json_value *selector,
                              const struct str keys[], const struct str values[], size_t count)
{
    SCOPED(json_builder) builder = {.limit = 0};
    OWNED(json_doc) labels = NULL;
    struct selector read;
    json_builder_object(&builder);
    for (size_t i = 0; i < count; i++) {
        json_builder_key(&builder, keys[i]);
        json_builder_str(&builder, values[i]);
    }
    json_builder_end(&builder);
    struct error *err = json_builder_finish(&builder, &labels);
    if (!err)
        err = selector_from_value(v->arena, selector, &read);
    const bool is_selected = err || selector_matches(&read, json_doc_root(labels));
    error_free(err);
    return is_selected;
}

/* The server adds labels that are missing, but leaves those that were given as they are. */
static void validate_generated_selector(struct kind_validator *v, const struct json_value *job)
{
    const struct json_value *labels = json_path(job, "spec.template.metadata.labels");
    const struct json_value *selector = json_path(job, "spec.selector");
    const struct str uid = json_path_str(job, "metadata.uid");
    const struct str name = json_path_str(job, "metadata.name");
    const struct str keys[] = {LEGACY_UID_LABEL, LEGACY_NAME_LABEL, UID_LABEL, NAME_LABEL};
    const struct str values[] = {uid, name, uid, name};
    const size_t count = needs_prefixed_labels(v) ? COUNT(keys) : 2;
    if (!selector || field_is_true(json_path(job, "spec.manualSelector")))
        return;
    if (uid.len == 0)
        field_required(v, STR(""), "metadata.uid", "");
    for (size_t i = 0; i < count; i++)
        validate_generated_label(v, labels, keys[i], values[i]);
    if (!selects_generated(v, selector, keys, values, count))
        field_invalid(v, STR(""), "spec.selector", selector, "`selector` not auto-generated");
}

/* The host name of a Pod ends with its index, the last of which is the longest one. */
static void validate_job_host_names(struct kind_validator *v, const struct json_value *job)
{
    const struct json_value *name = json_path(job, "metadata.name");
    const int64_t completions = job_number(job, "spec.completions");
    if (!job_is_indexed(json_path(job, "spec")) || completions <= 0)
        return;
    const struct str last =
        arena_print(v->arena, "%.*s-%lld", STR_ARG(json_to_str(name)), (long long)completions - 1);
    if (!validation_is_ok(validation_dns1123_label(last)))
        field_errors_add_value(
            v->errors, FIELD_INVALID, STR("metadata.name"), name,
            ARENA_JOIN(v->arena, STR("will not able to create pod with invalid DNS label: "),
                       last));
}

void validate_job(struct kind_validator *v, const struct json_value *object, struct str path)
{
    (void)path;
    validate_generated_selector(v, object);
    validate_job_host_names(v, object);
}

/* Completions of a Job with indexes change together with its parallelism, others not at all. */
static void validate_completions_update(struct kind_validator *v, const struct json_value *spec)
{
    const struct json_value *value = json_path(spec, "completions");
    if (json_equal(value, json_path(v->old, "spec.completions")))
        return;
    if (!job_is_indexed(spec))
        field_invalid(v, STR("spec"), "completions", value, "field is immutable");
    else if (value && !json_equal(value, json_path(spec, "parallelism")))
        field_invalid(v, STR("spec"), "completions", value,
                      "can only be modified in tandem with spec.parallelism");
}

/* A suspended Job that has not started, or whose Pods are gone, has no Pod of the old template. */
static bool may_change_template(const struct json_value *job)
{
    const struct json_value *status = json_path(job, "status");
    return field_is_true(json_path(job, "spec.suspend")) && job_number(status, "active") == 0 &&
           (!json_path(status, "startTime") || job_has_condition(status, "Suspended", "True"));
}

/* Compares two lists of containers without their resources, which may change, but not with a name.
 */
static bool containers_differ(const struct json_value *containers, const struct json_value *olds)
{
    static const char *const free_members[] = {"resources"};
    struct json_iter iter = {.container = olds};
    const struct json_value *container, *old;
    struct str index;
    if (json_count(containers) != json_count(olds))
        return true;
    JSON_FOREACH (key, container, containers)
        if (!json_next(&iter, &index, &old) ||
            field_differs_besides(container, old, free_members, COUNT(free_members)))
            return true;
    return false;
}

/* Compares what may not change while the Job is suspended. An affinity without terms is none. */
static bool fixed_parts_differ(const struct json_value *pod, const struct json_value *old)
{
    static const char *const free_terms[] = {"nodeAffinity"};
    static const char *const others[] = {"nodeSelector", "tolerations", "schedulingGates",
                                         "affinity",     "containers",  "initContainers"};
    return field_differs_besides(pod, old, others, COUNT(others)) ||
           field_differs_besides(json_path(pod, "affinity"), json_path(old, "affinity"), free_terms,
                                 COUNT(free_terms)) ||
           containers_differ(json_path(pod, "containers"), json_path(old, "containers")) ||
           containers_differ(json_path(pod, "initContainers"), json_path(old, "initContainers"));
}

/*
 * Where the template may change, that is its metadata, the resources of its containers, and what
 * says which nodes its Pods go to.
 */
static void validate_template_update(struct kind_validator *v, const struct json_value *spec)
{
    const struct json_value *template = json_path(spec, "template");
    const struct json_value *old = json_path(v->old, "spec.template");
    const struct json_value *pod = json_path(template, "spec");
    if (may_change_template(v->old)) {
        if (fixed_parts_differ(pod, json_path(old, "spec")))
            field_invalid(v, STR("spec"), "template.spec", pod, "field is immutable");
    } else if (!json_equal(template, old)) {
        field_invalid(v, STR("spec"), "template", template, "field is immutable");
    }
}

void validate_job_update(struct kind_validator *v, const struct json_value *object, struct str path)
{
    const struct json_value *spec = json_path(object, "spec");
    (void)path;
    validate_completions_update(v, spec);
    validate_template_update(v, spec);
}
