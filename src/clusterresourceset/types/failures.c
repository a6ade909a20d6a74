/*
 * failures_add() finds the cause of a message in a map, whose keys are messages without the name of
 * the object. The lists are in the order in which failures came, which is that of the manifests.
 */
#include "clusterresourceset/types/failures.h"

#include "base/shorten.h"

/* Of a text for a condition: objects of a cause that are named, and bytes of its message. */
#define OBJECTS_SHOWN 3
#define MESSAGE_SHOWN ((size_t)240)

void failures_done(struct failures *failures)
{
    map_done(&failures->by_message);
}

void failures_clear(struct failures *failures)
{
    failures_done(failures);
    *failures = (struct failures){.arena = failures->arena, .objects = failures->objects};
}

bool failures_is_empty(const struct failures *failures)
{
    return !failures->first;
}

/* The message with "…" for the quoted name. */
static void write_without_name(struct buf *out, struct str message, struct str name)
{
    SCOPED(buf) quoted = {.limit = 0};
    size_t at;
    buf_print(&quoted, "\"%.*s\"", STR_ARG(name));
    while (name.len && (at = str_find(message, buf_str(&quoted))) != STR_NONE) {
        buf_add(out, str_slice(message, 0, at));
        buf_add(out, STR("\"…\""));
        message = str_skip(message, at + quoted.len);
    }
    buf_add(out, message);
}

static struct failure_cause *add_cause(struct failures *failures, struct str key, struct str reason,
                                       struct str message)
{
    struct failure_cause *cause = ARENA_NEW(failures->arena, struct failure_cause);
    cause->reason = arena_str(failures->arena, reason);
    cause->message = arena_str(failures->arena, message);
    *(failures->last ? &failures->last->next : &failures->first) = cause;
    failures->last = cause;
    failures->cause_count++;
    map_put(&failures->by_message, key, cause);
    return cause;
}

static void add_object(struct failures *failures, struct failure_cause *cause,
                       const struct failed_object *object)
{
    struct arena *arena = failures->arena;
    struct failed_object *copy = ARENA_NEW(arena, struct failed_object);
    *copy = (struct failed_object){
        .verb = arena_str(arena, object->verb),
        .api_version = arena_str(arena, object->api_version),
        .kind = arena_str(arena, object->kind),
        .namespace = arena_str(arena, object->namespace),
        .name = arena_str(arena, object->name),
        .resource = arena_str(arena, object->resource),
        .key = arena_str(arena, object->key),
        .document = object->document,
    };
    *(cause->last ? &cause->last->next : &cause->first) = copy;
    cause->last = copy;
    failures->kept++;
}

/* A cause of resources and one of objects are never the same, whatever their messages. */
static void write_key(struct buf *out, const struct failed_object *object, struct str reason,
                      struct str message)
{
    buf_print(out, "%c%.*s:", object->key.len ? 'o' : 'r', STR_ARG(reason));
    write_without_name(out, message, object->name);
}

/* A cause that is not kept has one object at least; which of them are equal is not known. */
void failures_add(struct failures *failures, const struct failed_object *object, struct str reason,
                  struct str message)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(buf) key = {.limit = 0};
    const bool is_object = object->key.len > 0;
    shorten_text(&text, message, FAILURES_MESSAGE_MAX);
    write_key(&key, object, reason, buf_str(&text));
    struct failure_cause *cause = map_find(&failures->by_message, buf_str(&key));
    failures->failed += is_object;
    if (!cause && failures->cause_count == FAILURES_CAUSES_MAX) {
        failures->omitted_causes++;
        failures->omitted_objects += is_object;
        return;
    }
    if (!cause)
        cause = add_cause(failures, buf_str(&key), reason, buf_str(&text));
    else if (cause->count == 1)
        cause->message = arena_str(failures->arena,
                                   str_skip(buf_str(&key), str_find_char(buf_str(&key), ':') + 1));
    cause->count += is_object;
    if (failures->kept < FAILURES_OBJECTS_MAX)
        add_object(failures, cause, object);
}

