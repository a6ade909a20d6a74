#include "clusterresourceset/health.h"

#include "clusterresourceset/apply/apply_object.h"
#include "framework/readiness.h"

#define PAUSE_FIRST SECOND
#define PAUSE_MAX   (30 * SECOND)
#define PATIENCE    MINUTE /* with a cluster that does not answer, before that is told */

bool health_leaves_out(const struct object *manifest)
{
    const struct gvk gvk = apply_object_gvk(manifest);
    struct str value;
    return !readiness_has_rules(gvk.group, gvk.kind) ||
           (object_find_annotation(manifest, STR(HEALTH_ANNOTATION), &value) &&
            str_eq(value, STR("ignore")));
}

enum health_state health_decide(size_t unready, duration elapsed, duration timeout)
{
    if (!unready)
        return HEALTH_READY;
    return elapsed < timeout ? HEALTH_SETTLING : HEALTH_FAILED;
}

/* Each pause is as long as the time that has passed, so that a new process goes on with the same.
 */
static duration settling_pause(duration elapsed, duration timeout)
{
    const duration grown = elapsed + PAUSE_FIRST;
    const duration pause = grown < PAUSE_MAX ? grown : PAUSE_MAX, left = timeout - elapsed;
    return left > 0 && left < pause ? left : pause;
}

duration health_next_look(enum health_state state, duration elapsed, duration timeout,
                          duration interval)
{
    switch (state) {
    case HEALTH_READY:
        return interval;
    case HEALTH_SETTLING:
        return settling_pause(elapsed > 0 ? elapsed : 0, timeout);
    case HEALTH_FAILED:
        break;
    }
    return PAUSE_MAX;
}

bool health_is_unchecked(enum health_state state, duration unchecked, duration interval)
{
    return unchecked > PATIENCE && (state != HEALTH_READY || unchecked > 2 * interval);
}
