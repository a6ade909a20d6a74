/*
 * Sets of fields from objects: all of them, and what changed.
 *
 * collect_value() goes through one object along its type and makes the set of its fields.
 * compare_value() goes through two at once and makes three sets: added, modified, removed. Both
 * recurse, at most FIELD_DEPTH_MAX deep. They mirror typed/tofieldset.go and typed/compare.go of
 * sigs.k8s.io/structured-merge-diff/v4.
 *
 * A leaf is a scalar, an atomic container, or an empty one. Only leaves, elements of lists and
 * members that the type does not declare are fields in their own right; containers count through
 * what is in them.
 */
#include "apiserver/managedfields/field_walk.h"

#include <assert.h>

#include "apiserver/managedfields/field_walk_internal.h"
#include "json/compare.h"

void field_walk_init(struct field_walk *walk, struct arena *arena)
{
    struct json_doc *doc = NULL;
    struct error *err = json_read(STR("[null,null,{},\"\",0,false]"), &doc);
    assert(!err);
    *walk = (struct field_walk){.arena = arena};
    for (size_t i = FIELD_ABSENT_NULL; i < COUNT(walk->zeros); i++)
        walk->zeros[i] = json_at(json_doc_root(doc), i);
    json_doc_hold(arena, doc);
}

/* A set that is being made. */
struct collector {
    struct field_walk *walk;
    struct field_set_builder builder;
};

/* Adds what is below a value, and tells whether the value itself is a field. */
static bool collect_value(struct collector *to, struct field_type type,
                          const struct json_value *value, size_t depth);

/*
 * Members that are null or empty objects are fields although nothing is below them. So are those
 * that the type does not declare by name, as in a map.
 */
static void collect_members(struct collector *to, struct field_type type,
                            const struct json_value *value, size_t depth)
{
    const struct json_value *child;
    JSON_FOREACH (key, child, value) {
        const struct field_member member = field_member_of(type, key);
        const size_t opened = field_set_open(&to->builder);
        const enum json_type kind = json_type(child);
        const bool self = collect_value(to, member.type, child, depth + 1) || kind == JSON_NULL ||
                          (kind == JSON_OBJECT && json_count(child) == 0) || !member.declared;
        field_set_close(&to->builder, opened, (struct field_step){key, FIELD_STEP_MEMBER}, self);
    }
}

/*
 * Elements of a set or a keyed list are always fields. Those that are there several times are one
 * field, and nothing below them is told apart.
 */
static void collect_items(struct collector *to, struct field_type type,
                          const struct json_value *value, size_t depth)
{
    const struct field_items items = field_items_read(to->walk, type, value);
    for (size_t i = 0; i < items.count; i++) {
        const struct field_item *item = &items.items[i];
        const size_t opened = field_set_open(&to->builder);
        if (item->first != i)
            continue;
        if (item->same == 1)
            collect_value(to, field_type_element(type), item->value, depth + 1);
        field_set_close(&to->builder, opened, item->step, true);
    }
}

static bool collect_value(struct collector *to, struct field_type type,
                          const struct json_value *value, size_t depth)
{
    const struct field_shape shape = field_type_shape(type);
    const enum field_form form = field_form_of(shape, value);
    if (field_form_is_atomic(shape, form) || depth >= FIELD_DEPTH_MAX)
        return true;
    if (form == FIELD_MAP && json_type(value) == JSON_OBJECT)
        collect_members(to, type, value, depth);
    else if (form == FIELD_LIST && json_type(value) == JSON_ARRAY)
        collect_items(to, type, value, depth);
    return false;
}

struct field_set field_walk_set(struct field_walk *walk, struct field_type type,
                                const struct json_value *value)
{
    struct collector to = {.walk = walk, .builder = {.arena = walk->arena}};
    collect_value(&to, type, value, 0);
    const struct field_set set = field_set_finish(&to.builder, 0);
    field_set_builder_done(&to.builder);
    return set;
}

/* The three sets of a comparison, and one bit for each at the place where it stands. */
enum change { ADDED, MODIFIED, REMOVED, CHANGES };

/* The three sets that are being made. */
struct comparer {
    struct field_walk *walk;
    struct field_set_builder sets[CHANGES];
};

/* One place in both objects: whether it is a leaf, and which sets it is a member of. */
struct place {
    size_t depth;
    bool is_leaf;
    bool member[CHANGES];
};

static void compare_value(struct comparer *with, struct field_type type, struct field_step step,
                          const struct json_value *before, const struct json_value *after,
                          size_t depth);

