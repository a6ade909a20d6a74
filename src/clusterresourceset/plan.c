/*
 * The life of a plan, its fields, and the decisions by it, in this order. The tests go through
 * every combination of strategy, resource and record.
 */
#include "clusterresourceset/plan.h"

#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "clusterresourceset/types/binding.h"

struct plan {
    size_t references;
    uint64_t round;
    int64_t generation;
    struct crs_spec spec;
    struct resource_snapshot **snapshots; /* of spec.refs, in the same order */
    size_t snapshot_count, snapshot_capacity;
    struct delivery_policy *policy; /* NULL: none */
    struct values names;            /* of values in the objects, sorted */
    struct plan
        *base; /* of a plan for one cluster: the plan of the set, which has spec and policy */
    char values[VALUES_DIGEST_LEN + 1]; /* the same: their digest */
    struct values_claim claim;          /* the same: of what its objects take */
};

struct plan *plan_new(const struct object *set)
{
    struct plan *plan = NEW(struct plan);
    plan->references = 1;
    plan->generation = object_generation(set);
    crs_spec_read(set, &plan->spec);
    return plan;
}

struct plan *plan_ref(struct plan *plan)
{
    plan->references++;
    return plan;
}

void plan_free(struct plan *plan)
{
    if (!plan || --plan->references)
        return;
    for (size_t i = 0; i < plan->snapshot_count; i++)
        resource_snapshot_free(plan->snapshots[i]);
    mem_free(plan->snapshots);
    values_done(&plan->names);
    if (!plan->base) {
        delivery_policy_free(plan->policy);
        crs_spec_done(&plan->spec);
    }
    values_claim_done(&plan->claim);
    plan_free(plan->base);
    mem_free(plan);
}

static void add_names(struct plan *plan, struct resource_snapshot *snapshot)
{
    const bool uses_values = plan->policy && plan->policy->has_values;
    const struct values_use *use = uses_values ? resource_snapshot_values(snapshot) : NULL;
    if (use)
        values_add_all(&plan->names, &use->names);
    values_sort(&plan->names);
}

void plan_add_snapshot(struct plan *plan, struct resource_snapshot *snapshot)
{
    ARRAY_PUSH(plan->snapshots, plan->snapshot_count, plan->snapshot_capacity, snapshot);
    add_names(plan, snapshot);
}

void plan_set_policy(struct plan *plan, struct delivery_policy *policy)
{
    plan->policy = policy;
    for (size_t i = 0; i < plan->snapshot_count; i++)
        add_names(plan, plan->snapshots[i]);
}

const struct values *plan_value_names(const struct plan *plan)
{
    return plan->base ? &plan->base->names : &plan->names;
}

const struct values_use *plan_value_use(const struct plan *plan, size_t index)
{
    return resource_snapshot_values(plan->snapshots[index]);
}

struct plan *plan_derive(struct plan *plan, struct str values)
{
    struct plan *derived = NEW(struct plan);
    *derived = (struct plan){
        .references = 1,
        .round = plan->round,
        .generation = plan->generation,
        .spec = plan->spec,
        .policy = plan->policy,
        .base = plan_ref(plan),
    };
    memcpy(derived->values, values.ptr,
           values.len < VALUES_DIGEST_LEN ? values.len : VALUES_DIGEST_LEN);
    return derived;
}

void plan_add_derived(struct plan *derived, struct content *content)
{
    struct resource_snapshot *snapshot = derived->base->snapshots[derived->snapshot_count];
    ARRAY_PUSH(derived->snapshots, derived->snapshot_count, derived->snapshot_capacity,
               content ? resource_snapshot_filled(content) : resource_snapshot_ref(snapshot));
}

void plan_take_claim(struct plan *derived, struct values_claim *claim)
{
    values_claim_done(&derived->claim);
    derived->claim = *claim;
    *claim = (struct values_claim){0};
}

struct str plan_values(const struct plan *plan)
{
    return str_from_c(plan->values);
}

const struct delivery_policy *plan_policy(const struct plan *plan)
{
    return plan->policy;
}

