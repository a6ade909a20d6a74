#include "status/why_render.h"

#include "apiserver/registry/kind_age.h"
#include "base/memory.h"
#include "base/quote.h"
#include "clusterresourceset/types/delivery.h"

#define NAMES_SHOWN 5 /* of clusters of which the same is said */
#define CHAIN_SHOWN 6 /* sets that wait for each other */

/* A line of foreign text, indented. */
static void add_line(struct buf *out, int indent, struct str text)
{
    buf_print(out, "%*s", indent, "");
    quote_add_shown(out, text);
    buf_add_char(out, '\n');
}

static void add_cause(struct buf *out, const struct failure_cause *cause)
{
    SCOPED(buf) text = {.limit = 0};
    size_t shown = 0;
    if (cause->count)
        buf_print(&text, "%zu object%s: ", cause->count, cause->count == 1 ? "" : "s");
    buf_add(&text, cause->message);
    add_line(out, 2, buf_str(&text));
    for (const struct failed_object *object = cause->first; object; object = object->next) {
        buf_clear(&text);
        failed_object_write(object, &text);
        add_line(out, 4, buf_str(&text));
        shown++;
    }
    if (cause->count > shown)
        buf_print(out, "    and %zu more\n", cause->count - shown);
}

static bool is_unchecked(const struct status_cell *cell)
{
    return cell->delivery && (cell->delivery->unchecked.len || cell->delivery->drift_unchecked.len);
}

/* Everything is applied, and nothing else is known. */
static bool is_well(const struct status_cell *cell)
{
    return cell->state == STATUS_APPLIED && !is_unchecked(cell);
}

static bool has_causes(const struct status_cell *cell)
{
    return cell->delivery && !failures_is_empty(&cell->delivery->failures) &&
           cell->state != STATUS_APPLIED && !cell->set->is_refused;
}

/* Objects that are not ready, wherever everything was applied. */
static bool has_unready(const struct status_cell *cell)
{
    return cell->delivery && cell->delivery->settling.len &&
           (status_cell_is_unready(cell) || cell->state == STATUS_DRIFTED ||
            cell->state == STATUS_CONTESTED);
}

/*
 * Whether the causes say all that there is to say. A cluster that is lost, or waits, has more, and
 * so has one of a set that lacks a resource.
 */
static bool is_told_by_causes(const struct status_cell *cell)
{
    if (cell->set->lacks_resource && cell->state == STATUS_FAILED)
        return false;
    return has_unready(cell) ||
           (has_causes(cell) && (cell->state == STATUS_FAILED || cell->state == STATUS_DRIFTED ||
                                 cell->state == STATUS_CONTESTED));
}

/* Whether a cause is about the resource, "ConfigMap cm1", or about an object of it. */
static bool is_among_causes(const struct failures *failures, struct str resource)
{
    for (const struct failure_cause *cause = failures->first; cause; cause = cause->next)
        for (const struct failed_object *object = cause->first; object; object = object->next)
            if (str_eq(object->resource, resource))
                return true;
    return false;
}

/* Resources that are not applied, where nothing says why. */
static void add_resources(struct buf *out, const struct status_cell *cell)
{
    SCOPED(buf) resource = {.limit = 0};
    for (size_t i = 0; i < cell->set->spec.ref_count; i++) {
        const struct resource_ref *ref = &cell->set->spec.refs[i];
        buf_clear(&resource);
        buf_print(&resource, "%.*s %.*s", STR_ARG(resource_kind_name(ref->kind)),
                  STR_ARG(ref->name));
        if (cell->resources[i].is_applied ||
            (has_causes(cell) && is_among_causes(&cell->delivery->failures, buf_str(&resource))))
            continue;
        buf_print(out, "  %.*s is not applied\n", STR_ARG(buf_str(&resource)));
    }
}

/*
 * Whether resources that are not applied are named. With causes it is the resources that none of
 * them is about: one of the others may be missing.
 */
static bool is_told_by_resources(const struct status_cell *cell)
{
    if (has_unready(cell))
        return false;
    return has_causes(cell) ? cell->state == STATUS_FAILED && !cell->set->lacks_resource
                            : !cell->why.len;
}

static void add_causes(struct buf *out, const struct failures *failures)
{
    for (const struct failure_cause *cause = failures->first; cause; cause = cause->next)
        add_cause(out, cause);
    if (failures->omitted_causes)
        buf_print(out, "  and %zu more causes of %zu objects, which the controller's log names\n",
                  failures->omitted_causes, failures->omitted_objects);
}

