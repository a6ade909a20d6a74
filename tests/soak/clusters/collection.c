/*
 * The smallest server side of list and watch that the reflector accepts: resourceVersions grow by
 * one, a streaming list ends with the bookmark "initial-events-end", and a watch from any
 * resourceVersion is possible, because no version is ever forgotten.
 */
#include "soak/clusters/collection.h"

#include <inttypes.h>
#include <string.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "base/memory.h"

#define JSON    STR("application/json")
#define NUMBERS STR("0123456789")

void collection_init(struct collection *collection, size_t count)
{
    collection->versions = mem_alloc_zero(count * sizeof(*collection->versions));
    collection->count = count;
    for (size_t i = 0; i < count; i++)
        collection->versions[i] = ++collection->revision;
}

void collection_done(struct collection *collection)
{
    mem_free(TAKE(collection->versions));
}

void collection_change(struct collection *collection, size_t index)
{
    collection->versions[index] = ++collection->revision;
    event_wake_all(&collection->changed);
}

static void write_object(const struct collection *collection, size_t index, struct buf *out)
{
    buf_print(out, "{\"apiVersion\":\"%s\",\"kind\":\"%s\",", collection->api_version,
              collection->kind);
    collection->write(collection->data, index, collection->versions[index], out);
    buf_add_char(out, '}');
}

static struct error *answer_list(struct collection *collection, struct http_request *request)
{
    SCOPED(buf) body = {.limit = 0};
    collection->lists++;
    buf_print(&body,
              "{\"apiVersion\":\"%s\",\"kind\":\"%sList\",\"metadata\":{\"resourceVersion\":"
              "\"%" PRIu64 "\"},\"items\":[",
              collection->api_version, collection->kind, collection->revision);
    for (size_t i = 0; i < collection->count; i++) {
        if (i)
            buf_add_char(&body, ',');
        write_object(collection, i, &body);
    }
    buf_add(&body, STR("]}"));
    return http_request_answer(request, 200, JSON, buf_str(&body));
}

static struct error *answer_one(const struct collection *collection, struct http_request *request,
                                size_t index)
{
    SCOPED(buf) body = {.limit = 0};
    write_object(collection, index, &body);
    return http_request_answer(request, 200, JSON, buf_str(&body));
}

/* Events of this type for every object that is newer than a resourceVersion. */
static void write_events(const struct collection *collection, const char *type, uint64_t since,
                         struct buf *out)
{
    for (size_t i = 0; i < collection->count; i++) {
        if (collection->versions[i] <= since)
            continue;
        buf_print(out, "{\"type\":\"%s\",\"object\":", type);
        write_object(collection, i, out);
        buf_add(out, STR("}\n"));
    }
}

/* Ends the initial events of a streaming list (KEP-3157). */
static void write_end_of_list(const struct collection *collection, struct buf *out)
{
    buf_print(out,
              "{\"type\":\"BOOKMARK\",\"object\":{\"apiVersion\":\"%s\",\"kind\":\"%s\","
              "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\",\"annotations\":{"
              "\"k8s.io/initial-events-end\":\"true\"}}}}\n",
              collection->api_version, collection->kind, collection->revision);
}

/* "7" for "x" in "/path?a=b&x=7"; empty when it is not there. */
static struct str find_query(struct str target, const char *name)
{
    struct str path, part, rest = target;
    (void)str_cut(&rest, '?', &path);
    while (rest.len) {
        (void)str_cut(&rest, '&', &part);
        const struct str key = str_from_c(name);
        if (str_starts_with(part, key) && part.len > key.len && part.ptr[key.len] == '=')
            return str_skip(part, key.len + 1);
    }
    return STR("");
}

static uint64_t find_number(struct str target, const char *name)
{
    uint64_t number = 0;
    (void)str_to_uint64(find_query(target, name), &number);
    return number;
}

/* Suspends until timeoutSeconds are over (ERROR_DEADLINE) or the client is gone. */
static struct error *follow_changes(struct collection *collection, struct http_request *request,
                                    uint64_t since)
{
    for (;;) {
        SCOPED(buf) events = {.limit = 0};
        while (collection->revision == since)
            TRY(event_wait(&collection->changed, "a change"));
        write_events(collection, "MODIFIED", since, &events);
        since = collection->revision;
        TRY(http_request_write(request, buf_str(&events)));
    }
}

/* A watch, with the objects first if the request asks for a streaming list. */
static struct error *serve_watch(struct collection *collection, struct http_request *request)
{
    const struct str target = http_request_target(request);
    const uint64_t seconds = find_number(target, "timeoutSeconds");
    uint64_t since = find_number(target, "resourceVersion");
    FIBER_TIMEOUT(seconds ? (duration)seconds * SECOND : FOREVER);
    SCOPED(http_headers) headers = {0};
    SCOPED(buf) first = {.limit = 0};
    TRY(http_headers_add(&headers, STR("Content-Type"), JSON));
    TRY(http_request_respond(request, 200, &headers));
    if (str_eq(find_query(target, "sendInitialEvents"), STR("true"))) {
        collection->lists++;
        write_events(collection, "ADDED", 0, &first);
        write_end_of_list(collection, &first);
        since = collection->revision;
        TRY(http_request_write(request, buf_str(&first)));
    }
    return error_ignore(follow_changes(collection, request, since), ERROR_DEADLINE);
}

/* The object that a target names: names end in the index. False for the collection itself. */
static bool find_index(const struct collection *collection, struct str target, size_t *ret_index)
{
    struct str path, rest = target;
    uint64_t number;
    (void)str_cut(&rest, '?', &path);
    size_t begin = path.len;
    while (begin > 0 && memchr(NUMBERS.ptr, path.ptr[begin - 1], NUMBERS.len))
        begin--;
    if (!str_to_uint64(str_skip(path, begin), &number) || number >= collection->count)
        return false;
    *ret_index = (size_t)number;
    return true;
}

/* A target without a number at its end is the collection. */
struct error *collection_serve(struct collection *collection, struct http_request *request)
{
    const struct str target = http_request_target(request);
    size_t index;
    if (find_index(collection, target, &index))
        return answer_one(collection, request, index);
    if (!str_eq(find_query(target, "watch"), STR("true")))
        return answer_list(collection, request);
    collection->streams++;
    struct error *err = serve_watch(collection, request);
    collection->streams--;
    return err;
}
