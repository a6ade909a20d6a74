/*
 * The parsers of the fleet API: paths, continue tokens, and lists of clusters. What is accepted of
 * a path has no segment that another program could read differently. No text is a token of ours. A
 * list gives the same at every split, and what is written of its items is JSON that names our
 * cluster, and no other one.
 */
#include "fleet/fleet_continue.h"
#include "fleet/fleet_item.h"
#include "fleet/fleet_path.h"
#include "fleet/list_scanner.h"
#include "fuzz.h"
#include "json/json.h"
#include "json/path.h"
#include "testing/test.h"

#define CLUSTER STR("ns/name")

static void check_path(struct arena *arena, struct str text)
{
    struct fleet_path path;
    const struct str target =
        ARENA_JOIN(arena, STR(FLEET_PREFIX "/namespaces/ns/clusters/name/proxy/"), text);
    OWNED(error) err = fleet_path_read(arena, target, &path);
    if (err) {
        CHECK(err->code == ERROR_BAD_REQUEST);
        return;
    }
    CHECK_EQ((int)path.kind, (int)FLEET_PATH_ONE);
    CHECK_EQ(path.cluster.name, STR("name"));
    CHECK_EQ(path.cluster.namespace, STR("ns"));
    CHECK(path.rest.len > 0 && path.rest.ptr[0] == '/');
    CHECK(!str_contains(path.rest, STR("//")));
    for (size_t i = 0; i < path.segment_count; i++) {
        const struct str segment = path.segments[i];
        CHECK(segment.len > 0 && !str_eq(segment, STR(".")) && !str_eq(segment, STR("..")));
        CHECK(str_find_char(segment, '/') == STR_NONE && str_find_char(segment, '\0') == STR_NONE);
    }
}

static void check_continue(struct arena *arena, struct str text)
{
    static const struct fleet_continue_key key = {
        {1, 2, 3}
    };
    struct fleet_continue next;
    CHECK_ERROR(fleet_continue_read(arena, &key, STR("q"), 0, text, &next), ERROR_EXPIRED);
}

static struct error *take_member(void *data, struct str name, struct str value)
{
    buf_print(data, "%.*s=%.*s;", STR_ARG(name), STR_ARG(value));
    return NULL;
}

static void check_item(const struct json_value *item)
{
    const struct fleet_item_rules rules = {0};
    SCOPED(buf) out = {.limit = 0};
    OWNED(json_doc) again = NULL;
    OWNED(error) refused = fleet_item_write(&out, item, &rules, CLUSTER);
    if (refused)
        return;
    CHECK_OK(json_read(buf_str(&out), &again));
    const struct json_value *annotations = json_path(json_doc_root(again), "metadata.annotations");
    CHECK_EQ(json_to_str(json_get(annotations, STR(FLEET_CLUSTER_ANNOTATION))), CLUSTER);
}

static struct error *take_element(void *data, struct str value)
{
    OWNED(json_doc) doc = NULL;
    buf_print(data, "<%.*s>", STR_ARG(value));
    OWNED(error) malformed = json_read(value, &doc);
    if (!malformed && json_type(json_doc_root(doc)) == JSON_OBJECT)
        check_item(json_doc_root(doc));
    return NULL;
}

static const struct list_scanner_ops ops = {take_member, take_element};

static bool scan(struct str text, size_t step, struct buf *seen)
{
    SCOPED(list_scanner) scanner = {.ops = &ops, .data = seen};
    OWNED(error) err = NULL;
    while (text.len && !err) {
        err = list_scanner_feed(&scanner, str_slice(text, 0, step));
        text = str_skip(text, step < text.len ? step : text.len);
    }
    if (err)
        return false;
    OWNED(error) incomplete = list_scanner_end(&scanner);
    return !incomplete;
}

static void check_list(struct str text)
{
    SCOPED(buf) whole = {.limit = 0};
    SCOPED(buf) split = {.limit = 0};
    const bool is_list = scan(text, text.len ? text.len : 1, &whole);
    CHECK_EQ(scan(text, 1, &split), is_list);
    CHECK_EQ(buf_str(&split), buf_str(&whole));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    SCOPED(arena) arena = {.limit = 0};
    check_path(&arena, text);
    check_continue(&arena, text);
    check_list(text);
    return 0;
}