const struct failed_object *failures_find_single(const struct failures *failures)
{
    return failures->failed == 1 && failures->cause_count == 1 ? failures->first->first : NULL;
}

uint32_t failures_digest(const struct failures *failures)
{
    uint64_t hash = failures->failed;
    SCOPED(buf) text = {.limit = 0};
    if (failures_is_empty(failures))
        return 0;
    for (const struct failure_cause *cause = failures->first; cause; cause = cause->next) {
        hash = str_hash(cause->message, hash);
        for (const struct failed_object *object = cause->first; object; object = object->next) {
            buf_clear(&text);
            failed_object_write(object, &text);
            hash = str_hash(buf_str(&text), hash);
        }
    }
    const uint32_t digest = (uint32_t)(hash ^ (hash >> 32));
    return digest ? digest : 1;
}

void failed_object_write_place(const struct failed_object *object, struct buf *out)
{
    buf_print(out, "(%.*s, key %.*s, document %zu)", STR_ARG(object->resource),
              STR_ARG(object->key), object->document);
}

/* "Deployment ns/x" */
static void write_name(const struct failed_object *object, struct buf *out)
{
    buf_print(out, "%.*s %.*s%s%.*s", STR_ARG(object->kind), STR_ARG(object->namespace),
              object->namespace.len ? "/" : "", STR_ARG(object->name));
}

void failed_object_write(const struct failed_object *object, struct buf *out)
{
    if (!object->key.len) {
        buf_add(out, object->resource);
        return;
    }
    buf_print(out, "%.*s ", STR_ARG(object->api_version));
    write_name(object, out);
    buf_add_char(out, ' ');
    failed_object_write_place(object, out);
}

/* As Cluster API and its client library say it. */
static void write_single(const struct failed_object *object, struct str message, struct buf *out)
{
    const bool has_group = str_find_char(object->api_version, '/') != STR_NONE;
    buf_print(out, "%.*s object %s%.*s, Kind=%.*s %.*s%s%.*s: ", STR_ARG(object->verb),
              has_group ? "" : "/", STR_ARG(object->api_version), STR_ARG(object->kind),
              STR_ARG(object->namespace), object->namespace.len ? "/" : "", STR_ARG(object->name));
    buf_add(out, message);
}

/* "2 objects: no: Deployment ns/x (ConfigMap cm1, key a, document 2), Service ns/x" */
static void write_cause(const struct failure_cause *cause, struct buf *out)
{
    size_t shown = 0;
    if (cause->count)
        buf_print(out, "%zu object%s: ", cause->count, cause->count == 1 ? "" : "s");
    shorten_text(out, cause->message, MESSAGE_SHOWN);
    for (const struct failed_object *object = cause->first; object && shown < OBJECTS_SHOWN;
         object = object->next, shown++) {
        buf_add(out, shown ? STR(", ") : STR(": "));
        if (!cause->count) {
            buf_add(out, object->resource);
            continue;
        }
        write_name(object, out);
        if (shown)
            continue;
        buf_add_char(out, ' ');
        failed_object_write_place(object, out);
    }
    if (cause->count > shown)
        buf_print(out, " and %zu more", cause->count - shown);
}

void failures_write(const struct failures *failures, struct buf *out, size_t max)
{
    const struct failed_object *single = failures_find_single(failures);
    const size_t begin = out->len;
    size_t shown = 0;
    if (single && single->verb.len) { /* a record has no verbs */
        write_single(single, failures->first->message, out);
        return;
    }
    if (failures->failed)
        buf_print(out, "%zu of %zu objects failed: ", failures->failed, failures->objects);
    for (const struct failure_cause *cause = failures->first; cause; cause = cause->next, shown++) {
        SCOPED(buf) text = {.limit = 0};
        write_cause(cause, &text);
        if (shown && out->len - begin + text.len > max)
            break;
        buf_add(out, shown ? STR("; ") : STR(""));
        buf_add(out, buf_str(&text));
    }
    const size_t more = failures->cause_count - shown + failures->omitted_causes;
    if (more)
        buf_print(out, "; and %zu more cause%s", more, more == 1 ? "" : "s");
}