/* What a person can do about a state. Lines are short enough for a terminal of 80 columns. */
static void add_advice(struct buf *out, const struct status_cell *cell)
{
    switch (cell->state) {
    case STATUS_SETTLING:
        buf_add(out, STR("  to do: nothing yet. It has failed if that takes longer than the policy "
                         "says.\n"));
        break;
    case STATUS_FAILED:
        if (has_unready(cell)) {
            buf_add(out, STR("  to do: look in the cluster why the objects do not become ready. "
                             "The set is\n         ready there as soon as they are.\n"));
            break;
        }
        buf_add(out,
                has_causes(cell) && !cell->set->lacks_resource
                    ? STR("  to do: mend the manifest, or what the cluster refuses it for. It "
                          "is tried\n         again by itself, and at once when set, resources "
                          "or policy change.\n")
                    : STR("  to do: mend what is said above. The set goes on by itself "
                          "then.\n"));
        break;
    case STATUS_UNREACHABLE:
        buf_add(out, STR("  to do: see to the cluster, its address, and the Secret with its "
                         "kubeconfig.\n         What it lacks is applied once it answers.\n"));
        break;
    case STATUS_CONTESTED:
        buf_add(out, STR("  to do: stop whoever changes it, or let the policy ignore these fields. "
                         "It is\n         put back once after each pause: 10 minutes, 20, up to a "
                         "day.\n"));
        break;
    case STATUS_DRIFTED:
        buf_add(out,
                STR("  to do: undo the change in the cluster, put it into the manifest, or let "
                    "the\n         policy say drift: Repair.\n"));
        break;
    case STATUS_HELD:
        buf_print(out,
                  "  to do: corset approve %.*s --prune, which shows what it agrees to; or put\n"
                  "         back what was taken out.\n",
                  STR_ARG(cell->set->key.name));
        break;
    case STATUS_PRUNING:
        buf_add(out, STR("  to do: nothing yet. It is tried again by itself.\n"));
        break;
    case STATUS_WAITING:
        if (cell->set->waits)
            buf_add(out, STR("  to do: nothing here. It begins by itself when that changes.\n"));
        break;
    case STATUS_PAUSED:
        buf_print(out, "  to do: corset resume %s, when it shall go on.\n",
                  cell->set->is_paused ? "set/NAME" : "cluster/NAME");
        break;
    default:
        break;
    }
}

/* What is said below the headline. */
static void add_body(struct buf *out, const struct status_cell *cell)
{
    if (cell->delivery && cell->delivery->unchecked.len)
        buf_print(out, "  not checked since %.*s\n", STR_ARG(cell->delivery->unchecked));
    if (cell->delivery && cell->delivery->drift_unchecked.len)
        buf_print(out, "  drift not checked since %.*s\n",
                  STR_ARG(cell->delivery->drift_unchecked));
    if (cell->state == STATUS_APPLIED)
        return;
    if (cell->why.len && !is_told_by_causes(cell))
        add_line(out, 2, cell->why);
    if (has_causes(cell))
        add_causes(out, &cell->delivery->failures);
    if (has_unready(cell))
        add_causes(out, &cell->delivery->unready);
    if (is_told_by_resources(cell))
        add_resources(out, cell);
    add_advice(out, cell);
}

/* ", 2 of 52 objects applied" */
static void add_share(struct buf *out, const struct status_cell *cell)
{
    if (status_cell_is_unready(cell)) {
        const struct failures *unready = &cell->delivery->unready;
        if (unready->failed && unready->failed <= unready->objects)
            buf_print(out, ", %zu of %zu objects ready", unready->objects - unready->failed,
                      unready->objects);
        return;
    }
    if (!has_causes(cell))
        return;
    const struct failures *failures = &cell->delivery->failures;
    const size_t failed =
        failures->failed < failures->objects ? failures->failed : failures->objects;
    if (status_state_is_applied(cell->state))
        buf_print(out, ", %zu of %zu objects changed", failed, failures->objects);
    else
        buf_print(out, ", %zu of %zu objects applied", failures->objects - failed,
                  failures->objects);
}

/* " for 5m" */
static void add_age(struct buf *out, timestamp since, timestamp now)
{
    char text[KIND_AGE_MAX];
    if (!since)
        return;
    const duration age = kind_age_between(since, now);
    buf_print(out, " for %.*s", STR_ARG(kind_age_write(age < 0 ? 0 : age, text)));
}

/* Since when the cell is in its state, as far as it is known. */
static timestamp state_since(const struct status_cell *cell)
{
    timestamp since = 0;
    if (cell->state != STATUS_FAILED || cell->set->is_refused || status_cell_is_unready(cell))
        return cell->since;
    if (has_causes(cell) && timestamp_read(cell->delivery->since, &since))
        return since;
    return 0;
}

/* The policy that the set is delivered by, and which contents the cluster has of it. */
static void add_policy(struct buf *out, const struct status_cell *cell)
{
    if (!cell->set->policy.len)
        return;
    buf_print(out, "  by DeliveryPolicy %.*s", STR_ARG(cell->set->policy));
    if (cell->delivery && cell->delivery->revision.len)
        buf_print(out, ", revision %.*s", STR_ARG(cell->delivery->revision));
    buf_add_char(out, '\n');
    if (cell->set->has_rollout)
        buf_print(out, "  rollout of revision %.*s: %.*s\n", STR_ARG(cell->set->revision),
                  STR_ARG(cell->set->wave));
}

