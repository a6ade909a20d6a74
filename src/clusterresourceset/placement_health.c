#include "clusterresourceset/placement_health.h"

#include "base/memory.h"
#include "clusterresourceset/placement_drift.h"

void health_finding_done(struct health_finding *finding)
{
    failures_done(&finding->why);
    arena_done(&finding->arena);
    *finding = (struct health_finding){0};
}

struct placement_health *placement_health_new(void)
{
    return NEW(struct placement_health);
}

void placement_health_free(struct placement_health *health)
{
    if (!health)
        return;
    health_finding_done(&health->finding);
    mem_free(health->text);
    mem_free(health);
}

void placement_health_note_applied(struct placement_health *health, timestamp now)
{
    health->stamp++;
    health->checked = now;
    health->reported = 0;
    health->told_at = 0;
    health_finding_done(&health->finding);
}

/* "apps/v1 Deployment ns/x: not ready: LessReady; not checked since 2026-11-15T22:10:00Z" */
static void write_text(const struct delivery *delivery, struct buf *out)
{
    placement_drift_write_why(&delivery->unready, out);
    if (delivery->unchecked.len)
        buf_print(out, "%snot checked since %.*s", out->len ? "; " : "",
                  STR_ARG(delivery->unchecked));
}

bool placement_health_note_record(struct placement_health *health, const struct object *binding,
                                  struct str set)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) text = {.limit = 0};
    struct delivery_mark mark = {0};
    struct delivery delivery = {0};
    delivery_find_mark(binding, set, &mark);
    if (delivery_read(binding, set, &arena, &delivery))
        write_text(&delivery, &text);
    const enum health_state state = !mark.is_unready  ? HEALTH_READY
                                    : mark.is_overdue ? HEALTH_FAILED
                                                      : HEALTH_SETTLING;
    const bool is_news =
        state != health->state || !str_eq(buf_str(&text), str_from_c(health->text));
    health->state = state;
    health->since = mark.unready_since;
    health->is_unchecked = delivery.unchecked.len > 0;
    mem_free(health->text);
    health->text = text.len ? mem_dup(text.ptr, text.len) : NULL;
    return is_news;
}

/* A time of the record is written anew, so that whatever somebody wrote there cannot grow. */
static struct str rewrite_time(struct str text, struct arena *arena)
{
    char now[TIMESTAMP_TEXT_MAX];
    timestamp time = 0;
    timestamp_read(text, &time);
    return arena_str(arena, timestamp_write(time, now));
}

struct health_record health_record_keep(const struct delivery *before)
{
    struct health_record record = {
        .is_unready = before->settling.len > 0,
        .unchecked = before->unchecked,
    };
    if (record.is_unready)
        record.unready = (struct delivery_unready){
            .why = &before->unready,
            .count = before->unready.failed,
            .since = rewrite_time(before->settling, before->failures.arena),
            .is_overdue = before->is_overdue,
        };
    return record;
}

struct health_record health_record_find(const struct delivery *before,
                                        const struct health_finding *finding, struct arena *arena)
{
    char text[TIMESTAMP_TEXT_MAX];
    const struct str since = arena_str(arena, timestamp_write(finding->since, text));
    struct health_record record = {0};
    if (finding->type == HEALTH_FINDING_UNCHECKED) {
        record = health_record_keep(before);
        record.unchecked = since;
    } else if (finding->type == HEALTH_FINDING_LOOKED && finding->why.failed) {
        record.is_unready = true;
        record.unready = (struct delivery_unready){
            .why = &finding->why,
            .count = finding->why.failed,
            .since = since,
            .is_overdue = finding->is_overdue,
        };
    }
    return record;
}

/* Objects whose readiness counts. */
static size_t count_objects(const struct plan *plan, struct arena *arena)
{
    size_t count = 0;
    for (size_t i = 0; i < plan_resource_count(plan); i++) {
        const struct content *content = resource_snapshot_content(plan_snapshot(plan, i));
        const struct apply_item *items = content ? apply_items_read(content, arena) : NULL;
        for (size_t j = 0; content && j < content_count(content); j++)
            count += !health_leaves_out(items[j].object);
    }
    return count;
}

struct health_record health_record_begin(const struct plan *plan, struct str now,
                                         struct arena *arena)
{
    struct failures *none = ARENA_NEW(arena, struct failures);
    const size_t count = count_objects(plan, arena);
    return (struct health_record){
        .is_unready = count > 0,
        .unready = {.why = none, .count = count, .since = now},
    };
}
