/*
 * Checks, then reads. Functions that read take it for granted that schema and rules have passed: a
 * member that is absent has no default, and every other one has the type that it is read as.
 */
#include "clusterresourceset/types/delivery_policy.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/memory.h"
#include "clusterresourceset/types/policy_schema.h"
#include "json/path.h"

#define PERCENT      100
#define ADOPT_ERROR  "what another ClusterResourceSet owns cannot be adopted"
#define VALUES_ERROR "In and NotIn need values, Exists and DoesNotExist take none"

/* The durations of a policy, with the words for one that is out of bounds. */
static const struct duration_rule {
    duration least, most;
    struct str message;
} health_rule = {10 * SECOND, 24 * HOUR,
                 STR_INIT("must be a duration from 10s to 24h, such as 5m")},
  long_rule = {0, 720 * HOUR, STR_INIT("must be a duration from 0s to 720h, such as 1h30m")};

/* Takes "12h" off the front, for a unit. True as well if the text begins with another part. */
static bool skip_part(struct str *text, char unit, size_t digits_max)
{
    size_t digits = 0;
    while (digits < text->len && ascii_is_digit(text->ptr[digits]))
        digits++;
    if (digits == text->len || text->ptr[digits] != unit)
        return true;
    *text = str_skip(*text, digits + 1);
    return digits >= 1 && digits <= digits_max;
}

/* ^([0-9]{1,4}h)?([0-9]{1,6}m)?([0-9]{1,8}s)?$ and not empty: no such duration overflows. */
static bool read_duration(struct str text, duration *ret_value)
{
    struct str rest = text;
    return text.len && skip_part(&rest, 'h', 4) && skip_part(&rest, 'm', 6) &&
           skip_part(&rest, 's', 8) && !rest.len && duration_read(text, ret_value);
}

static void check_duration(const struct json_value *value, const struct duration_rule *rule,
                           struct str path, struct field_errors *errors)
{
    duration span = 0;
    if (!value ||
        (read_duration(json_to_str(value), &span) && span >= rule->least && span <= rule->most))
        return;
    field_errors_add_value(errors, FIELD_INVALID, path, value, rule->message);
}

static void check_adopt(const struct json_value *adopt, struct field_errors *errors)
{
    const struct json_value *manager;
    size_t index = 0;
    JSON_FOREACH (key, manager, adopt) {
        const size_t at = index++;
        if (str_starts_with(json_to_str(manager), STR("corset:")))
            field_errors_add_value(errors, FIELD_INVALID,
                                   arena_print(errors->arena, "spec.adopt[%zu]", at), manager,
                                   STR(ADOPT_ERROR));
    }
}

/*
 * Whether the keys are labels is no rule of the definition: CEL would have to match each of them.
 * On a server that accepts such a policy it is refused when it is read.
 */
static void check_selector(const struct json_value *selector, struct str path,
                           struct field_errors *errors)
{
    const struct json_value *expressions = json_get(selector, STR("matchExpressions")), *item;
    const size_t before = errors->count;
    struct selector read;
    size_t index = 0;
    JSON_FOREACH (key, item, expressions) {
        const struct str op = json_path_str(item, "operator");
        const bool wants_values = str_eq(op, STR("In")) || str_eq(op, STR("NotIn"));
        const size_t at = index++;
        if (wants_values != (json_count(json_get(item, STR("values"))) > 0))
            field_errors_add(
                errors, FIELD_INVALID,
                arena_print(errors->arena, "%.*s.matchExpressions[%zu]", STR_ARG(path), at),
                STR(VALUES_ERROR));
    }
    if (!selector || errors->count > before)
        return;
    OWNED(error) err = selector_from_value(errors->arena, selector, &read);
    if (err)
        field_errors_add(errors, FIELD_INVALID, path, str_from_c(err->message));
}

