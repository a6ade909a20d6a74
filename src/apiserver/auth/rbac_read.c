/*
 * From stored objects to what the index keeps of them. Objects are validated before they are
 * stored, but the index does not rely on it: fields of a wrong type are skipped and thereby grant
 * nothing.
 */
#include "apiserver/auth/rbac_internal.h"
#include "base/array.h"
#include "base/memory.h"
#include "json/path.h"

/* Elements that are no strings are skipped. */
static struct rbac_strings read_strings(struct arena *arena, const struct json_value *list)
{
    struct rbac_strings strings = {.items = NULL};
    const struct json_value *value;
    if (json_type(list) != JSON_ARRAY || json_count(list) == 0)
        return strings;
    strings.items = arena_alloc_array(arena, json_count(list), sizeof(struct str));
    JSON_FOREACH (key, value, list)
        if (json_type(value) == JSON_STRING)
            strings.items[strings.count++] = arena_str(arena, json_to_str(value));
    return strings;
}

struct rbac_rule *rbac_rules_add(struct arena *arena, struct rbac_rules *rules)
{
    ARENA_ARRAY_GROW(arena, rules->items, rules->count, rules->capacity);
    return &rules->items[rules->count++];
}

/* Also used for objects that are not in the index yet, see escalation_check.c. */
struct rbac_rules rbac_read_rules(struct arena *arena, const struct json_value *role)
{
    struct rbac_rules rules = {.items = NULL};
    const struct json_value *rule;
    JSON_FOREACH (key, rule, json_get(role, STR("rules"))) {
        *rbac_rules_add(arena, &rules) = (struct rbac_rule){
            .verbs = read_strings(arena, json_get(rule, STR("verbs"))),
            .api_groups = read_strings(arena, json_get(rule, STR("apiGroups"))),
            .resources = read_strings(arena, json_get(rule, STR("resources"))),
            .resource_names = read_strings(arena, json_get(rule, STR("resourceNames"))),
            .urls = read_strings(arena, json_get(rule, STR("nonResourceURLs"))),
        };
    }
    return rules;
}

static void read_aggregation(struct role *role, const struct json_value *object)
{
    const struct json_value *value,
        *selectors = json_path(object, "aggregationRule.clusterRoleSelectors");
    role->aggregates = json_type(selectors) == JSON_ARRAY;
    role->has_aggregation_rule = json_type(json_get(object, STR("aggregationRule"))) == JSON_OBJECT;
    role->selectors =
        arena_alloc_array(&role->arena, json_count(selectors), sizeof(role->selectors[0]));
    JSON_FOREACH (key, value, selectors) {
        /* A selector that does not parse selects nothing; validation would have refused it. */
        OWNED(error)
        err = selector_from_value(&role->arena, value, &role->selectors[role->selector_count]);
        if (!err)
            role->selector_count++;
    }
}

/* Labels are kept for the selectors of roles that aggregate. */
struct role *role_read(const struct json_value *object)
{
    struct role *role = NEW(struct role);
    const struct json_value *labels = json_path(object, "metadata.labels");
    if (json_count(labels))
        role->labels = json_doc_copy(labels);
    role->rules = rbac_read_rules(&role->arena, object);
    read_aggregation(role, object);
    return role;
}

void role_free(struct role *role)
{
    if (!role)
        return;
    json_doc_free(role->labels);
    arena_done(&role->arena);
    mem_free(role);
}

/*
 * ServiceAccounts are users by another name, so they get the key of that user. In a RoleBinding an
 * account without a namespace is of the same namespace, which is given.
 */
static struct subject read_subject(struct arena *arena, const struct json_value *value,
                                   struct str namespace)
{
    struct subject subject = {
        .kind = arena_str(arena, json_path_str(value, "kind")),
        .name = arena_str(arena, json_path_str(value, "name")),
        .namespace = arena_str(arena, json_path_str(value, "namespace")),
    };
    const bool is_account = str_eq(subject.kind, STR("ServiceAccount"));
    if (is_account && subject.namespace.len == 0)
        subject.namespace = namespace;
    subject.key =
        is_account ? arena_print(arena, "User:system:serviceaccount:%.*s:%.*s",
                                 STR_ARG(subject.namespace), STR_ARG(subject.name))
                   : arena_print(arena, "%.*s:%.*s", STR_ARG(subject.kind), STR_ARG(subject.name));
    return subject;
}

/* From so many subjects on those that were read are looked up in a map. */
#define SUBJECTS_MANY 32

/* Whether the key is that of a subject that was read before; from SUBJECTS_MANY on the map tells.
 */
static bool has_subject(const struct binding *binding, struct map *seen, struct str key)
{
    if (binding->count >= SUBJECTS_MANY)
        return map_has(seen, key);
    for (size_t i = 0; i < binding->count; i++)
        if (str_eq(binding->subjects[i].key, key))
            return true;
    return false;
}

/* A subject that is named again grants nothing more. */
static void add_subject(struct binding *binding, struct map *seen, struct subject subject)
{
    if (has_subject(binding, seen, subject.key))
        return;
    map_put(seen, subject.key, NULL);
    binding->subjects[binding->count++] = subject;
}

/* Everything is copied into the binding's own arena: the index outlives the document. */
struct binding *binding_read(const struct json_value *object)
{
    struct binding *binding = NEW(struct binding);
    const struct json_value *value, *subjects = json_get(object, STR("subjects"));
    struct arena *arena = &binding->arena;
    SCOPED(map) seen = {.release = NULL};
    binding->name = arena_str(arena, json_path_str(object, "metadata.name"));
    binding->namespace = arena_str(arena, json_path_str(object, "metadata.namespace"));
    binding->to_cluster_role = str_eq(json_path_str(object, "roleRef.kind"), STR("ClusterRole"));
    binding->role = arena_str(arena, json_path_str(object, "roleRef.name"));
    binding->subjects = arena_alloc_array(arena, json_count(subjects), sizeof(struct subject));
    JSON_FOREACH (key, value, subjects)
        add_subject(binding, &seen, read_subject(arena, value, binding->namespace));
    return binding;
}

void binding_free(struct binding *binding)
{
    if (!binding)
        return;
    arena_done(&binding->arena);
    mem_free(binding);
}
