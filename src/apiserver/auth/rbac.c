/*
 * The index: roles and bindings by name, bindings by subject, and the resolution of aggregated
 * roles.
 *
 * An index may have a base that it shares with others (rbac_set_base). Lookups go to the index
 * first; a NULL entry hides the object of the base. Resolutions of aggregated roles are cached in
 * the index, or in the base as long as the index has not changed any cluster role, and are dropped
 * with every change of a cluster role.
 */
#include "apiserver/auth/rbac.h"

#include <assert.h>

#include "apiserver/auth/rbac_internal.h"
#include "base/array.h"
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

static void release_sources(void *data)
{
    struct sources *sources = data;
    mem_free(sources->items);
    mem_free(sources);
}

struct rbac *rbac_new(void)
{
    struct rbac *rbac = NEW(struct rbac);
    rbac->roles.release = release_role;
    rbac->bindings.release = release_binding;
    rbac->subjects.release = release_grants;
    rbac->resolved.release = release_sources;
    return rbac;
}

void rbac_set_base(struct rbac *rbac, struct rbac *base)
{
    assert(map_count(&rbac->roles) == 0 && map_count(&rbac->bindings) == 0 && !base->base);
    rbac->base = base;
}

void rbac_free(struct rbac *rbac)
{
    if (!rbac)
        return;
    map_done(&rbac->resolved);
    map_done(&rbac->subjects);
    map_done(&rbac->bindings);
    map_done(&rbac->roles);
    mem_free(rbac);
}

/* "namespace/name", and "/name" for cluster-wide objects. The buffer holds the text. */
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
    ARRAY_PUSH(grants->items, grants->count, grants->capacity, binding);
}

/* Removes all mentions of a binding, because it may name a subject twice. */
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

/* Sets what an index knows under a key. Without a value the object of the base is hidden. */
static void set_entry(struct map *map, const struct map *base, struct str key, void *value)
{
    map_remove(map, key);
    if (value || (base && map_has(base, key)))
        map_put(map, key, value);
}

static void replace_binding(struct rbac *rbac, struct str key, struct binding *binding)
{
    const struct binding *old = map_find(&rbac->bindings, key);
    for (size_t i = 0; old && i < old->count; i++)
        grants_remove(rbac, old->subjects[i].key, old);
    set_entry(&rbac->bindings, rbac->base ? &rbac->base->bindings : NULL, key, binding);
    for (size_t i = 0; binding && i < binding->count; i++)
        grants_add(rbac, binding->subjects[i].key, binding);
}

/* Every change of a cluster role may change what others aggregate. */
static void replace_role(struct rbac *rbac, struct str key, struct role *role)
{
    const bool is_cluster_role = key.ptr[0] == '/';
    set_entry(&rbac->roles, rbac->base ? &rbac->base->roles : NULL, key, role);
    if (!is_cluster_role)
        return;
    map_clear(&rbac->resolved);
    rbac->changes_cluster = true;
}

static void replace_object(struct rbac *rbac, enum rbac_kind kind, struct str key,
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
    replace_object(rbac, kind, key_of(&key, namespace, json_path_str(object, "metadata.name")),
                   object);
}

void rbac_remove(struct rbac *rbac, enum rbac_kind kind, struct str namespace, struct str name)
{
    SCOPED(buf) key = {.limit = 0};
    replace_object(rbac, kind, key_of(&key, is_namespaced(kind) ? namespace : STR(""), name), NULL);
}

/* Aggregation: the rules of a role are those of the roles it selects, and of those they select. */
static bool selects(const struct role *role, const struct role *other)
{
    for (size_t i = 0; i < role->selector_count; i++)
        if (selector_matches(&role->selectors[i], json_doc_root(other->labels)))
            return true;
    return false;
}

static bool is_source(const struct sources *sources, const struct role *role)
{
    for (size_t i = 0; i < sources->count; i++)
        if (sources->items[i] == role)
            return true;
    return false;
}

/*
 * What one layer adds to the sources of a role: roles with labels that are selected and are not
 * replaced in the layer above.
 */
static void add_from(struct sources *sources, const struct rbac *layer, const struct rbac *above,
                     const struct role *role, const struct role *by)
{
    MAP_FOREACH (entry, &layer->roles) {
        const struct role *other = entry->value;
        if (map_key(entry).ptr[0] == '/' && other && other != role && other->labels &&
            (!above || !map_has(&above->roles, map_key(entry))) && selects(by, other) &&
            !is_source(sources, other))
            ARRAY_PUSH(sources->items, sources->count, sources->capacity, other);
    }
}

static void add_sources(struct sources *sources, const struct rbac *rbac, const struct role *role,
                        const struct role *by)
{
    add_from(sources, rbac, NULL, role, by);
    if (rbac->base)
        add_from(sources, rbac->base, rbac, role, by);
}

