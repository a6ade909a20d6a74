/*
 * A document of discovery is a list of entries with names: versions, groups or resources. The union
 * keeps, in the order of clusters, the text of the first entry of each name. Groups are different:
 * what they list are versions, which are united, too.
 */
#include "fleet/fleet_discovery.h"

#include "apimachinery/status.h"
#include "base/map.h"
#include "base/memory.h"
#include "http/headers.h"
#include "json/json.h"
#include "json/path.h"

#define DOCUMENT_MAX (4 * MEGABYTE)
#define ENTRIES_MAX  20000

/* The sorts of documents. */
static const struct shape {
    const char *kind, *list; /* of the entries; NULL: the document is one group */
} shapes[] = {
    {"APIVersions",     "versions" },
    {"APIGroupList",    "groups"   },
    {"APIGroup",        NULL       },
    {"APIResourceList", "resources"},
};

struct group {
    struct map versions; /* version -> NULL */
    char *preferred;
};

struct unite {
    const struct shape *shape;
    struct map entries; /* name -> text, or group -> struct group */
    size_t served;      /* clusters that have the document */
};

static void group_release(void *value)
{
    struct group *group = value;
    map_done(&group->versions);
    mem_free(group->preferred);
    mem_free(group);
}

static void unite_done(struct unite *unite)
{
    map_done(&unite->entries);
}

static const struct shape *find_shape(const struct fleet_path *path)
{
    const bool is_core = str_eq(path->segments[0], STR("api"));
    if (path->segment_count == 1)
        return is_core ? &shapes[0] : &shapes[1];
    return !is_core && path->segment_count == 2 ? &shapes[2] : &shapes[3];
}

static char *copy_text(struct str text)
{
    return mem_dup(text.ptr ? text.ptr : "", text.len);
}

static struct error *add_group(struct unite *unite, const struct json_value *value)
{
    const struct str name = json_path_str(value, "name");
    const struct json_value *version;
    struct group *group = map_find(&unite->entries, name);
    if (!name.len)
        return error_new(ERROR_PARSE, "the answer has a group without a name");
    if (!group) {
        group = NEW(struct group);
        group->preferred = copy_text(json_path_str(value, "preferredVersion.version"));
        map_put(&unite->entries, name, group);
    }
    JSON_FOREACH (key, version, json_get(value, STR("versions"))) {
        (void)key;
        const struct str text = json_path_str(version, "version");
        if (text.len && map_count(&group->versions) < 100)
            map_put(&group->versions, text, NULL);
    }
    return NULL;
}

/* Versions of the core group are plain strings, resources are objects with a name. */
static struct error *add_entry(struct unite *unite, const struct json_value *value)
{
    SCOPED(buf) text = {.limit = MEGABYTE};
    const struct str name =
        json_type(value) == JSON_STRING ? json_to_str(value) : json_path_str(value, "name");
    if (!name.len)
        return error_new(ERROR_PARSE, "the answer has an entry without a name");
    if (map_has(&unite->entries, name))
        return NULL;
    json_write(&text, value);
    TRY(buf_check(&text));
    map_put(&unite->entries, name, copy_text(buf_str(&text)));
    return NULL;
}

static struct error *unite_document(struct unite *unite, const struct json_value *root)
{
    const struct shape *shape = unite->shape;
    const struct json_value *entry;
    if (!str_eq(json_path_str(root, "kind"), str_from_c(shape->kind)))
        return error_new(ERROR_PARSE, "the answer is not of kind %s", shape->kind);
    if (!shape->list)
        return add_group(unite, root);
    JSON_FOREACH (key, entry, json_get(root, str_from_c(shape->list))) {
        (void)key;
        if (map_count(&unite->entries) >= ENTRIES_MAX)
            return error_new(ERROR_TOO_LARGE, "the clusters serve more than %d entries",
                             ENTRIES_MAX);
        TRY(shape == &shapes[1] ? add_group(unite, entry) : add_entry(unite, entry));
    }
    return NULL;
}

static struct error *read_document(struct unite *unite, struct clustercache_answer *answer)
{
    SCOPED(buf) body = {.limit = DOCUMENT_MAX};
    OWNED(json_doc) doc = NULL;
    TRY(clustercache_answer_read_all(answer, &body));
    TRY(json_read(buf_str(&body), &doc));
    return unite_document(unite, json_doc_root(doc));
}

static struct error *take_answer(void *data, struct clustercache_answer *answer)
{
    struct unite *unite = data;
    if (answer->status == 404)
        return NULL;
    struct error *err = answer->status == 200
                            ? read_document(unite, answer)
                            : error_new(error_code_from_http_status(answer->status),
                                        "answered with status %d", answer->status);
    if (error_is(err, ERROR_CANCELED))
        return err;
    if (err)
        clustercache_answer_fail(answer, err);
    else
        unite->served++;
    return NULL;
}