void delivery_policy_check_rules(const struct json_value *policy, struct field_errors *errors)
{
    const struct json_value *spec = json_get(policy, STR("spec")), *wave;
    size_t index = 0;
    check_adopt(json_get(spec, STR("adopt")), errors);
    check_duration(json_path(spec, "prune.abandonAfter"), &long_rule,
                   STR("spec.prune.abandonAfter"), errors);
    check_duration(json_path(spec, "health.timeout"), &health_rule, STR("spec.health.timeout"),
                   errors);
    JSON_FOREACH (key, wave, json_path(spec, "rollout.waves")) {
        const struct str path = arena_print(errors->arena, "spec.rollout.waves[%zu]", index++);
        check_selector(json_get(wave, STR("clusterSelector")),
                       arena_print(errors->arena, "%.*s.clusterSelector", STR_ARG(path)), errors);
        check_duration(json_get(wave, STR("soak")), &long_rule,
                       arena_print(errors->arena, "%.*s.soak", STR_ARG(path)), errors);
    }
}

static bool is_word(const struct json_value *spec, const char *path, struct str word)
{
    return str_eq(json_path_str(spec, path), word);
}

static struct delivery_policy_share read_share(const struct json_value *value)
{
    struct delivery_policy_share share = {.is_percent = json_type(value) == JSON_STRING};
    const struct str text = json_to_str(value);
    if (share.is_percent)
        str_to_int64(str_slice(text, 0, text.len - 1), &share.number);
    else
        json_to_int64(value, &share.number);
    return share;
}

static duration read_span(const struct json_value *value)
{
    duration span = 0;
    duration_read(json_to_str(value), &span);
    return span;
}

static struct delivery_policy_texts read_texts(struct arena *arena, const struct json_value *list)
{
    struct delivery_policy_texts texts = {
        .items = arena_alloc_array(arena, json_count(list) + 1, sizeof(struct str))};
    const struct json_value *item;
    JSON_FOREACH (key, item, list)
        texts.items[texts.count++] = arena_str(arena, json_to_str(item));
    return texts;
}

static enum delivery_policy_drift read_drift(const struct json_value *spec)
{
    if (is_word(spec, "drift", STR("Ignore")))
        return DELIVERY_POLICY_DRIFT_IGNORE;
    return is_word(spec, "drift", STR("Repair")) ? DELIVERY_POLICY_DRIFT_REPAIR
                                                 : DELIVERY_POLICY_DRIFT_REPORT;
}

static void read_ignore(const struct json_value *list, struct delivery_policy *policy)
{
    struct arena *arena = &policy->arena;
    const struct json_value *rule;
    policy->ignore =
        arena_alloc_array(arena, json_count(list) + 1, sizeof(struct delivery_policy_ignore));
    JSON_FOREACH (key, rule, list)
        policy->ignore[policy->ignore_count++] = (struct delivery_policy_ignore){
            .group = arena_str(arena, json_path_str(rule, "group")),
            .kind = arena_str(arena, json_path_str(rule, "kind")),
            .namespace = arena_str(arena, json_path_str(rule, "namespace")),
            .name = arena_str(arena, json_path_str(rule, "name")),
            .paths = read_texts(arena, json_get(rule, STR("paths"))),
        };
}

static void read_prune(const struct json_value *prune, struct delivery_policy *policy)
{
    static const struct {
        struct str word;
        unsigned bit;
    } words[] = {
        {STR_INIT("Removed"),    DELIVERY_POLICY_PRUNE_REMOVED   },
        {STR_INIT("Unselected"), DELIVERY_POLICY_PRUNE_UNSELECTED},
        {STR_INIT("Deleted"),    DELIVERY_POLICY_PRUNE_DELETED   },
    };
    const struct json_value *item;
    JSON_FOREACH (key, item, json_get(prune, STR("when")))
        for (size_t i = 0; i < COUNT(words); i++)
            if (str_eq(json_to_str(item), words[i].word))
                policy->prune_when |= words[i].bit;
    policy->prune_kinds = read_texts(&policy->arena, json_get(prune, STR("kinds")));
    json_to_int64(json_get(prune, STR("maxObjects")), &policy->prune_max_objects);
    policy->prune_max_clusters = read_share(json_get(prune, STR("maxClusters")));
    policy->prune_abandon_after = read_span(json_get(prune, STR("abandonAfter")));
}