/* Sources that aggregate are followed in turn; each role is added once, so circles end. */
static const struct sources *resolve_sources(struct rbac *rbac, struct str key,
                                             const struct role *role)
{
    struct sources *sources = map_find(&rbac->resolved, key);
    if (sources)
        return sources;
    sources = NEW(struct sources);
    add_sources(sources, rbac, role, role);
    for (size_t i = 0; i < sources->count; i++)
        if (sources->items[i]->aggregates)
            add_sources(sources, rbac, role, sources->items[i]);
    map_put(&rbac->resolved, key, sources);
    return sources;
}

static const struct role *find_role(const struct rbac *rbac, struct str key)
{
    const struct map_entry *own = map_find_entry(&rbac->roles, key);
    if (own)
        return own->value;
    return rbac->base ? map_find(&rbac->base->roles, key) : NULL;
}

bool rbac_is_in_aggregation(const struct rbac *rbac, struct str name)
{
    SCOPED(buf) buf = {.limit = 0};
    const struct role *role = find_role(rbac, key_of(&buf, STR(""), name));
    if (!role || role->aggregates)
        return role != NULL;
    MAP_FOREACH (entry, &rbac->roles) {
        const struct role *other = entry->value;
        if (map_key(entry).ptr[0] == '/' && other && other->aggregates && selects(other, role))
            return true;
    }
    return false;
}

/* Only cluster roles aggregate; an aggregationRule in a namespaced role has no meaning. */
bool rbac_find_role(struct rbac *rbac, struct str namespace, struct str name,
                    struct role_view *ret_view)
{
    SCOPED(buf) buf = {.limit = 0};
    const struct str key = key_of(&buf, namespace, name);
    /* Indexes that change no cluster role use the cache of the base. */
    struct rbac *resolver = rbac->base && !rbac->changes_cluster ? rbac->base : rbac;
    const struct role *role = find_role(rbac, key);
    if (!role)
        return false;
    const bool aggregates = role->aggregates && namespace.len == 0;
    *ret_view = (struct role_view){role, aggregates ? resolve_sources(resolver, key, role) : NULL};
    return true;
}

/*
 * The stored rules of a role that aggregates are not used: its sources are in the list themselves.
 */
const struct rbac_rules *role_rules(const struct role_view *view, size_t index)
{
    static const struct rbac_rules none = {.count = 0};
    if (!view->sources)
        return index == 0 ? &view->role->rules : NULL;
    if (index >= view->sources->count)
        return NULL;
    const struct role *source = view->sources->items[index];
    return source->aggregates ? &none : &source->rules;
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

/* A binding of the base counts unless the index has something else under its name. */
static bool is_replaced(const struct rbac *rbac, const struct binding *binding)
{
    SCOPED(buf) key = {.limit = 0};
    return map_count(&rbac->bindings) &&
           map_has(&rbac->bindings, key_of(&key, binding->namespace, binding->name));
}

/* Pass 0 visits bindings of the whole cluster, pass 1 those of the namespace. */
static bool is_wanted(const struct rbac *rbac, const struct grant_walk *walk,
                      const struct binding *binding, struct str namespace)
{
    const bool for_cluster = binding->namespace.len == 0;
    if (walk->pass == 0 ? !for_cluster : for_cluster || !str_eq(binding->namespace, namespace))
        return false;
    return walk->layer == 0 || !is_replaced(rbac, binding);
}

/* The subjects of a user are its name (0) and its groups (1 and up). */
static struct binding *next_in_layer(const struct rbac *rbac, const struct rbac_user *user,
                                     struct str namespace, struct grant_walk *walk)
{
    const struct rbac *layer = walk->layer == 0 ? rbac : rbac->base;
    for (; layer && walk->subject <= user->groups.count; walk->subject++, walk->binding = 0) {
        const struct grants *grants = grants_of(layer, user, walk->subject);
        while (grants && walk->binding < grants->count) {
            struct binding *binding = grants->items[walk->binding++];
            if (is_wanted(rbac, walk, binding, namespace))
                return binding;
        }
    }
    return NULL;
}

/* Order: pass, then layer (index, base), then subject, then binding. */
struct binding *rbac_next_binding(const struct rbac *rbac, const struct rbac_user *user,
                                  struct str namespace, struct grant_walk *walk)
{
    for (; walk->pass < 2; walk->pass++, walk->layer = 0)
        for (; walk->layer < 2; walk->layer++, walk->subject = 0) {
            struct binding *binding = next_in_layer(rbac, user, namespace, walk);
            if (binding)
                return binding;
        }
    return NULL;
}
