/*
 * Events in two API groups: the core group and events.k8s.io.
 *
 * Both groups share one place in the store, and an Event is stored in the group it was written in.
 * kind_builtin_present() converts it if the request asks for the other group. Two tables have the
 * members of each group in the order in which Go writes them, with their names in the other group.
 * Upstream: k8s.io/kubernetes/pkg/apis/events/v1/conversion.go.
 */
#include "apiserver/registry/kind_autoscaler.h"
#include "apiserver/registry/kind_builtin.h"
#include "apiserver/types/go_types.h"
#include "base/owned.h"
#include "json/builder.h"
#include "json/path.h"

/* What Go writes for a member that is absent or empty. */
enum absent {
    NOTHING,
    A_NULL,
    A_TEXT,
    AN_OBJECT,
};

/* A member of the group that is asked for, and its name in the other group. */
struct event_member {
    struct str name, other;
    enum absent absent;
};

#define SAME(name, absent)                     \
    {                                          \
        STR_INIT(name), STR_INIT(name), absent \
    }

static const struct event_member core_members[] = {
    SAME("metadata", AN_OBJECT),
    {STR_INIT("involvedObject"),     STR_INIT("regarding"),                AN_OBJECT},
    SAME("reason", NOTHING),
    {STR_INIT("message"),            STR_INIT("note"),                     NOTHING  },
    {STR_INIT("source"),             STR_INIT("deprecatedSource"),         AN_OBJECT},
    {STR_INIT("firstTimestamp"),     STR_INIT("deprecatedFirstTimestamp"), A_NULL   },
    {STR_INIT("lastTimestamp"),      STR_INIT("deprecatedLastTimestamp"),  A_NULL   },
    {STR_INIT("count"),              STR_INIT("deprecatedCount"),          NOTHING  },
    SAME("type", NOTHING),
    SAME("eventTime", A_NULL),
    SAME("series", NOTHING),
    SAME("action", NOTHING),
    SAME("related", NOTHING),
    {STR_INIT("reportingComponent"), STR_INIT("reportingController"),      A_TEXT   },
    SAME("reportingInstance", A_TEXT),
};

static const struct event_member events_members[] = {
    SAME("metadata", AN_OBJECT),
    SAME("eventTime", A_NULL),
    SAME("series", NOTHING),
    {STR_INIT("reportingController"),      STR_INIT("reportingComponent"), NOTHING  },
    SAME("reportingInstance", NOTHING),
    SAME("action", NOTHING),
    SAME("reason", NOTHING),
    {STR_INIT("regarding"),                STR_INIT("involvedObject"),     AN_OBJECT},
    SAME("related", NOTHING),
    {STR_INIT("note"),                     STR_INIT("message"),            NOTHING  },
    SAME("type", NOTHING),
    {STR_INIT("deprecatedSource"),         STR_INIT("source"),             AN_OBJECT},
    {STR_INIT("deprecatedFirstTimestamp"), STR_INIT("firstTimestamp"),     A_NULL   },
    {STR_INIT("deprecatedLastTimestamp"),  STR_INIT("lastTimestamp"),      A_NULL   },
    {STR_INIT("deprecatedCount"),          STR_INIT("count"),              NOTHING  },
};

/* Empty texts count as absent; empty objects do not. */
static bool is_empty(const struct json_value *value)
{
    const enum json_type type = json_type(value);
    return type == JSON_ABSENT || type == JSON_NULL ||
           (type == JSON_STRING && str_is_empty(json_to_str(value)));
}

static void add_absent(struct json_builder *builder, struct str name, enum absent absent)
{
    if (absent == NOTHING)
        return;
    json_builder_key(builder, name);
    if (absent == A_NULL) {
        json_builder_null(builder);
    } else if (absent == A_TEXT) {
        json_builder_str(builder, STR(""));
    } else {
        json_builder_object(builder);
        json_builder_end(builder);
    }
}

static struct error *convert_event(const struct kind *kind, const struct json_value *event,
                                   struct json_doc **ret_doc)
{
    const bool is_core = kind->type == &type_event;
    const struct event_member *members = is_core ? core_members : events_members;
    const size_t count = is_core ? COUNT(core_members) : COUNT(events_members);
    SCOPED(arena) arena = {0};
    SCOPED(json_builder) builder = {.limit = 0};
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", kind->gvk.kind);
    json_builder_add_str(&builder, "apiVersion", gvk_api_version(&arena, kind->gvk));
    for (size_t i = 0; i < count; i++) {
        const struct json_value *value = json_get(event, members[i].other);
        if (is_empty(value)) {
            add_absent(&builder, members[i].name, members[i].absent);
        } else {
            json_builder_key(&builder, members[i].name);
            json_builder_value(&builder, value);
        }
    }
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

struct error *kind_builtin_present(const struct kind *kind, struct json_doc *doc,
                                   struct json_doc **ret_doc)
{
    SCOPED(arena) arena = {0};
    if (kind_autoscaler_is_v1(kind))
        return kind_autoscaler_to_v1(json_doc_root(doc), ret_doc);
    const bool is_event = kind->type == &type_event || kind->type == &type_events_event;
    const struct str stored = json_path_str(json_doc_root(doc), "apiVersion");
    if (is_event && !str_eq(stored, gvk_api_version(&arena, kind->gvk)))
        return convert_event(kind, json_doc_root(doc), ret_doc);
    *ret_doc = json_doc_ref(doc);
    return NULL;
}