void why_render_cell(const struct status_cluster *cluster, const struct status_cell *cell,
                     timestamp now, struct buf *out)
{
    buf_print(out, "set %.*s on cluster %.*s: %s", STR_ARG(cell->set->key.name),
              STR_ARG(cluster->key.name), status_state_name(cell->state));
    add_age(out, state_since(cell), now);
    add_share(out, cell);
    buf_add_char(out, '\n');
    add_policy(out, cell);
    add_body(out, cell);
}

static bool has_cell(const struct status_cell *const *cells, size_t count,
                     const struct status_cell *cell)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i] == cell)
            return true;
    return false;
}

/* The cells of those that a cell waits for go behind the ones that are there, each once. */
static size_t add_waited_for(const struct status_model *model, const struct status_cluster *cluster,
                             const struct status_cell **cells, size_t count, size_t at)
{
    const struct order_names *names = &cells[at]->set->depends_on;
    for (size_t i = 0; cells[at]->state == STATUS_WAITING && i < names->count; i++) {
        const struct status_cell *other;
        const enum order_state state =
            status_model_judge_named(model, cluster, names->names[i], &other);
        if (other && order_is_waited_for(state) && count < CHAIN_SHOWN &&
            !has_cell(cells, count, other))
            cells[count++] = other;
    }
    return count;
}

void why_render_chain(const struct status_model *model, const struct status_cluster *cluster,
                      const struct status_cell *cell, timestamp now, struct buf *out)
{
    const struct status_cell *cells[CHAIN_SHOWN] = {cell};
    size_t count = 1;
    for (size_t i = 0; i < count; i++) {
        count = add_waited_for(model, cluster, cells, count, i);
        if (i)
            buf_add_char(out, '\n');
        why_render_cell(cluster, cells[i], now, out);
    }
}

/* Clusters with the same text below the headline. */
struct group {
    struct buf names;
    size_t count;
};

static void group_free(void *data)
{
    struct group *group = data;
    buf_done(&group->names);
    mem_free(group);
}

static void add_to_group(struct map *groups, const struct status_cluster *cluster,
                         const struct status_cell *cell)
{
    SCOPED(buf) text = {.limit = 0};
    buf_add(&text, str_from_c(status_state_name(cell->state)));
    add_share(&text, cell);
    buf_add_char(&text, '\n');
    add_body(&text, cell);
    struct group *group = map_find(groups, buf_str(&text));
    if (!group) {
        group = NEW(struct group);
        map_put(groups, buf_str(&text), group);
    }
    if (group->count++ < NAMES_SHOWN)
        buf_print(&group->names, "%s%.*s", group->names.len ? ", " : "",
                  STR_ARG(cluster->key.name));
}

static void group_cells(const struct status_model *model, const struct status_set *set,
                        struct map *groups)
{
    for (size_t i = 0; i < model->cluster_count; i++) {
        const struct status_cluster *cluster = model->clusters[i];
        for (size_t j = 0; j < cluster->cell_count; j++)
            if (cluster->cells[j].set == set && !is_well(&cluster->cells[j]))
                add_to_group(groups, cluster, &cluster->cells[j]);
    }
}

/* The message of the set is for what no cluster says: a resource that is missing, say. */
void why_render_set(const struct status_model *model, const struct status_set *set, struct buf *out)
{
    SCOPED(map) groups = {.release = group_free};
    group_cells(model, set, &groups);
    buf_print(out, "set %.*s: %s, applied to %zu of %zu clusters\n", STR_ARG(set->key.name),
              status_state_name(set->state), status_count_applied(set->counts), set->clusters);
    if (!map_count(&groups) && !status_state_is_fine(set->state) && set->why.len)
        add_line(out, 2, set->why);
    MAP_FOREACH (entry, &groups) {
        const struct group *group = entry->value;
        buf_print(out, "\non cluster%s %.*s", group->count == 1 ? "" : "s",
                  STR_ARG(buf_str(&group->names)));
        if (group->count > NAMES_SHOWN)
            buf_print(out, " and %zu more", group->count - NAMES_SHOWN);
        buf_add(out, STR(": "));
        buf_add(out, map_key(entry));
    }
}

void why_render_cluster(const struct status_cluster *cluster, timestamp now, struct buf *out)
{
    buf_print(out, "cluster %.*s: %s, %zu of %zu sets applied\n", STR_ARG(cluster->key.name),
              status_state_name(cluster->state), status_count_applied(cluster->counts),
              cluster->cell_count);
    if (cluster->is_unreachable)
        add_line(out, 2, cluster->why);
    for (size_t i = 0; i < cluster->cell_count; i++) {
        if (is_well(&cluster->cells[i]))
            continue;
        buf_add_char(out, '\n');
        why_render_cell(cluster, &cluster->cells[i], now, out);
    }
}