static void write_version(struct buf *out, struct str group, struct str version)
{
    SCOPED(buf) both = {0};
    BUF_ADD_ALL(&both, group, STR("/"), version);
    buf_add(out, STR("{\"groupVersion\":"));
    buf_add_json_string(out, buf_str(&both));
    buf_add(out, STR(",\"version\":"));
    buf_add_json_string(out, version);
    buf_add_char(out, '}');
}

/* The members of an APIGroup, without its braces. */
static void write_group(struct buf *out, struct str name, const struct group *group)
{
    bool is_first = true;
    buf_add(out, STR("\"name\":"));
    buf_add_json_string(out, name);
    buf_add(out, STR(",\"versions\":["));
    MAP_FOREACH (entry, &group->versions) {
        if (!is_first)
            buf_add_char(out, ',');
        is_first = false;
        write_version(out, name, map_key(entry));
    }
    buf_add(out, STR("],\"preferredVersion\":"));
    write_version(out, name, str_from_c(group->preferred));
}

static void write_entries(struct buf *out, const struct unite *unite)
{
    const bool has_groups = unite->shape == &shapes[1];
    bool is_first = true;
    buf_print(out, ",\"%s\":[", unite->shape->list);
    MAP_FOREACH (entry, &unite->entries) {
        if (!is_first)
            buf_add_char(out, ',');
        is_first = false;
        if (has_groups) {
            buf_add_char(out, '{');
            write_group(out, map_key(entry), entry->value);
            buf_add_char(out, '}');
        } else {
            buf_add(out, str_from_c(entry->value));
        }
    }
    buf_add_char(out, ']');
}

static void write_document(struct buf *out, const struct unite *unite,
                           const struct fleet_path *path)
{
    const struct shape *shape = unite->shape;
    buf_print(out, "{\"kind\":\"%s\",\"apiVersion\":\"v1\"", shape->kind);
    if (!shape->list) {
        const struct map_entry *only = map_first(&unite->entries);
        buf_add_char(out, ',');
        write_group(out, map_key(only), only->value);
    } else {
        if (shape == &shapes[3]) {
            /* Behind "/api/" or "/apis/". */
            const struct str at = str_skip(path->rest, path->segments[0].len + 2);
            buf_add(out, STR(",\"groupVersion\":"));
            buf_add_json_string(out, at);
        }
        write_entries(out, unite);
    }
    buf_add(out, STR("}\n"));
}

static struct error *send_document(const struct unite *unite, const struct fleet_path *path,
                                   const struct clustercache_each_summary *summary,
                                   const struct fleet_outcome *outcome, struct fleet_reply *reply)
{
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) text = {0};
    fleet_outcome_write(&text, outcome);
    TRY(http_headers_add(&headers, STR("Corset-Clusters"), buf_str(&text)));
    buf_clear(&text);
    if (!unite->served && summary->failure_count) {
        fleet_warning_write(&text, summary);
        return fleet_reply_fail(reply, &headers, status_timeout(buf_str(&text), 0));
    }
    if (!unite->served && summary->asked)
        return fleet_reply_fail(reply, &headers, status_no_such_resource());
    write_document(&text, unite, path);
    TRY(buf_check(&text));
    return fleet_reply_send(reply, 200, &headers, buf_str(&text));
}

struct error *fleet_discovery_serve(const struct fleet_asker *asker, const struct fleet_path *path,
                                    const struct fleet_question *question,
                                    struct fleet_reply *reply, struct fleet_outcome *outcome)
{
    SCOPED(clustercache_each_summary) summary = {0};
    SCOPED(unite) unite = {.shape = find_shape(path)};
    const bool has_groups = unite.shape == &shapes[1] || unite.shape == &shapes[2];
    unite.entries.release = has_groups ? group_release : mem_free;
    struct clustercache_each_options options = fleet_each_options(asker, question);
    struct error *err = clustercache_each(asker->clusters, &options, take_answer, &unite, &summary);
    fleet_outcome_count(outcome, &summary);
    if (err)
        return fleet_reply_fail(reply, NULL, err);
    if (unite.shape == &shapes[2] && !map_count(&unite.entries))
        return fleet_reply_fail(reply, NULL, status_no_such_resource());
    return send_document(&unite, path, &summary, outcome, reply);
}

void fleet_discovery_write_own(struct buf *out)
{
    buf_add(out,
            STR("{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":"
                "\"" FLEET_GROUP "/" FLEET_VERSION "\",\"resources\":[{\"name\":\"clusters/proxy\","
                "\"singularName\":\"\",\"namespaced\":true,\"kind\":\"Cluster\",\"verbs\":["
                "\"create\",\"delete\",\"get\",\"list\",\"patch\",\"update\",\"watch\"]}]}\n"));
}

void fleet_discovery_write_group(struct buf *out)
{
    buf_add(out, STR("{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"" FLEET_GROUP
                     "\",\"versions\":[{\"groupVersion\":\"" FLEET_GROUP "/" FLEET_VERSION
                     "\",\"version\":\"" FLEET_VERSION "\"}],\"preferredVersion\":{"
                     "\"groupVersion\":\"" FLEET_GROUP "/" FLEET_VERSION "\",\"version\":"
                     "\"" FLEET_VERSION "\"}}\n"));
}
