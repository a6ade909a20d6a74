/* The index: roles, bindings, and bindings by subject. */
#include "rbac/rbac.h"

#include "rbac/rbac_internal.h"
#include "base/memory.h"
#include "json/path.h"

static void release_role(void *role)
{
    role_free(role);
}

static void release_binding(void *binding)
{
    binding_free(binding);
}

static void release_grants(void *data)
{
    struct grants *grants = data;
    mem_free(grants->items);
    mem_free(grants);
}

struct rbac *rbac_new(void)
{
    struct rbac *rbac = NEW(struct rbac);
    rbac->roles.release = release_role;
    rbac->bindings.release = release_binding;
    rbac->subjects.release = release_grants;
    return rbac;
}

void rbac_free(struct rbac *rbac)
{
    if (!rbac)
        return;
    map_done(&rbac->subjects);
    map_done(&rbac->bindings);
    map_done(&rbac->roles);
    mem_free(rbac);
}

static struct str key_of(struct buf *buf, struct str namespace, struct str name)
{
    buf_clear(buf);
    buf_add(buf, namespace);
    buf_add_char(buf, '/');
    buf_add(buf, name);
    return buf_str(buf);
}

static void grants_add(struct rbac *rbac, struct str subject, struct binding *binding)
{
    struct grants *grants = map_find(&rbac->subjects, subject);
    if (!grants) {
        grants = NEW(struct grants);
        map_put(&rbac->subjects, subject, grants);
    }
    if (grants->count == grants->capacity) {
        grants->capacity = grants->capacity ? grants->capacity * 2 : 2;
        grants->items =
            mem_realloc_array(grants->items, grants->capacity, sizeof(grants->items[0]));
    }
    grants->items[grants->count++] = binding;
}

/* All mentions of a binding, in case it names a subject twice. */
static void grants_remove(struct rbac *rbac, struct str subject, const struct binding *binding)
{
    struct grants *grants = map_find(&rbac->subjects, subject);
    size_t kept = 0;
    if (!grants)
        return;
    for (size_t i = 0; i < grants->count; i++)
        if (grants->items[i] != binding)
            grants->items[kept++] = grants->items[i];
    grants->count = kept;
    if (kept == 0)
        map_remove(&rbac->subjects, subject);
}

static void replace_binding(struct rbac *rbac, struct str key, struct binding *binding)
{
    struct binding *old = map_take(&rbac->bindings, key);
    for (size_t i = 0; old && i < old->count; i++)
        grants_remove(rbac, old->subjects[i].key, old);
    binding_free(old);
    if (!binding)
        return;
    map_put(&rbac->bindings, key, binding);
    for (size_t i = 0; i < binding->count; i++)
        grants_add(rbac, binding->subjects[i].key, binding);
}

static void replace_role(struct rbac *rbac, struct str key, struct role *role)
{
    map_remove(&rbac->roles, key);
    if (role)
        map_put(&rbac->roles, key, role);
    rbac->stale |= key.ptr[0] == '/';
}

static void replace(struct rbac *rbac, enum rbac_kind kind, struct str key,
                    const struct json_value *object)
{
    if (kind == RBAC_ROLE || kind == RBAC_CLUSTER_ROLE)
        replace_role(rbac, key, object ? role_read(object) : NULL);
    else
        replace_binding(rbac, key, object ? binding_read(object) : NULL);
}

static bool is_namespaced(enum rbac_kind kind)
{
    return kind == RBAC_ROLE || kind == RBAC_ROLE_BINDING;
}

void rbac_put(struct rbac *rbac, enum rbac_kind kind, const struct json_value *object)
{
    SCOPED(buf) key = {.limit = 0};
    const struct str namespace =
        is_namespaced(kind) ? json_path_str(object, "metadata.namespace") : STR("");
    replace(rbac, kind, key_of(&key, namespace, json_path_str(object, "metadata.name")), object);
}

void rbac_remove(struct rbac *rbac, enum rbac_kind kind, struct str namespace, struct str name)
{
    SCOPED(buf) key = {.limit = 0};
    replace(rbac, kind, key_of(&key, is_namespaced(kind) ? namespace : STR(""), name), NULL);
}

/* Aggregation: the rules of a role are those of the roles it selects, and of those they select. */

static bool selects(const struct role *role, const struct role *other)
{
    for (size_t i = 0; i < role->selector_count; i++)
        if (selector_matches(&role->selectors[i], json_doc_root(other->labels)))
            return true;
    return false;
}

static bool is_source(const struct role *role, const struct role *other)
{
    for (size_t i = 0; i < role->source_count; i++)
        if (role->sources[i] == other)
            return true;
    return false;
}

static void add_sources(struct rbac *rbac, struct role *role, const struct role *by)
{
    MAP_FOREACH (entry, &rbac->roles) {
        struct role *other = entry->value;
        if (map_key(entry).ptr[0] == '/' && other != role && other->labels && selects(by, other) &&
            !is_source(role, other))
            role->sources[role->source_count++] = other;
    }
}

static void resolve(struct rbac *rbac, struct role *role)
{
    role->source_count = 0;
    role->sources =
        mem_realloc_array(role->sources, map_count(&rbac->roles), sizeof(role->sources[0]));
    add_sources(rbac, role, role);
    for (size_t i = 0; i < role->source_count; i++)
        if (role->sources[i]->aggregates)
            add_sources(rbac, role, role->sources[i]);
}

struct role *rbac_find_role(struct rbac *rbac, struct str namespace, struct str name)
{
    SCOPED(buf) key = {.limit = 0};
    if (rbac->stale)
        MAP_FOREACH (entry, &rbac->roles) {
            struct role *role = entry->value;
            if (role->aggregates)
                resolve(rbac, role);
        }
    rbac->stale = false;
    return map_find(&rbac->roles, key_of(&key, namespace, name));
}

const struct rbac_rules *role_rules(const struct role *role, size_t index)
{
    static const struct rbac_rules none = {.count = 0};
    if (!role->aggregates)
        return index == 0 ? &role->rules : NULL;
    if (index >= role->source_count)
        return NULL;
    return role->sources[index]->aggregates ? &none : &role->sources[index]->rules;
}

static const struct grants *grants_of(const struct rbac *rbac, const struct rbac_user *user,
                                      size_t subject)
{
    SCOPED(buf) key = {.limit = 0};
    const bool is_user = subject == 0;
    buf_add(&key, is_user ? STR("User:") : STR("Group:"));
    buf_add(&key, is_user ? user->name : user->groups.items[subject - 1]);
    return map_find(&rbac->subjects, buf_str(&key));
}

struct binding *rbac_next_binding(const struct rbac *rbac, const struct rbac_user *user,
                                  struct str namespace, struct grant_walk *walk)
{
    for (; walk->pass < 2; walk->pass++, walk->subject = 0) {
        for (; walk->subject <= user->groups.count; walk->subject++, walk->binding = 0) {
            const struct grants *grants = grants_of(rbac, user, walk->subject);
            while (grants && walk->binding < grants->count) {
                struct binding *binding = grants->items[walk->binding++];
                const bool is_wanted = walk->pass == 0 ? binding->namespace.len == 0
                                                       : binding->namespace.len &&
                                                             str_eq(binding->namespace, namespace);
                if (is_wanted)
                    return binding;
            }
        }
    }
    return NULL;
}
