#include "scenarios/clusterresourceset/rollout_fixture.h"

#include <string.h>

#include "json/path.h"

#define PATIENCE       (3 * HOUR)
#define COUNT_PATIENCE (10 * MINUTE)
#define POLL           (500 * MILLISECOND)
#define LATER_POLL     (10 * SECOND)

static const char *ring_of(char letter)
{
    return letter == 'c' ? "canary" : letter == 'e' ? "early" : letter == 'l' ? "late" : "none";
}

void rollout_fixture_add(struct crs_fixture *fixture, size_t number, char ring)
{
    SCOPED(buf) target = {.limit = 0};
    SCOPED(buf) body = {.limit = 0};
    crs_fixture_cluster_at(fixture, "ns", number, number == 1 || ring == 'c' ? 1 : 2 + number % 2);
    buf_print(&target, CRS_FIXTURE_OWNERS "/c%zu", number);
    buf_print(&body, "{\"metadata\":{\"labels\":{\"ring\":\"%s\"}}}", ring_of(ring));
    crs_fixture_do(fixture, "PATCH", buf_c(&target), buf_c(&body));
}

void rollout_fixture_begin(struct crs_fixture *fixture, const char *rings)
{
    crs_fixture_init(fixture);
    for (size_t i = 0; i < strlen(rings); i++)
        rollout_fixture_add(fixture, i + 1, rings[i]);
    crs_fixture_map(fixture, "cm1", ROLLOUT_FIXTURE_TEXT("1"));
    delivery_fixture_policy(fixture, "{\"drift\":\"Ignore\"}");
    crs_fixture_start(fixture, NULL);
    delivery_fixture_set(fixture, "crs1", "Reconcile", "ConfigMap/cm1");
    crs_fixture_await_applied(fixture, "crs1");
}

void rollout_fixture_turn_on(struct crs_fixture *fixture, const char *spec)
{
    delivery_fixture_policy(fixture, spec);
    crs_fixture_await_condition(fixture, "crs1", "RolledOut", "True/RolledOut");
    crs_fixture_forget(fixture);
}

void rollout_fixture_change(struct crs_fixture *fixture, const char *text)
{
    SCOPED(buf) before = {.limit = 0};
    buf_add(&before, rollout_fixture_state(fixture, "revision"));
    crs_fixture_map(fixture, "cm1", text);
    while (str_eq(rollout_fixture_state(fixture, "revision"), buf_str(&before)))
        CHECK_OK(fiber_sleep(20 * MILLISECOND));
}

/* Member of JSON in an annotation of an object; empty: it is not there. */
static struct str read_annotation(struct crs_fixture *fixture, const char *target,
                                  const char *annotation, const char *set, const char *member)
{
    struct apiserver_fixture *apiserver = &fixture->apiserver;
    SCOPED(buf) found = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    if (!crs_fixture_exists(fixture, target))
        return STR("");
    const struct str text = json_to_str(json_get(
        json_path(json_doc_root(apiserver->doc), "metadata.annotations"), str_from_c(annotation)));
    if (!text.len)
        return STR("");
    CHECK_OK(json_read(text, &doc));
    const struct json_value *root = json_doc_root(doc);
    const struct json_value *value =
        json_path(set ? json_get(root, str_from_c(set)) : root, member);
    if (json_type(value) == JSON_STRING)
        buf_add(&found, json_to_str(value));
    else if (value)
        json_write(&found, value);
    return apiserver_fixture_keep(apiserver, buf_str(&found));
}

struct str rollout_fixture_state(struct crs_fixture *fixture, const char *member)
{
    return read_annotation(fixture, CRS_FIXTURE_SET, "corset.dev/rollout", NULL, member);
}

struct str rollout_fixture_record(struct crs_fixture *fixture, size_t number, const char *member)
{
    SCOPED(buf) target = {.limit = 0};
    buf_print(&target, CRS_FIXTURE_BINDINGS "/c%zu", number);
    return read_annotation(fixture, buf_c(&target), "corset.dev/delivery", "crs1", member);
}

size_t rollout_fixture_count(struct crs_fixture *fixture, size_t first, size_t last,
                             const char *state)
{
    SCOPED(buf) revision = {.limit = 0};
    size_t count = 0;
    buf_add(&revision, rollout_fixture_state(fixture, "revision"));
    for (size_t i = first; i <= last; i++)
        count += str_eq(rollout_fixture_record(fixture, i, "revision"), buf_str(&revision)) &&
                 str_eq(rollout_fixture_record(fixture, i, "state"), str_from_c(state));
    return count;
}

void rollout_fixture_await(struct crs_fixture *fixture, const char *text)
{
    duration pause = POLL;
    for (duration waited = 0; waited < PATIENCE; waited += pause) {
        SCOPED(buf) now = {.limit = 0};
        buf_add(&now, rollout_fixture_state(fixture, "wave"));
        buf_add_char(&now, '/');
        buf_add(&now, rollout_fixture_state(fixture, "state"));
        if (str_eq(buf_str(&now), str_from_c(text)))
            return;
        pause = waited < MINUTE ? POLL : LATER_POLL;
        CHECK_OK(fiber_sleep(pause));
    }
    CHECK_EQ(rollout_fixture_state(fixture, "state"), str_from_c(text));
}

void rollout_fixture_await_count(struct crs_fixture *fixture, size_t first, size_t last,
                                 size_t count)
{
    for (duration waited = 0; waited < COUNT_PATIENCE; waited += POLL) {
        if (rollout_fixture_count(fixture, first, last, "Ready") == count)
            return;
        CHECK_OK(fiber_sleep(POLL));
    }
    CHECK_EQ(rollout_fixture_count(fixture, first, last, "Ready"), count);
}
