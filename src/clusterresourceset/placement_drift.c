#include "clusterresourceset/placement_drift.h"

#include "base/memory.h"
#include "clusterresourceset/apply/ignored.h"

#define CAUSES_SHOWN  ((size_t)3)
#define OBJECTS_SHOWN ((size_t)3)

void drift_finding_done(struct drift_finding *finding)
{
    map_done(&finding->ids);
    map_done(&finding->seen);
    *finding = (struct drift_finding){0};
}

void drift_finding_add(struct drift_finding *finding, struct str id, struct str uid,
                       struct str ownership)
{
    map_put(&finding->ids, id, NULL);
    finding->hash = str_hash(id, finding->hash);
    finding->hash = str_hash(uid, finding->hash);
    finding->hash = str_hash(ownership, finding->hash);
}

void drift_finding_note_seen(struct drift_finding *finding, const struct apply_ledger *ledger)
{
    finding->seen.release = mem_free;
    MAP_FOREACH (entry, &ledger->objects) {
        const struct str line = str_from_c(entry->value);
        map_put(&finding->seen, map_key(entry), mem_dup(line.ptr, line.len));
    }
}

struct placement_drift *placement_drift_new(void)
{
    struct placement_drift *drift = NEW(struct placement_drift);
    drift->versions.release = drift->contests.release = mem_free;
    return drift;
}

void placement_drift_free(struct placement_drift *drift)
{
    if (!drift)
        return;
    drift_memory_done(&drift->memory);
    map_done(&drift->versions);
    map_done(&drift->contests);
    drift_finding_done(&drift->finding);
    mem_free(drift->text);
    mem_free(drift);
}

void placement_drift_note_version(struct placement_drift *drift, struct str kind,
                                  struct str version)
{
    if (apply_ledger_is_newer(version, str_from_c(map_find(&drift->versions, kind))))
        mem_free(map_put(&drift->versions, kind, mem_dup(version.ptr, version.len)));
}

void placement_drift_note_due(struct placement_drift *drift, int64_t due)
{
    if (!drift->check_due || due < drift->check_due)
        drift->check_due = due;
}

uint64_t placement_drift_basis(const struct plan *plan)
{
    return plan_round(plan) + (ignored_hash(plan_policy(plan)) << 32);
}

void placement_drift_note_applied(struct placement_drift *drift, const struct apply_ledger *ledger,
                                  uint64_t basis)
{
    drift_memory_put_all(&drift->memory, ledger);
    drift->basis = basis;
    drift->stamp++;
    drift->reported = 0;
    drift_finding_done(&drift->finding); /* it is about what was there before */
    MAP_FOREACH (entry, &ledger->versions)
        placement_drift_note_version(drift, map_key(entry), str_from_c(entry->value));
}

static void write_objects(const struct failure_cause *cause, struct buf *out)
{
    size_t shown = 0;
    for (const struct failed_object *object = cause->first; object && shown < OBJECTS_SHOWN;
         object = object->next, shown++)
        buf_print(out, "%s%.*s %.*s %.*s%s%.*s", shown ? ", " : "", STR_ARG(object->api_version),
                  STR_ARG(object->kind), STR_ARG(object->namespace),
                  object->namespace.len ? "/" : "", STR_ARG(object->name));
    if (cause->count > shown)
        buf_print(out, " and %zu more", cause->count - shown);
}

void placement_drift_write_why(const struct failures *why, struct buf *out)
{
    size_t shown = 0;
    for (const struct failure_cause *cause = why->first; cause && shown < CAUSES_SHOWN;
         cause = cause->next, shown++) {
        buf_add(out, shown ? STR("; ") : STR(""));
        write_objects(cause, out);
        buf_print(out, ": %.*s", STR_ARG(cause->message));
    }
    if (why->cause_count + why->omitted_causes > shown)
        buf_print(out, "; and %zu more", why->cause_count + why->omitted_causes - shown);
}

/* What has drifted counts more than that nobody could look since. */
static void write_record(const struct delivery_mark *mark, const struct delivery *delivery,
                         struct buf *out)
{
    if (mark->drift)
        placement_drift_write_why(&delivery->failures, out);
    else
        buf_print(out, "drift not checked since %.*s", STR_ARG(delivery->drift_unchecked));
}

bool placement_drift_note_record(struct placement_drift *drift, const struct object *binding,
                                 struct str set)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    struct delivery_mark mark = {0};
    struct delivery delivery;
    delivery_find_mark(binding, set, &mark);
    if ((mark.drift || mark.is_drift_unchecked) && delivery_read(binding, set, &arena, &delivery))
        write_record(&mark, &delivery, &text);
    drift->is_unchecked = mark.is_drift_unchecked;
    if (mark.drift == drift->drift && str_eq(buf_str(&text), str_from_c(drift->text)))
        return false;
    drift->drift = mark.drift;
    drift->awaits_repair = mark.drift == DELIVERY_DRIFTED;
    mem_free(drift->text);
    drift->text = text.len ? mem_dup(text.ptr, text.len) : NULL;
    return true;
}