/* Equal generations have equal specs, so that only the snapshots have to be compared. */
static bool wants_the_same(const struct plan *a, const struct plan *b)
{
    if (a->generation != b->generation || a->snapshot_count != b->snapshot_count ||
        !a->policy != !b->policy || !a->names.count != !b->names.count)
        return false;
    for (size_t i = 0; i < a->snapshot_count; i++)
        if (!resource_snapshot_eq(a->snapshots[i], b->snapshots[i]))
            return false;
    return true;
}

struct plan *plan_replace(struct plan *current, struct plan *next)
{
    const bool is_same = current && wants_the_same(current, next);
    if (is_same && !next->policy) {
        plan_free(next);
        return current;
    }
    next->round = !current ? 1 : is_same ? current->round : current->round + 1;
    plan_free(current);
    return next;
}

const struct crs_spec *plan_spec(const struct plan *plan)
{
    return &plan->spec;
}

int64_t plan_generation(const struct plan *plan)
{
    return plan->generation;
}

uint64_t plan_round(const struct plan *plan)
{
    return plan->round;
}

size_t plan_resource_count(const struct plan *plan)
{
    return plan->snapshot_count;
}

struct resource_ref plan_resource(const struct plan *plan, size_t index)
{
    return plan->spec.refs[index];
}

const struct resource_snapshot *plan_snapshot(const struct plan *plan, size_t index)
{
    return plan->snapshots[index];
}

bool plan_is_complete(const struct plan *plan)
{
    return plan->snapshot_count == plan->spec.ref_count;
}

bool plan_names(const struct plan *plan, enum resource_kind kind, struct str name)
{
    for (size_t i = 0; i < plan->spec.ref_count; i++)
        if (plan->spec.refs[i].kind == kind && str_eq(plan->spec.refs[i].name, name))
            return true;
    return false;
}

enum apply_strategy plan_strategy(const struct plan *plan, enum crs_reconcile_with reconcile_with)
{
    static const enum apply_strategy strategies[] = {
        [CRS_SERVER_SIDE_APPLY] = APPLY_SERVER_SIDE, [CRS_MERGE_PATCH] = APPLY_MERGE_PATCH};
    if (plan->policy)
        return APPLY_BY_POLICY;
    return plan->spec.strategy == RESOURCE_RECONCILE ? strategies[reconcile_with] : APPLY_ONCE;
}

bool plan_is_whole(const struct plan *plan)
{
    for (size_t i = 0; i < plan->snapshot_count; i++)
        if (resource_snapshot_fault(plan->snapshots[i]))
            return false;
    return plan_is_complete(plan);
}

struct str plan_revision(const struct plan *plan, char text[static DELIVERY_REVISION_LEN + 1])
{
    SCOPED(buf) lines = {.limit = 0};
    for (size_t i = 0; i < plan->snapshot_count; i++) {
        const struct resource_ref ref = plan->spec.refs[i];
        const struct str kind = resource_kind_name(ref.kind);
        const struct str hash = resource_snapshot_fault(plan->snapshots[i])
                                    ? STR("-")
                                    : resource_snapshot_hash(plan->snapshots[i]);
        buf_print(&lines, "%.*s/%.*s=%.*s\n", STR_ARG(kind), STR_ARG(ref.name), STR_ARG(hash));
    }
    return sha256_start(buf_str(&lines), DELIVERY_REVISION_LEN, text);
}

/* A snapshot with a fault has no content. */
size_t plan_object_count(const struct plan *plan)
{
    size_t count = 0;
    for (size_t i = 0; i < plan->snapshot_count; i++) {
        const struct content *content = resource_snapshot_content(plan->snapshots[i]);
        count += content ? content_count(content) : 0;
    }
    return count;
}

/*
 * The order matters. A resource that no cluster can get is skipped before anything else, and is
 * reported by the set. The record comes before the content: with ApplyOnce a resource that was
 * applied and cannot be used since is no problem of this cluster.
 */
