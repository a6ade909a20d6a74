/*
 * Aggregation in the index: which ClusterRoles a role selects by their labels. The rules of a role
 * that aggregates are those of the roles it selects, and of those they select.
 *
 * Selectors and labels come from authors of roles, and comparing them takes the product of both, so
 * it is counted. A role that is too large to be compared within RBAC_SELECT_STEPS_MAX is passed
 * over: it is not selected, which grants less and never more.
 */
#include "apiserver/auth/rbac_internal.h"
#include "base/array.h"
#include "base/memory.h"

/* One resolution under way. */
struct choice {
    const struct rbac *rbac;
    const struct role *role; /* which is not its own source */
    size_t steps;
    bool is_cut; /* a role was passed over */
};

/* Counts the comparison and says whether there is room for it. */
static bool has_room(struct choice *choice, const struct selector *selector,
                     const struct role *other)
{
    const size_t steps = 1 + selector->count * json_count(json_doc_root(other->labels));
    if (steps > RBAC_SELECT_STEPS_MAX || choice->steps > RBAC_SELECT_STEPS_MAX - steps) {
        choice->is_cut = true;
        return false;
    }
    choice->steps += steps;
    return true;
}

static bool selects(struct choice *choice, const struct role *by, const struct role *other)
{
    for (size_t i = 0; i < by->selector_count; i++)
        if (has_room(choice, &by->selectors[i], other) &&
            selector_matches(&by->selectors[i], json_doc_root(other->labels)))
            return true;
    return false;
}

/* Whether the entry is a ClusterRole with labels that nothing in the layer above replaces. */
static bool can_be_selected(const struct choice *choice, const struct map_entry *entry,
                            const struct rbac *above)
{
    const struct role *other = entry->value;
    return map_key(entry).ptr[0] == '/' && other && other != choice->role && other->labels &&
           (!above || !map_has(&above->roles, map_key(entry)));
}

/* Roles that are no ClusterRoles or have no labels take little. */
#define ROLES_FOR_A_STEP 4

typedef void found_fn(void *data, struct str name, struct role *role);

/* Calls found() for each role of a layer that the other role selects. */
static void visit_layer(struct choice *choice, const struct rbac *layer, const struct rbac *above,
                        const struct role *by, found_fn *found, void *data)
{
    MAP_FOREACH (entry, &layer->roles)
        if (can_be_selected(choice, entry, above) && selects(choice, by, entry->value))
            found(data, str_skip(map_key(entry), 1), entry->value);
}

static void visit_selected(struct choice *choice, const struct role *by, found_fn *found,
                           void *data)
{
    choice->steps += map_count(&choice->rbac->roles) / ROLES_FOR_A_STEP;
    visit_layer(choice, choice->rbac, NULL, by, found, data);
    if (choice->rbac->base)
        visit_layer(choice, choice->rbac->base, choice->rbac, by, found, data);
}

/* Sources that are being collected, each once. */
struct collection {
    struct sources *sources;
    uint64_t number;
};

static void add_source(void *data, struct str name, struct role *role)
{
    const struct collection *collection = data;
    struct sources *sources = collection->sources;
    (void)name;
    if (role->choice == collection->number)
        return;
    role->choice = collection->number;
    ARRAY_PUSH(sources->items, sources->count, sources->capacity, role);
}

/* Roles that aggregate have no rules of their own. */
static void keep_roles_with_rules(struct sources *sources)
{
    size_t kept = 0;
    for (size_t i = 0; i < sources->count; i++)
        if (!sources->items[i]->aggregates)
            sources->items[kept++] = sources->items[i];
    sources->count = kept;
}

/* Sources that aggregate are followed in turn; each role is added once, so circles end. */
static struct sources *resolve_sources(struct rbac *rbac, struct role *role)
{
    struct sources *sources = NEW(struct sources);
    struct choice choice = {.rbac = rbac, .role = role};
    struct collection collection = {sources, rbac_next_visit(rbac)};
    visit_selected(&choice, role, add_source, &collection);
    for (size_t i = 0; i < sources->count && choice.steps < RBAC_SELECT_STEPS_MAX; i++)
        if (sources->items[i]->aggregates)
            visit_selected(&choice, sources->items[i], add_source, &collection);
    keep_roles_with_rules(sources);
    sources->steps = choice.steps;
    return sources;
}

const struct sources *rbac_sources(struct rbac *rbac, struct str key, struct role *role,
                                   size_t *ret_steps)
{
    struct sources *sources = map_find(&rbac->resolved, key);
    *ret_steps = 0;
    if (sources)
        return sources;
    sources = resolve_sources(rbac, role);
    map_put(&rbac->resolved, key, sources);
    *ret_steps = sources->steps;
    return sources;
}

static struct role *find_cluster_role(const struct rbac *rbac, struct str name)
{
    SCOPED(buf) key = {.limit = 0};
    BUF_ADD_ALL(&key, STR("/"), name);
    return rbac_role_at(rbac, buf_str(&key));
}

/* True when it takes too long to tell. */
bool rbac_is_in_aggregation(const struct rbac *rbac, struct str name)
{
    const struct role *role = find_cluster_role(rbac, name);
    struct choice choice = {.rbac = rbac};
    if (!role || role->aggregates)
        return role != NULL;
    MAP_FOREACH (entry, &rbac->roles) {
        const struct role *other = entry->value;
        if (map_key(entry).ptr[0] == '/' && other && other->aggregates &&
            selects(&choice, other, role))
            return true;
    }
    return choice.is_cut;
}

/* Strings that are being collected in an arena. */
struct names {
    struct arena *arena;
    struct rbac_strings strings;
    size_t capacity;
};

static void add_name(void *data, struct str name, struct role *role)
{
    struct names *names = data;
    (void)role;
    ARENA_ARRAY_PUSH(names->arena, names->strings.items, names->strings.count, names->capacity,
                     arena_str(names->arena, name));
}

struct rbac_strings rbac_aggregating_roles(const struct rbac *rbac, struct arena *arena)
{
    struct names names = {.arena = arena};
    MAP_FOREACH (entry, &rbac->roles) {
        struct role *role = entry->value;
        if (map_key(entry).ptr[0] == '/' && role && role->has_aggregation_rule)
            add_name(&names, str_skip(map_key(entry), 1), role);
    }
    return names.strings;
}

struct error *rbac_selected_roles(const struct rbac *rbac, struct arena *arena, struct str name,
                                  struct rbac_strings *ret_names)
{
    const struct role *role = find_cluster_role(rbac, name);
    struct choice choice = {.rbac = rbac, .role = role};
    struct names names = {.arena = arena};
    if (role)
        visit_selected(&choice, role, add_name, &names);
    if (choice.is_cut)
        return error_new(ERROR_TOO_LARGE,
                         "the selectors of ClusterRole %.*s and the labels of the others have too "
                         "many members to be compared",
                         STR_ARG(name));
    *ret_names = names.strings;
    return NULL;
}
