#include "clusterresourceset/rivalry.h"

#include "base/buf.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "json/path.h"

/* The first pause, and the longest: each is twice as long as the one before. */
#define PAUSE_MIN (10 * SECOND)
#define PAUSE_MAX (10 * MINUTE)

void rivalry_done(struct rivalry *rivalry)
{
    mem_free(rivalry->written);
    *rivalry = (struct rivalry){0};
}

static void write_condition(struct buf *out, const struct condition *condition)
{
    const struct str status = condition_status_text(condition->status);
    buf_print(out, "%.*s/%.*s/%.*s", STR_ARG(status), STR_ARG(condition->reason),
              STR_ARG(condition->message));
}

static bool was_written(const struct rivalry *rivalry, const struct condition *condition)
{
    SCOPED(buf) text = {0};
    write_condition(&text, condition);
    return rivalry->written && str_eq(buf_str(&text), str_from_c(rivalry->written));
}

void rivalry_note_written(struct rivalry *rivalry, const struct condition *condition)
{
    SCOPED(buf) text = {0};
    if (condition)
        write_condition(&text, condition);
    mem_free(rivalry->written);
    rivalry->written = condition ? buf_take(&text) : NULL;
}

bool rivalry_is_contested(struct rivalry *rivalry, const struct condition *found, int64_t now)
{
    if (rivalry->written && !was_written(rivalry, found))
        return true;
    if (now >= rivalry->next)
        rivalry_end_pause(rivalry);
    return false;
}

bool rivalry_is_settled(const struct rivalry *rivalry, const struct condition *wanted,
                        const struct condition *found)
{
    return was_written(rivalry, wanted) && wanted->status == found->status &&
           str_eq(wanted->reason, found->reason) &&
           wanted->observed_generation == found->observed_generation;
}

duration rivalry_wait(struct rivalry *rivalry, int64_t now)
{
    if (now < rivalry->next)
        return rivalry->next - now;
    const duration doubled = 2 * rivalry->delay;
    rivalry->delay = doubled < PAUSE_MIN ? PAUSE_MIN : doubled < PAUSE_MAX ? doubled : PAUSE_MAX;
    rivalry->next = now + rivalry->delay;
    return 0;
}

void rivalry_end_pause(struct rivalry *rivalry)
{
    rivalry->delay = 0;
    rivalry->next = 0;
}

/* Entries of the status that have conditions in them; others wrote the spec or metadata. */
static bool has_conditions(const struct json_value *entry)
{
    return str_eq(json_path_str(entry, "subresource"), STR("status")) &&
           json_path(entry, "fieldsV1.f:status.f:conditions");
}

struct str rivalry_find_manager(const struct object *object)
{
    const struct json_value *entry;
    struct str found = {0};
    timestamp newest = 0, time;
    JSON_FOREACH (key, entry, object_path(object, "metadata.managedFields")) {
        const struct str manager = json_path_str(entry, "manager");
        (void)key;
        if (str_eq(manager, STR(RIVALRY_OURS)) || !has_conditions(entry) ||
            !timestamp_read(json_path_str(entry, "time"), &time) || time < newest)
            continue;
        found = manager;
        newest = time;
    }
    return found;
}
