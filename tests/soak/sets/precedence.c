/*
 * Which set comes before which: people write depends-on, and the model knows what follows.
 *
 * Sets are the points of a graph that is small enough to go through every way in it.
 */
#include <stdio.h>

#include "async/fiber.h"
#include "clusterresourceset/order.h"
#include "json/path.h"
#include "soak/sets/sets.h"

#define STRANGER  "s9" /* there is no such set */
#define NO_NAME   "No_name"
#define UNPAUSED  "{\"metadata\":{\"annotations\":{\"cluster.x-k8s.io/paused\":null}}}"
#define GOES_FOR  (20 * SECOND)
#define STAYS_FOR (10 * SECOND)

/* What one of the sets may depend on. Most of it can be kept. */
static const char *draw_names(struct sets *sets)
{
    static const char *const names[] = {"s0", "s1",    "s2", "s0, s1",   "s0,s2",  " s1 ,s1,, s2",
                                        "",   "s0,s0", "s1", "s2,s0,s1", STRANGER, "s0,No_name"};
    return names[random_below(&sets->order_dice, COUNT(names))];
}

void precedence_write(struct sets *sets, struct buf *metadata)
{
    if (sets->profile.has_order && draw_chance(&sets->order_dice, 0.5))
        buf_print(metadata, ",\"annotations\":{\"" ORDER_ANNOTATION "\":\"%s\"}", draw_names(sets));
}

void precedence_change(struct sets *sets, size_t set, const char *names)
{
    char target[SETS_TEXT_MAX], body[SETS_TEXT_MAX];
    snprintf(target, sizeof(target), SETS_TARGET "/s%zu", set);
    snprintf(body, sizeof(body),
             "{\"metadata\":{\"annotations\":{\"" ORDER_ANNOTATION "\":%s%s%s}}}",
             names ? "\"" : "", names ? names : "null", names ? "\"" : "");
    (void)front_call(&sets->management, "PATCH", target, body);
}

void precedence_edit(struct sets *sets)
{
    const size_t set = random_below(&sets->order_dice, SETS);
    if (!sets->profile.has_order || draw_chance(&sets->order_dice, 0.7))
        return;
    precedence_change(sets, set, draw_chance(&sets->order_dice, 0.2) ? NULL : draw_names(sets));
}

/* What a set names: bits of sets, and whether others are among it. */
struct named {
    unsigned sets;
    bool has_stranger, is_unusable;
};

static struct named read_named(struct sets *sets, size_t set)
{
    OWNED(json_doc) doc = sets_find_set(sets, set);
    struct named named = {0};
    struct str text = json_to_str(json_get(
        json_path(doc ? json_doc_root(doc) : NULL, "metadata.annotations"), STR(ORDER_ANNOTATION)));
    while (text.len) {
        struct str name;
        size_t number;
        str_cut(&text, ',', &name);
        name = str_trim(name);
        if (sets_number(name, 's', SETS, &number))
            named.sets |= 1U << number;
        else if (str_eq(name, STR(NO_NAME)))
            named.is_unusable = true;
        else if (name.len)
            named.has_stranger = true;
    }
    if (named.is_unusable)
        named.sets = 0;
    return named;
}

/* All that a set comes after, through others, too. */
static unsigned follow(struct sets *sets, size_t set)
{
    unsigned all = read_named(sets, set).sets;
    for (size_t steps = 0; steps < SETS; steps++)
        for (size_t i = 0; i < SETS; i++)
            if (all & 1U << i)
                all |= read_named(sets, i).sets;
    return all;
}

bool precedence_refuses(struct sets *sets, size_t set)
{
    return read_named(sets, set).is_unusable || (follow(sets, set) & 1U << set);
}

static const struct json_value *find_result(const struct json_value *entry, size_t resource)
{
    const struct json_value *item;
    size_t number;
    JSON_FOREACH (key, item, json_get(entry, STR("resources")))
        if (sets_number(json_path_str(item, "name"), 'r', RESOURCES, &number) && number == resource)
            return item;
    return NULL;
}

static bool is_true(const struct json_value *value)
{
    bool is_true = false;
    return json_to_bool(value, &is_true) && is_true;
}