static enum plan_action choose_action(const struct plan *plan, size_t index,
                                      const struct binding_resource *found)
{
    const struct resource_snapshot *snapshot = plan->snapshots[index];
    const enum fault_type fault = resource_snapshot_fault(snapshot);
    const bool is_needed =
        plan->policy || binding_needs(plan->spec.strategy, found, resource_snapshot_hash(snapshot));
    if (fault_is_of_resource(fault) || !is_needed)
        return PLAN_SKIP;
    if (plan->spec.strategy == RESOURCE_STRATEGY_UNKNOWN)
        return PLAN_REFUSE_STRATEGY;
    return fault ? PLAN_REFUSE_CONTENT : PLAN_APPLY;
}

/* A refusal is recorded as applied=false without a hash. */
struct plan_step plan_step(const struct plan *plan, size_t index, const struct object *binding,
                           struct str set)
{
    struct binding_resource found;
    const bool is_known = binding_find_resource(binding, set, plan->spec.refs[index], &found);
    return (struct plan_step){
        .action = choose_action(plan, index, is_known ? &found : NULL),
        .is_first = !is_known,
        .is_recorded = is_known && !found.applied && !found.hash.len,
    };
}

/* Whether any resource of the plan was ever applied to the cluster. */
static bool has_something(const struct plan *plan, const struct object *binding, struct str set)
{
    struct binding_resource found;
    for (size_t i = 0; i < plan->snapshot_count; i++)
        if (binding_find_resource(binding, set, plan->spec.refs[i], &found) && found.applied)
            return true;
    return false;
}

/* Whether the entry of the set says that every resource is applied as it is now. */
static bool has_all(const struct plan *plan, const struct object *binding, struct str set)
{
    struct binding_resource found;
    for (size_t i = 0; i < plan->snapshot_count; i++)
        if (!binding_find_resource(binding, set, plan->spec.refs[i], &found) ||
            binding_needs(RESOURCE_RECONCILE, &found, resource_snapshot_hash(plan->snapshots[i])))
            return false;
    return true;
}

/* Whether the objects there have the values in them that they shall have; see plan.h. */
static bool has_values(const struct plan *plan, const struct delivery_mark *mark)
{
    const struct str recorded = str_from_c(mark->values);
    return plan->base ? str_eq(recorded, plan_values(plan))
                      : (recorded.len > 0) == (plan->names.count > 0);
}

/*
 * The same by the record of a set with a policy, with which the entry has to agree. A cluster that
 * was whole, or that a plain set was applied to, stays as it is while the revision is incomplete.
 */
static bool is_delivered(const struct plan *plan, const struct object *binding, struct str set)
{
    char text[DELIVERY_REVISION_LEN + 1];
    struct delivery_mark mark;
    const bool has_mark = delivery_find_mark(binding, set, &mark);
    const bool is_whole = plan_is_whole(plan);
    if (!is_whole && (has_mark ? !mark.is_incomplete : has_something(plan, binding, set)))
        return true;
    if (is_whole && !has_all(plan, binding, set))
        return false;
    return has_mark && mark.is_applied && has_values(plan, &mark) &&
           str_eq(str_from_c(mark.revision), plan_revision(plan, text));
}

bool plan_is_recorded(const struct plan *plan, const struct object *binding, struct str set)
{
    if (!binding || !binding_has_entry(binding, set))
        return false;
    if (plan->policy)
        return is_delivered(plan, binding, set);
    for (size_t i = 0; i < plan->snapshot_count; i++)
        if (plan_step(plan, i, binding, set).action != PLAN_SKIP)
            return false;
    return true;
}

bool plan_is_met(const struct plan *plan, const struct object *binding,
                 struct owner_reference owner)
{
    return plan_is_recorded(plan, binding, owner.name) && binding_is_owned(binding, owner) &&
           (plan->policy || !delivery_exists(binding, owner.name));
}

bool plan_has_revision(const struct plan *plan, const struct object *binding, struct str set)
{
    char text[DELIVERY_REVISION_LEN + 1];
    struct delivery_mark mark;
    return delivery_find_mark(binding, set, &mark) && mark.is_applied &&
           str_eq(str_from_c(mark.revision), plan_revision(plan, text));
}

bool plan_has_other_values(const struct plan *plan, const struct object *binding, struct str set)
{
    struct delivery_mark mark;
    return plan_has_revision(plan, binding, set) && delivery_find_mark(binding, set, &mark) &&
           !has_values(plan, &mark);
}