/* The rules have read every selector before. The copy is what the texts of a selector are in. */
static struct error *read_waves(const struct json_value *rollout, struct delivery_policy *policy)
{
    struct arena *arena = &policy->arena;
    const struct json_value *list = json_get(rollout, STR("waves")), *item;
    policy->waves =
        arena_alloc_array(arena, json_count(list) + 1, sizeof(struct delivery_policy_wave));
    JSON_FOREACH (key, item, list) {
        struct delivery_policy_wave *wave = &policy->waves[policy->wave_count++];
        const struct json_value *selector = json_get(item, STR("clusterSelector"));
        wave->name = arena_str(arena, json_path_str(item, "name"));
        wave->at_a_time = read_share(json_get(item, STR("atATime")));
        wave->soak = read_span(json_get(item, STR("soak")));
        json_to_bool(json_get(item, STR("approval")), &wave->approval);
        if (!selector)
            continue;
        struct json_doc *copy = json_doc_copy(selector);
        json_doc_hold(arena, copy);
        TRY(selector_from_value(arena, json_doc_root(copy), &wave->selector));
    }
    policy->max_failures = read_share(json_get(rollout, STR("maxFailures")));
    return NULL;
}

static struct error *read_spec(const struct json_value *spec, struct delivery_policy *policy)
{
    policy->fails_on_conflict = is_word(spec, "conflicts", STR("Fail"));
    policy->recreates_immutable = is_word(spec, "onImmutable", STR("Recreate"));
    policy->adopt = read_texts(&policy->arena, json_get(spec, STR("adopt")));
    policy->drift = read_drift(spec);
    policy->health_timeout = read_span(json_path(spec, "health.timeout"));
    policy->has_values = is_word(spec, "values", STR("Cluster"));
    read_ignore(json_get(spec, STR("ignore")), policy);
    read_prune(json_get(spec, STR("prune")), policy);
    return read_waves(json_get(spec, STR("rollout")), policy);
}

struct error *delivery_policy_read(const struct policy_schema *schema, const struct object *object,
                                   struct delivery_policy **ret_policy)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) filled = NULL;
    TRY(policy_schema_check(schema, object_root(object), NULL, &errors, &filled));
    if (errors.count) {
        field_errors_write(&text, &errors);
        return error_new(ERROR_INVALID, "%s", buf_c(&text));
    }
    OWNED(delivery_policy) policy = NEW(struct delivery_policy);
    policy->references = 1;
    TRY(read_spec(json_get(json_doc_root(filled), STR("spec")), policy));
    *ret_policy = TAKE(policy);
    return NULL;
}

void delivery_policy_free(struct delivery_policy *policy)
{
    if (!policy || --policy->references)
        return;
    arena_done(&policy->arena);
    mem_free(policy);
}

bool delivery_policy_protects(struct str group, struct str kind)
{
    static const struct {
        struct str group, kind;
    } rows[] = {
        {STR_INIT(""),                     STR_INIT("Namespace")               },
        {STR_INIT("apiextensions.k8s.io"), STR_INIT("CustomResourceDefinition")},
        {STR_INIT(""),                     STR_INIT("PersistentVolume")        },
        {STR_INIT(""),                     STR_INIT("PersistentVolumeClaim")   },
        {STR_INIT("storage.k8s.io"),       STR_INIT("StorageClass")            },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        if (str_eq(rows[i].group, group) && str_eq(rows[i].kind, kind))
            return true;
    return false;
}

size_t delivery_policy_tolerated(struct delivery_policy_share share, size_t clusters)
{
    return share.is_percent ? clusters * (size_t)share.number / PERCENT : (size_t)share.number;
}

size_t delivery_policy_at_most(struct delivery_policy_share share, size_t clusters)
{
    if (!share.is_percent)
        return (size_t)share.number;
    const size_t part = (clusters * (size_t)share.number + PERCENT - 1) / PERCENT;
    return part ? part : 1;
}