/* At most once for each place: a value that changed its form is looked at twice. */
static void compare_leaf(struct place *place, const struct json_value *before,
                         const struct json_value *after)
{
    if (place->is_leaf)
        return;
    place->is_leaf = true;
    if (!before)
        place->member[ADDED] = true;
    else if (!after)
        place->member[REMOVED] = true;
    else if (!json_equal(before, after))
        place->member[MODIFIED] = true;
}

/*
 * An absent member of an object that is there counts as its zero value where Go would have one, so
 * that leaving out an empty string is no change.
 */
static void compare_members(struct comparer *with, struct field_type type,
                            const struct json_value *before, const struct json_value *after,
                            size_t depth)
{
    const struct field_pairs pairs = field_pairs_of(with->walk->arena, before, after);
    for (size_t i = 0; i < pairs.count; i++) {
        const struct field_pair *pair = &pairs.items[i];
        const struct field_member member = field_member_of(type, pair->step.text);
        const struct json_value *zero = with->walk->zeros[member.absent];
        const bool had = json_type(before) == JSON_OBJECT, has = json_type(after) == JSON_OBJECT;
        compare_value(with, member.type, pair->step, pair->before || !had ? pair->before : zero,
                      pair->after || !has ? pair->after : zero, depth + 1);
    }
}

/* Whether the elements that share a step are equal one by one, in their order. */
static bool same_items(const struct field_items *a, const struct field_item *first,
                       const struct field_items *b, const struct field_item *second)
{
    if (first->same != second->same)
        return false;
    for (;;) {
        if (!json_equal(first->value, second->value))
            return false;
        if (first->next == STR_NONE)
            return true;
        first = &a->items[first->next];
        second = &b->items[second->next];
    }
}

/* Elements with one step; those that are there several times are one field. */
static void compare_same(struct comparer *with, struct field_type element,
                         const struct field_item *old, const struct field_item *new, size_t depth,
                         bool equal)
{
    const struct field_item *any = old ? old : new;
    if (!any)
        return;
    const struct field_step step = any->step;
    const size_t before = old ? old->same : 0, after = new ? new->same : 0;
    if (before <= 1 && after <= 1) {
        compare_value(with, element, step, old ? old->value : NULL, new ? new->value : NULL,
                      depth + 1);
    } else if (before >= 2 && after >= 2) {
        if (!equal)
            field_set_add(&with->sets[MODIFIED], step);
    } else if (before >= 2) {
        if (new)
            compare_value(with, element, step, NULL, new->value, depth + 1);
        field_set_add(&with->sets[REMOVED], step);
    } else {
        if (old)
            compare_value(with, element, step, old->value, NULL, depth + 1);
        field_set_add(&with->sets[ADDED], step);
    }
}

/*
 * Elements of both lists by their steps: those of the old list first, then the new ones that it
 * lacks.
 */
static void compare_items(struct comparer *with, struct field_type type,
                          const struct json_value *before, const struct json_value *after,
                          size_t depth)
{
    const struct field_items old = field_items_read(with->walk, type, before);
    const struct field_items new = field_items_read(with->walk, type, after);
    const struct field_type element = field_type_element(type);
    for (size_t i = 0; i < old.count; i++) {
        const struct field_item *item = &old.items[i];
        if (item->first != i)
            continue;
        const size_t at = field_items_find(&new, item->step);
        const struct field_item *other = at == STR_NONE ? NULL : &new.items[at];
        compare_same(with, element, item, other, depth,
                     other && same_items(&old, item, &new, other));
    }
    for (size_t i = 0; new.items &&i < new.count; i++) {
        const struct field_item *item = &new.items[i];
        if (item->first == i && field_items_find(&old, item->step) == STR_NONE)
            compare_same(with, element, NULL, item, depth, false);
    }
}

/*
 * Both values in one form. A value of another form counts as an empty container here;
 * compare_below() looks at it in its own form.
 */
static void compare_form(struct comparer *with, struct field_type type, enum field_form form,
                         const struct json_value *before, const struct json_value *after,
                         struct place *place)
{
    const size_t depth = place->depth;
    const struct field_shape shape = field_type_shape(type);
    const enum json_type wanted = form == FIELD_MAP ? JSON_OBJECT : JSON_ARRAY;
    const size_t had = json_type(before) == wanted ? json_count(before) : 0;
    const size_t has = json_type(after) == wanted ? json_count(after) : 0;
    if (field_form_is_atomic(shape, form) || (had == 0 && has == 0) || depth >= FIELD_DEPTH_MAX)
        compare_leaf(place, before, after);
    else if (form == FIELD_MAP)
        compare_members(with, type, before, after, depth);
    else
        compare_items(with, type, before, after, depth);
}

