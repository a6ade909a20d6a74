/*
 * The index: roles and bindings by name, and bindings by namespace and subject. rbac_aggregation.c
 * resolves aggregated roles.
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

/* Bindings of a namespace are apart, so that they cost nothing elsewhere. */
static void grants_add(struct rbac *rbac, struct str subject, struct binding *binding)
{
    SCOPED(buf) buf = {.limit = 0};
    const struct str key = key_of(&buf, binding->namespace, subject);
    struct grants *grants = map_find(&rbac->subjects, key);
    if (!grants) {
        grants = NEW(struct grants);
        map_put(&rbac->subjects, key, grants);
    }
    ARRAY_PUSH(grants->items, grants->count, grants->capacity, binding);
}

static void grants_remove(struct rbac *rbac, struct str subject, const struct binding *binding)
{
    SCOPED(buf) buf = {.limit = 0};
    const struct str key = key_of(&buf, binding->namespace, subject);
    struct grants *grants = map_find(&rbac->subjects, key);
    size_t kept = 0;
    if (!grants)
        return;
    for (size_t i = 0; i < grants->count; i++)
        if (grants->items[i] != binding)
            grants->items[kept++] = grants->items[i];
    grants->count = kept;
    if (kept == 0)
        map_remove(&rbac->subjects, key);
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

struct role *rbac_role_at(const struct rbac *rbac, struct str key)
{
    const struct map_entry *own = map_find_entry(&rbac->roles, key);
    if (own)
        return own->value;
    return rbac->base ? map_find(&rbac->base->roles, key) : NULL;
}

/* Only cluster roles aggregate; an aggregationRule in a namespaced role has no meaning. */
bool rbac_find_role(struct rbac *rbac, struct str namespace, struct str name,
                    struct role_view *ret_view)
{
    SCOPED(buf) buf = {.limit = 0};
    const struct str key = key_of(&buf, namespace, name);
    /* Indexes that change no cluster role use the cache of the base. */
    struct rbac *resolver = rbac->base && !rbac->changes_cluster ? rbac->base : rbac;
    struct role *role = rbac_role_at(rbac, key);
    if (!role)
        return false;
    *ret_view = (struct role_view){.role = role};
    if (role->aggregates && namespace.len == 0)
        ret_view->sources = rbac_sources(resolver, key, role, &ret_view->steps);
    return true;
}

/*
 * The stored rules of a role that aggregates are not used: its sources are in the list themselves.
 */
struct role *role_part(const struct role_view *view, size_t index)
{
    if (!view->sources)
        return index == 0 ? view->role : NULL;
    return index < view->sources->count ? view->sources->items[index] : NULL;
}

uint64_t rbac_next_visit(struct rbac *rbac)
{
    return rbac->base ? ++rbac->base->visits : ++rbac->visits;
}

/* What things take, in the time of comparing two strings. */
#define LOOKUP_STEPS  20
#define BINDING_STEPS 50

bool rbac_is_spent(const struct grant_walk *walk)
{
    return walk->steps > RBAC_STEPS_MAX;
}

static const struct grants *grants_of(const struct rbac *rbac, const struct rbac_user *user,
                                      struct str namespace, size_t subject)
{
    SCOPED(buf) key = {.limit = 0};
    const bool is_user = subject == 0;
    BUF_ADD_ALL(&key, namespace, is_user ? STR("/User:") : STR("/Group:"),
                is_user ? user->name : user->groups.items[subject - 1]);
    return map_find(&rbac->subjects, buf_str(&key));
}

/* A binding of the base counts unless the index has something else under its name. */
static bool is_replaced(const struct rbac *rbac, const struct binding *binding)
{
    SCOPED(buf) key = {.limit = 0};
    return map_count(&rbac->bindings) &&
           map_has(&rbac->bindings, key_of(&key, binding->namespace, binding->name));
}

/* A binding may name the user and groups of it; the first of them counts. */
static bool is_wanted(const struct rbac *rbac, const struct grant_walk *walk,
                      struct binding *binding)
{
    if (binding->visit == walk->visit)
        return false;
    binding->visit = walk->visit;
    return walk->layer == 0 || !is_replaced(rbac, binding);
}

/* The subjects of a user are its name (0) and its groups (1 and up). */
static struct binding *next_in_layer(const struct rbac *rbac, const struct rbac_user *user,
                                     struct str namespace, struct grant_walk *walk)
{
    const struct rbac *layer = walk->layer == 0 ? rbac : rbac->base;
    for (; layer && walk->subject <= user->groups.count; walk->subject++, walk->binding = 0) {
        const struct grants *grants = grants_of(layer, user, namespace, walk->subject);
        walk->steps += LOOKUP_STEPS;
        while (grants && walk->binding < grants->count && !rbac_is_spent(walk)) {
            struct binding *binding = grants->items[walk->binding++];
            walk->steps += BINDING_STEPS;
            if (is_wanted(rbac, walk, binding))
                return binding;
        }
        if (rbac_is_spent(walk))
            return NULL;
    }
    return NULL;
}

/*
 * Order: pass, then layer (index, base), then subject, then binding. Pass 0 visits bindings of the
 * whole cluster, pass 1 those of the namespace.
 */
struct binding *rbac_next_binding(struct rbac *rbac, const struct rbac_user *user,
                                  struct str namespace, struct grant_walk *walk)
{
    const size_t passes = namespace.len ? 2 : 1;
    if (walk->visit == 0)
        walk->visit = rbac_next_visit(rbac);
    for (; walk->pass < passes; walk->pass++, walk->layer = 0)
        for (; walk->layer < 2; walk->layer++, walk->subject = 0) {
            if (rbac_is_spent(walk))
                return NULL;
            struct binding *binding =
                next_in_layer(rbac, user, walk->pass ? namespace : STR(""), walk);
            if (binding)
                return binding;
        }
    return NULL;
}