/* One resource of a set is in a cluster as the set wants it. */
static bool is_in_place(struct sets *sets, size_t set, size_t resource,
                        const struct json_value *entry)
{
    const struct content_version *version;
    const struct json_value *item = find_result(entry, resource);
    if (!is_true(json_get(item, STR("applied"))))
        return false;
    if (!sets->profile.reconciles[set])
        return true;
    return catalog_judge(sets, resource, &version) == FINE &&
           str_eq(json_path_str(item, "hash"), str_from_c(version->hash));
}

static const struct json_value *find_entry(const struct json_doc *binding, size_t set)
{
    const struct json_value *entry;
    size_t number;
    JSON_FOREACH (key, entry, json_path(binding ? json_doc_root(binding) : NULL, "spec.bindings"))
        if (sets_number(json_path_str(entry, "clusterResourceSetName"), 's', SETS, &number) &&
            number == set)
            return entry;
    return NULL;
}

/* Whether a set that is named keeps others from a cluster. */
static bool blocks(struct sets *sets, size_t set, size_t cluster)
{
    OWNED(json_doc) doc = sets_find_set(sets, set);
    OWNED(json_doc) binding = sets_find_binding(sets, cluster);
    const struct json_value *ref;
    size_t resource;
    if (!doc || sets_is_deleting(doc))
        return true;
    if (!provider_selects(sets, set, cluster))
        return false;
    if (precedence_refuses(sets, set) &&
        !json_get(json_path(json_doc_root(doc), "metadata.annotations"),
                  STR("cluster.x-k8s.io/paused")))
        return true;
    JSON_FOREACH (key, ref, json_path(json_doc_root(doc), "spec.resources"))
        if (sets_number(json_path_str(ref, "name"), 'r', RESOURCES, &resource) &&
            !is_in_place(sets, set, resource, find_entry(binding, set)))
            return true;
    return false;
}

static bool has_begun(const struct json_value *entry)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, json_get(entry, STR("resources")))
        if (is_true(json_get(item, STR("applied"))) || json_path_str(item, "hash").len)
            return true;
    return false;
}

bool precedence_holds_back(struct sets *sets, size_t set, size_t cluster,
                           const struct json_value *entry)
{
    const struct named named = read_named(sets, set);
    bool is_blocked = named.has_stranger;
    for (size_t i = 0; i < SETS && !has_begun(entry); i++)
        is_blocked |= (named.sets & 1U << i) && blocks(sets, i, cluster);
    return is_blocked && !has_begun(entry);
}

/*
 * With everything at rest and no faults about: a set goes and comes back, while another that it
 * depends on cannot be applied. It must not begin where the other has not come first.
 */
void precedence_try(struct sets *sets)
{
    const size_t last = random_below(&sets->order_dice, SETS);
    const size_t first = (last + 1 + random_below(&sets->order_dice, SETS - 1)) % SETS;
    char target[SETS_TEXT_MAX], names[8];
    snprintf(target, sizeof(target), SETS_TARGET "/s%zu", last);
    snprintf(names, sizeof(names), "s%zu", first);
    trace_print(&sets->trace, "s%zu comes again, after s%zu", last, first);
    (void)front_call(&sets->management, "PATCH", target, UNPAUSED);
    (void)front_call(&sets->management, "DELETE", target, "");
    precedence_change(sets, first, NULL);
    for (size_t i = 0; i < RESOURCES; i++)
        catalog_write(sets, i, PARTIAL);
    CHECK_OK(fiber_sleep(GOES_FOR));
    simulated_users_make_set(sets, last, names);
    CHECK_OK(fiber_sleep(STAYS_FOR));
    for (size_t i = 0; i < CLUSTERS; i++) {
        OWNED(json_doc) binding = sets_find_binding(sets, i);
        if (provider_selects(sets, last, i) && blocks(sets, first, i) &&
            has_begun(find_entry(binding, last)))
            test_fail(TEST_PLACE("order"), "s%zu has begun on c%zu before s%zu", last, i, first);
    }
    for (size_t i = 0; i < RESOURCES; i++)
        catalog_write(sets, i, FINE);
}