/*
 * What is below a place. A value that changes its form, which untyped fields may, is removed in
 * the old one and added in the new one.
 */
static void compare_below(struct comparer *with, struct field_type type,
                          const struct json_value *before, const struct json_value *after,
                          struct place *place)
{
    const struct field_shape shape = field_type_shape(type);
    const enum field_form old = field_form_of(shape, before), new = field_form_of(shape, after);
    if (!after || (before && old != new)) {
        struct place other = {.depth = place->depth};
        compare_form(with, type, old, before, after, after ? &other : place);
        for (size_t i = 0; i < CHANGES; i++)
            place->member[i] |= other.member[i];
    }
    if (after)
        compare_form(with, type, new, before, after, place);
    if (!place->is_leaf) {
        place->member[ADDED] |= !before;
        place->member[REMOVED] |= !after;
    }
}

/* One place and all below it: opens a node in each set, and closes it with what was found. */
static void compare_value(struct comparer *with, struct field_type type, struct field_step step,
                          const struct json_value *before, const struct json_value *after,
                          size_t depth)
{
    if (!before && !after)
        return;
    size_t opened[CHANGES];
    struct place place = {.depth = depth};
    for (size_t i = 0; i < CHANGES; i++)
        opened[i] = field_set_open(&with->sets[i]);
    compare_below(with, type, before, after, &place);
    for (size_t i = 0; i < CHANGES; i++)
        field_set_close(&with->sets[i], opened[i], step, place.member[i]);
}

struct field_changes field_walk_compare(struct field_walk *walk, struct field_type type,
                                        const struct json_value *before,
                                        const struct json_value *after)
{
    struct comparer with = {.walk = walk};
    struct place place = {.depth = 0};
    struct field_set sets[CHANGES];
    for (size_t i = 0; i < CHANGES; i++)
        with.sets[i].arena = walk->arena;
    compare_below(&with, type, before, after, &place);
    for (size_t i = 0; i < CHANGES; i++) {
        sets[i] = field_set_finish(&with.sets[i], 0);
        field_set_builder_done(&with.sets[i]);
    }
    return (struct field_changes){sets[ADDED], sets[MODIFIED], sets[REMOVED]};
}

/* What a step leads to. */
static struct field_member follow_step(struct field_type type, struct field_step step)
{
    if (step.kind == FIELD_STEP_MEMBER)
        return field_member_of(type, step.text);
    return (struct field_member){.type = field_type_element(type)};
}

/* A node made anew from each of the children; the depth of a set is bounded. */
static struct field_set copy_node(struct field_walk *walk, struct field_set set)
{
    struct field_set *children = arena_alloc_array(walk->arena, set.count, sizeof(*children));
    if (set.count)
        memcpy(children, set.children, set.count * sizeof(*children));
    set.children = children;
    return set;
}

struct field_set field_walk_with_ancestors(struct field_walk *walk, struct field_type type,
                                           struct field_set set)
{
    set = copy_node(walk, set);
    for (size_t i = 0; i < set.count; i++) {
        struct field_set *child = &set.children[i];
        const struct field_member member = follow_step(type, child->step);
        if (child->count == 0)
            continue;
        *child = field_walk_with_ancestors(walk, member.type, *child);
        child->member |= member.declared;
    }
    return set;
}

/* By the forms a type allows; a map that is atomic is so whatever else the value may be. */
static bool is_folded(struct field_type type, char kind)
{
    const struct field_shape shape = field_type_shape(type);
    if (kind == FIELD_STEP_MEMBER)
        return (shape.forms & FIELD_MAP) && shape.atomic_map;
    return (shape.forms & FIELD_LIST) && shape.list == SCHEMA_LIST_ATOMIC;
}

struct field_set field_walk_fold_atomic(struct field_walk *walk, struct field_type type,
                                        struct field_set set)
{
    set = copy_node(walk, set);
    for (size_t i = 0; i < set.count; i++) {
        struct field_set *child = &set.children[i];
        const struct field_member member = follow_step(type, child->step);
        if (child->count == 0)
            continue;
        if (is_folded(member.type, child->children[0].step.kind))
            *child = (struct field_set){.step = child->step, .member = true};
        else
            *child = field_walk_fold_atomic(walk, member.type, *child);
    }
    return set;
}
