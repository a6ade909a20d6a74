#include "clusterresourceset/types/delivery.h"

#include <string.h>

#include "base/map.h"
#include "clusterresourceset/types/binding.h"
#include "json/edit.h"
#include "json/json.h"
#include "json/path.h"

#define FAILED           "Failed"
#define READY            "Ready"
#define DRIFTED          "Drifted"
#define CONTESTED        "Contested"
#define SETTLING         "Settling"
#define PRUNING          "Pruning"
#define HELD             "Held"
#define APPLYING         "Applying"
#define NOT_CHECKED      "NotChecked"
#define NOT_CHECKED_TEXT "not checked since "
#define DRIFT_UNCHECKED  "DriftNotChecked"
#define DRIFT_TEXT       "drift not checked since "
#define OBJECTS_AT_LEAST 5
#define WORD_MAX         64 /* bytes of a token or a reason */
#define OMITTED_MAX      64 /* bytes of "omitted" and of what closes the record */

/* NULL without records that can be read. The caller frees the document. */
static const struct json_value *read_records(const struct object *binding,
                                             struct json_doc **ret_doc)
{
    struct str text;
    *ret_doc = NULL;
    if (!binding || !object_find_annotation(binding, STR(DELIVERY_ANNOTATION), &text))
        return NULL;
    OWNED(error) err = json_read(text, ret_doc);
    const struct json_value *root = json_doc_root(*ret_doc);
    return err || json_type(root) != JSON_OBJECT ? NULL : root;
}

bool delivery_exists(const struct object *binding, struct str set)
{
    struct json_doc *read = NULL;
    const bool is_there = json_get(read_records(binding, &read), set) != NULL;
    json_doc_free(read);
    return is_there;
}

/* Cuts the text in two in front of its last occurrence of a mark. */
static bool split_last(struct str text, struct str mark, struct str *ret_head, struct str *ret_tail)
{
    for (size_t at = text.len; at-- > 0;) {
        if (!str_starts_with(str_skip(text, at), mark))
            continue;
        *ret_head = str_slice(text, 0, at);
        *ret_tail = str_skip(text, at + mark.len);
        return true;
    }
    return false;
}

/* The opposite of failed_object_write(), from the end: names may have any form. */
static struct failed_object *read_object(struct arena *arena, struct str text)
{
    struct failed_object *object = ARENA_NEW(arena, struct failed_object);
    struct str rest = arena_str(arena, text), number, key;
    uint64_t document;
    if (!str_ends_with(rest, STR(")")) ||
        !split_last(str_slice(rest, 0, rest.len - 1), STR(", document "), &rest, &number) ||
        !str_to_uint64(number, &document) || !split_last(rest, STR(", key "), &rest, &key) ||
        !split_last(rest, STR(" ("), &rest, &object->resource)) {
        object->resource = arena_str(arena, text);
        return object;
    }
    object->key = key;
    object->document = document;
    str_cut(&rest, ' ', &object->api_version);
    str_cut(&rest, ' ', &object->kind);
    if (str_find_char(rest, '/') != STR_NONE)
        str_cut(&rest, '/', &object->namespace);
    object->name = rest;
    return object;
}

static size_t read_size(const struct json_value *value)
{
    int64_t number = 0;
    json_to_int64(value, &number);
    return number > 0 ? (size_t)number : 0;
}

/*
 * Takes since when something was not checked from a cause that says so in these words. The time is
 * written anew, so that whatever somebody wrote there cannot grow.
 */
static bool read_unchecked(const struct json_value *cause, const char *reason, const char *text,
                           struct arena *arena, struct str *ret_since)
{
    char written[TIMESTAMP_TEXT_MAX];
    timestamp since = 0;
    const struct str message = json_path_str(cause, "message");
    if (!str_eq(json_path_str(cause, "reason"), str_from_c(reason)) ||
        !str_starts_with(message, str_from_c(text)))
        return false;
    timestamp_read(str_skip(message, strlen(text)), &since);
    *ret_since = arena_str(arena, timestamp_write(since, written));
    return true;
}

/* Drift has its own states, beside which this is told. */
static bool is_overdue(const struct json_value *record)
{
    bool says_so = false;
    json_to_bool(json_get(record, STR("overdue")), &says_so);
    return says_so || str_eq(json_path_str(record, "state"), STR(FAILED));
}

static void read_cause(const struct json_value *value, struct failures *failures)
{
    struct arena *arena = failures->arena;
    struct failure_cause *cause = ARENA_NEW(arena, struct failure_cause);
    const struct json_value *item;
    cause->reason = arena_str(arena, json_path_str(value, "reason"));
    cause->message = arena_str(arena, json_path_str(value, "message"));
    cause->count = read_size(json_get(value, STR("count")));
    JSON_FOREACH (key, item, json_get(value, STR("objects"))) {
        struct failed_object *object = read_object(arena, json_to_str(item));
        *(cause->last ? &cause->last->next : &cause->first) = object;
        cause->last = object;
    }
    *(failures->last ? &failures->last->next : &failures->first) = cause;
    failures->last = cause;
    failures->cause_count++;
    failures->failed += cause->count;
}

/* A list of causes, and how many were left out of it. */
static void read_causes(const struct json_value *record, const char *list, const char *omitted,
                        struct delivery *delivery, struct failures *failures)
{
    const struct json_value *item, *left_out = json_path(record, omitted);
    struct arena *arena = failures->arena;
    JSON_FOREACH (key, item, json_path(record, list))
        if (!read_unchecked(item, NOT_CHECKED, NOT_CHECKED_TEXT, arena, &delivery->unchecked) &&
            !read_unchecked(item, DRIFT_UNCHECKED, DRIFT_TEXT, arena, &delivery->drift_unchecked))
            read_cause(item, failures);
    failures->omitted_causes = read_size(json_get(left_out, STR("causes")));
    failures->omitted_objects = read_size(json_get(left_out, STR("objects")));
    failures->failed += failures->omitted_objects;
}

static enum delivery_drift read_drift(struct str state)
{
    return str_eq(state, STR(DRIFTED))     ? DELIVERY_DRIFTED
           : str_eq(state, STR(CONTESTED)) ? DELIVERY_CONTESTED
                                           : DELIVERY_UNDRIFTED;
}

static const struct str prune_states[] = {
    [DELIVERY_PRUNE_NONE] = STR_INIT(""),         [DELIVERY_PRUNE_DONE] = STR_INIT("Done"),
    [DELIVERY_PRUNE_DUE] = STR_INIT("Due"),       [DELIVERY_PRUNE_PRUNING] = STR_INIT(PRUNING),
    [DELIVERY_PRUNE_FAILED] = STR_INIT("Failed"), [DELIVERY_PRUNE_HELD] = STR_INIT(HELD),
};

struct str delivery_prune_state_name(enum delivery_prune_state state)
{
    return prune_states[state];
}

static enum delivery_prune_state read_prune_state(const struct json_value *record)
{
    const struct str state = json_path_str(record, "prune.state");
    for (size_t i = 0; i < COUNT(prune_states); i++)
        if (str_eq(prune_states[i], state))
            return (enum delivery_prune_state)i;
    return DELIVERY_PRUNE_NONE;
}

/* Bounded, whatever somebody wrote there. */
static struct delivery_prune read_prune(const struct json_value *record, struct arena *arena)
{
    const struct json_value *prune = json_get(record, STR("prune"));
    const struct str message = json_path_str(prune, "message");
    const struct str reason = json_path_str(prune, "reason"), token = json_path_str(prune, "token");
    return (struct delivery_prune){
        .state = read_prune_state(record),
        .reason = arena_str(arena, str_slice(reason, 0, reason.len < WORD_MAX ? reason.len : 0)),
        .objects = read_size(json_get(prune, STR("objects"))),
        .kept = read_size(json_get(prune, STR("kept"))),
        .token = arena_str(arena, str_slice(token, 0, token.len < WORD_MAX ? token.len : 0)),
        .message = arena_str(arena, message.len > DELIVERY_PRUNE_MESSAGE_MAX ? STR("") : message),
    };
}

bool delivery_read(const struct object *binding, struct str set, struct arena *arena,
                   struct delivery *ret_delivery)
{
    struct json_doc *read = NULL;
    const struct json_value *record = json_get(read_records(binding, &read), set);
    OWNED(json_doc) doc = read;
    if (json_type(record) != JSON_OBJECT)
        return false;
    const struct failures none = {.arena = arena,
                                  .objects = read_size(json_get(record, STR("objects")))};
    *ret_delivery = (struct delivery){
        .state = arena_str(arena, json_path_str(record, "state")),
        .since = arena_str(arena, json_path_str(record, "since")),
        .revision = arena_str(arena, json_path_str(record, "revision")),
        .settling = arena_str(arena, json_path_str(record, "settling")),
        .is_overdue = is_overdue(record),
        .prune = read_prune(record, arena),
        .failures = none,
        .unready = none,
    };
    const bool tells_unready = ret_delivery->settling.len && !read_drift(ret_delivery->state);
    read_causes(record, "why", "omitted", ret_delivery,
                tells_unready ? &ret_delivery->unready : &ret_delivery->failures);
    if (!tells_unready)
        read_causes(record, "unready", "omittedUnready", ret_delivery, &ret_delivery->unready);
    return true;
}

/* Names no more objects than max. */
static void write_cause(const struct failure_cause *cause, size_t max, struct buf *out)
{
    SCOPED(buf) name = {.limit = 0};
    size_t shown = 0;
    buf_print(out, "{\"count\":%zu,\"reason\":", cause->count);
    buf_add_json_string(out, cause->reason);
    buf_add(out, STR(",\"message\":"));
    buf_add_json_string(out, cause->message);
    buf_add(out, STR(",\"objects\":["));
    for (const struct failed_object *object = cause->first; object && shown < max;
         object = object->next, shown++) {
        buf_clear(&name);
        failed_object_write(object, &name);
        buf_add(out, shown ? STR(",") : STR(""));
        buf_add_json_string(out, buf_str(&name));
    }
    buf_add(out, STR("]}"));
}

/* Every object of every cause. Returns false if that takes more room than there is. */
static bool write_all_causes(const struct failures *failures, size_t room, struct buf *out)
{
    const size_t begin = out->len;
    if (failures->omitted_causes || failures->cause_count > room)
        return false;
    for (const struct failure_cause *cause = failures->first; cause; cause = cause->next) {
        buf_add(out, cause == failures->first ? STR("") : STR(","));
        write_cause(cause, room, out);
        if (out->len - begin <= room)
            continue;
        buf_truncate(out, begin);
        return false;
    }
    return true;
}

/* As many causes as fit, and how many were left out. */
static void write_some_causes(const struct failures *failures, const char *omitted, size_t room,
                              struct buf *out)
{
    const size_t begin = out->len;
    const struct failure_cause *cause = failures->first;
    size_t causes = failures->omitted_causes, objects = failures->omitted_objects;
    for (; cause; cause = cause->next) {
        SCOPED(buf) text = {.limit = 0};
        write_cause(cause, OBJECTS_AT_LEAST, &text);
        if (out->len - begin + text.len + 1 > room)
            break;
        buf_add(out, cause == failures->first ? STR("") : STR(","));
        buf_add(out, buf_str(&text));
    }
    for (; cause; cause = cause->next) {
        causes++;
        objects += cause->count;
    }
    buf_add_char(out, ']');
    if (causes)
        buf_print(out, ",\"%s\":{\"causes\":%zu,\"objects\":%zu}", omitted, causes, objects);
}

/* Each kind is written once, up to the limit. */
static void write_kind(struct map *seen, struct str kind, struct buf *out)
{
    if (!kind.len || map_count(seen) >= DELIVERY_KINDS_MAX || map_has(seen, kind))
        return;
    buf_add(out, map_count(seen) ? STR(",") : STR(""));
    buf_add_json_string(out, kind);
    map_put(seen, kind, NULL);
}

/* Kinds that are recorded stay, in their places: prune and drift go by them. */
static void write_kinds(const struct json_value *before, const struct delivery_progress *progress,
                        struct buf *out)
{
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *kind;
    JSON_FOREACH (key, kind, json_get(before, STR("kinds")))
        write_kind(&seen, json_to_str(kind), out);
    for (size_t i = 0; i < progress->kind_count; i++)
        write_kind(&seen, progress->kinds[i], out);
}

/* The time of the state stays as long as state and revision do. */
static struct str find_since(const struct json_value *before, const char *state,
                             const struct delivery_outcome *outcome)
{
    const struct str revision = outcome->progress ? outcome->progress->revision : STR("");
    const struct str since = json_path_str(before, "since");
    const bool is_same = str_eq(json_path_str(before, "state"), str_from_c(state)) &&
                         str_eq(json_path_str(before, "revision"), revision);
    return is_same && since.len && since.len <= outcome->now.len ? since : outcome->now;
}

static void write_word(struct buf *out, const char *name, struct str word)
{
    if (!word.len)
        return;
    buf_print(out, ",\"%s\":", name);
    buf_add_json_string(out, word);
}

static void write_prune(const struct delivery_prune *prune, struct buf *out)
{
    buf_print(out, "{\"state\":\"%.*s\"", STR_ARG(prune_states[prune->state]));
    write_word(out, "reason", prune->reason);
    if (prune->objects)
        buf_print(out, ",\"objects\":%zu", prune->objects);
    if (prune->kept)
        buf_print(out, ",\"kept\":%zu", prune->kept);
    write_word(out, "token", prune->token);
    write_word(out, "message", prune->message);
    buf_add_char(out, '}');
}

/* The state of a set that is well but for what is to be pruned. */
static const char *name_prune_state(enum delivery_prune_state state)
{
    return state == DELIVERY_PRUNE_HELD ? HELD : state >= DELIVERY_PRUNE_PRUNING ? PRUNING : READY;
}

/* What the outcome says of prune; nothing is known of it for another revision. */
static struct delivery_prune find_prune(const struct json_value *before,
                                        const struct delivery_outcome *outcome, struct arena *arena)
{
    if (outcome->is_prune_due)
        return (struct delivery_prune){.state = DELIVERY_PRUNE_DUE};
    if (!outcome->progress || !outcome->keeps_prune ||
        !str_eq(json_path_str(before, "revision"), outcome->progress->revision))
        return (struct delivery_prune){0};
    return read_prune(before, arena);
}

/* What was not applied or has drifted is told first: what is not ready may follow from it. */
static const char *name_state(const struct delivery_outcome *outcome,
                              enum delivery_prune_state prune)
{
    static const char *const drifts[] = {[DELIVERY_UNDRIFTED] = FAILED,
                                         [DELIVERY_DRIFTED] = DRIFTED,
                                         [DELIVERY_CONTESTED] = CONTESTED};
    if (outcome->progress && outcome->progress->is_applying)
        return APPLYING;
    if (!failures_is_empty(outcome->failures))
        return drifts[outcome->drift];
    if (!outcome->unready)
        return name_prune_state(prune);
    return outcome->unready->is_overdue ? FAILED : SETTLING;
}

static size_t count_ready(const struct delivery_outcome *outcome)
{
    const size_t objects = outcome->failures->objects;
    const size_t others = outcome->unready ? outcome->unready->count : outcome->failures->failed;
    return others < objects ? objects - others : 0;
}

/* How far the cluster has come with a revision of a set with waves. */
static void write_turn(const struct json_value *before, const char *state,
                       const struct delivery_progress *progress, struct buf *out)
{
    bool was_done = false;
    if (str_eq(json_path_str(before, "revision"), progress->revision))
        json_to_bool(json_get(before, STR("done")), &was_done);
    if (progress->attempts)
        buf_print(out, ",\"attempts\":%zu", progress->attempts);
    if (was_done || str_eq(str_from_c(state), STR(READY)))
        buf_add(out, STR(",\"done\":true"));
}

/* What comes before the causes, and is never cut. */
static void write_head(const struct json_value *before, const struct delivery_outcome *outcome,
                       struct buf *out)
{
    SCOPED(arena) arena = {0};
    const struct delivery_progress *progress = outcome->progress;
    const struct delivery_prune prune = find_prune(before, outcome, &arena);
    const char *state = name_state(outcome, prune.state);
    buf_add_char(out, '{');
    if (progress) {
        buf_add(out, STR("\"revision\":"));
        buf_add_json_string(out, progress->revision);
        if (progress->values.len) {
            buf_add(out, STR(",\"values\":"));
            buf_add_json_string(out, progress->values);
        }
        buf_add(out, progress->is_incomplete ? STR(",\"incomplete\":true,") : STR(","));
    }
    buf_print(out, "\"state\":\"%s\",\"since\":", state);
    buf_add_json_string(out, find_since(before, state, outcome));
    if (outcome->unready) {
        buf_add(out, STR(",\"settling\":"));
        buf_add_json_string(out, outcome->unready->since);
        if (outcome->unready->is_overdue && outcome->drift)
            buf_add(out, STR(",\"overdue\":true"));
    }
    buf_print(out, ",\"objects\":%zu", outcome->failures->objects);
    if (!progress)
        return;
    if (progress->has_waves)
        write_turn(before, state, progress, out);
    buf_print(out, ",\"ready\":%zu,\"kinds\":[", count_ready(outcome));
    write_kinds(before, progress, out);
    buf_add(out, STR("],\"digest\":"));
    buf_add_json_string(out,
                        progress->digest.len ? progress->digest : json_path_str(before, "digest"));
    if (prune.state) {
        buf_add(out, STR(",\"prune\":"));
        write_prune(&prune, out);
    }
}

/* A list of causes in a record. */
struct cause_list {
    const char *name, *omitted;
    const struct failures *causes;
    struct str unchecked;       /* since when nobody has checked; empty: the list does not say so */
    struct str drift_unchecked; /* the same of drift */
};

/* An element that says since when something was not checked, if it was not. */
static void write_unchecked(const char *reason, const char *text, struct str since, struct buf *out)
{
    SCOPED(buf) message = {.limit = 0};
    if (!since.len)
        return;
    buf_print(&message, "%s%.*s", text, STR_ARG(since));
    buf_print(out, "%s{\"count\":0,\"reason\":\"%s\",\"message\":",
              str_ends_with(buf_str(out), STR("[")) ? "" : ",", reason);
    buf_add_json_string(out, buf_str(&message));
    buf_add_char(out, '}');
}

/* Nothing for an empty list. room is what is left for it. */
static void write_list(const struct cause_list *list, size_t room, struct buf *out)
{
    const size_t begin = out->len;
    const bool is_empty = failures_is_empty(list->causes);
    const bool is_unchecked = list->unchecked.len || list->drift_unchecked.len;
    if (is_empty && !is_unchecked)
        return;
    buf_print(out, ",\"%s\":[", list->name);
    write_unchecked(NOT_CHECKED, NOT_CHECKED_TEXT, list->unchecked, out);
    write_unchecked(DRIFT_UNCHECKED, DRIFT_TEXT, list->drift_unchecked, out);
    if (is_unchecked && !is_empty)
        buf_add_char(out, ',');
    const size_t taken = out->len - begin + OMITTED_MAX;
    const size_t left = room > taken ? room - taken : 0;
    if (write_all_causes(list->causes, left, out))
        buf_add_char(out, ']');
    else
        write_some_causes(list->causes, list->omitted, left, out);
}

static void write_record(const struct json_value *before, const struct delivery_outcome *outcome,
                         size_t room, struct buf *out)
{
    const struct delivery_unready *unready = outcome->unready;
    const bool has_failed = !failures_is_empty(outcome->failures);
    const struct cause_list why = {"why", "omitted",
                                   has_failed || !unready ? outcome->failures : unready->why,
                                   outcome->unchecked, outcome->drift_unchecked};
    const size_t begin = out->len;
    write_head(before, outcome, out);
    write_list(&why, room > out->len - begin ? room - (out->len - begin) : 0, out);
    if (has_failed && unready) {
        const struct cause_list rest = {"unready", "omittedUnready", unready->why, STR(""),
                                        STR("")};
        write_list(&rest, room > out->len - begin ? room - (out->len - begin) : 0, out);
    }
    buf_add_char(out, '}');
}

/* Bytes of the annotations other than ours. */
static size_t count_annotations(const struct object *binding)
{
    const struct json_value *value;
    size_t bytes = 0;
    JSON_FOREACH (key, value, object_annotations(binding))
        if (!str_eq(key, STR(DELIVERY_ANNOTATION)))
            bytes += key.len + json_to_str(value).len;
    return bytes + sizeof(DELIVERY_ANNOTATION);
}

/* A record in its place: a set that is tried again with the same outcome changes nothing. */
static void add_record(struct buf *out, struct str set, struct str record)
{
    if (!record.len)
        return;
    buf_add(out, out->len > 1 ? STR(",") : STR(""));
    buf_add_json_string(out, set);
    buf_add_char(out, ':');
    buf_add(out, record);
}

/* Bytes of the records of other sets. */
static size_t count_records(const struct json_value *records, struct str set)
{
    SCOPED(buf) text = {.limit = 0};
    const struct json_value *record;
    size_t bytes = 0;
    JSON_FOREACH (key, record, records) {
        if (str_eq(key, set))
            continue;
        buf_clear(&text);
        json_write(&text, record);
        bytes += text.len + key.len + sizeof("\"\":,");
    }
    return bytes;
}

/* Bytes that are left for the record of the set. */
static size_t find_room(const struct object *binding, const struct json_value *records,
                        struct str set)
{
    const size_t others =
        count_annotations(binding) + count_records(records, set) + set.len + OMITTED_MAX;
    return others < DELIVERY_ANNOTATIONS_MAX ? DELIVERY_ANNOTATIONS_MAX - others : 0;
}

/*
 * A record that does not even fit without its causes is left out. What a policy goes by may take
 * more than causes may, as long as the binding has room.
 */
static void make_record(const struct object *binding, const struct json_value *records,
                        struct str set, const struct delivery_outcome *outcome, struct buf *out)
{
    const size_t room = find_room(binding, records, set);
    const size_t most = room < DELIVERY_RECORD_MAX ? room : DELIVERY_RECORD_MAX;
    write_record(json_get(records, set), outcome, most, out);
    if (out->len > (outcome->progress ? room : most))
        buf_clear(out);
}

/* All records, with this one as that of the set; empty: without it. */
static void write_records(const struct object *binding, const struct json_value *records,
                          struct str set, struct str own, struct buf *out)
{
    SCOPED(buf) other = {.limit = 0};
    const struct json_value *record;
    buf_add_char(out, '{');
    JSON_FOREACH (key, record, records) {
        const bool is_own = str_eq(key, set);
        if (!is_own && !binding_has_entry(binding, key))
            continue;
        buf_clear(&other);
        json_write(&other, record);
        add_record(out, key, is_own ? own : buf_str(&other));
    }
    if (!json_get(records, set))
        add_record(out, set, own);
    buf_add_char(out, '}');
    if (out->len == 2)
        buf_clear(out);
}

void delivery_write(const struct object *binding, struct str set,
                    const struct delivery_outcome *outcome, struct buf *out)
{
    struct json_doc *read = NULL;
    const struct json_value *records = read_records(binding, &read);
    OWNED(json_doc) doc = read;
    SCOPED(buf) own = {.limit = 0};
    if (outcome && (outcome->progress || !failures_is_empty(outcome->failures)))
        make_record(binding, records, set, outcome, &own);
    write_records(binding, records, set, buf_str(&own), out);
}

bool delivery_find_prune(const struct object *binding, struct str set, struct arena *arena,
                         struct delivery_prune *ret_prune)
{
    struct json_doc *read = NULL;
    const struct json_value *record = json_get(read_records(binding, &read), set);
    OWNED(json_doc) doc = read;
    *ret_prune = read_prune(record, arena);
    return ret_prune->state != DELIVERY_PRUNE_NONE;
}

struct delivery_kinds delivery_read_kinds(const struct object *binding, struct str set,
                                          struct arena *arena)
{
    struct json_doc *read = NULL;
    const struct json_value *kinds =
        json_get(json_get(read_records(binding, &read), set), STR("kinds"));
    OWNED(json_doc) doc = read;
    struct delivery_kinds found = {
        .items = arena_alloc_array(arena, json_count(kinds) + 1, sizeof(*found.items))};
    const struct json_value *kind;
    JSON_FOREACH (key, kind, kinds)
        if (json_to_str(kind).len && found.count < DELIVERY_KINDS_MAX)
            found.items[found.count++] = arena_str(arena, json_to_str(kind));
    return found;
}

static bool has_kind(struct delivery_kinds kinds, struct str kind)
{
    for (size_t i = 0; i < kinds.count; i++)
        if (str_eq(kinds.items[i], kind))
            return true;
    return false;
}

static struct error *read_kinds_left(const struct json_value *record, struct delivery_kinds gone,
                                     struct json_doc **ret_doc)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(map) seen = {.release = NULL};
    const struct json_value *kind;
    buf_add_char(&text, '[');
    JSON_FOREACH (key, kind, json_get(record, STR("kinds")))
        if (!has_kind(gone, json_to_str(kind)))
            write_kind(&seen, json_to_str(kind), &text);
    buf_add_char(&text, ']');
    return json_read(buf_str(&text), ret_doc);
}

/* State and time change only if nothing graver is told. */
static void edit_state(struct json_edit *edit, const struct json_value *record,
                       enum delivery_prune_state prune, struct str now)
{
    const struct str before = json_path_str(record, "state");
    const struct str state = str_from_c(name_prune_state(prune));
    if (str_eq(before, state) || (!str_eq(before, STR(READY)) && !str_eq(before, STR(PRUNING)) &&
                                  !str_eq(before, STR(HELD))))
        return;
    json_edit_set_str(edit, JSON_PLACE("state"), state);
    json_edit_set_str(edit, JSON_PLACE("since"), now);
}

static struct error *edit_prune(const struct json_value *record, const struct delivery_prune *prune,
                                struct delivery_kinds gone, struct str now,
                                struct json_doc **ret_doc)
{
    SCOPED(buf) text = {.limit = 0};
    SCOPED(json_edit) edit;
    OWNED(json_doc) told = NULL;
    OWNED(json_doc) kinds = NULL;
    write_prune(prune, &text);
    TRY(json_read(buf_str(&text), &told));
    TRY(read_kinds_left(record, gone, &kinds));
    json_edit_init(&edit, record);
    edit_state(&edit, record, prune->state, now);
    json_edit_set(&edit, JSON_PLACE("kinds"), json_doc_root(kinds));
    if (prune->state)
        json_edit_set(&edit, JSON_PLACE("prune"), json_doc_root(told));
    else
        json_edit_remove(&edit, JSON_PLACE("prune"));
    return json_edit_finish(&edit, ret_doc);
}

/* A record that cannot be changed stays as it is. The message is left out if there is no room. */
void delivery_write_prune(const struct object *binding, struct str set,
                          const struct delivery_prune *prune, struct delivery_kinds gone,
                          struct str now, struct buf *out)
{
    struct json_doc *read = NULL;
    const struct json_value *records = read_records(binding, &read);
    const struct json_value *record = json_get(records, set);
    OWNED(json_doc) doc = read;
    OWNED(json_doc) edited = NULL;
    SCOPED(buf) own = {.limit = 0};
    SCOPED(buf) before = {.limit = 0};
    struct delivery_prune told = *prune;
    json_write(&before, record);
    if (before.len + DELIVERY_PRUNE_MESSAGE_MAX + OMITTED_MAX > find_room(binding, records, set))
        told.message = STR("");
    OWNED(error)
    err = json_type(record) == JSON_OBJECT ? edit_prune(record, &told, gone, now, &edited) : NULL;
    if (edited || record)
        json_write(&own, edited ? json_doc_root(edited) : record);
    write_records(binding, records, set, buf_str(&own), out);
}

/* Whether objects of the set are deleted because the cluster loses it: some may be gone. */
static bool is_withdrawn(const struct json_value *record)
{
    const enum delivery_prune_state state = read_prune_state(record);
    const struct str reason = json_path_str(record, "prune.reason");
    return (state == DELIVERY_PRUNE_PRUNING || state == DELIVERY_PRUNE_FAILED) &&
           !str_eq(reason, STR("Removed"));
}

bool delivery_find_mark(const struct object *binding, struct str set,
                        struct delivery_mark *ret_mark)
{
    struct json_doc *read = NULL;
    const struct json_value *record = json_get(read_records(binding, &read), set);
    OWNED(json_doc) doc = read;
    const struct str revision = json_path_str(record, "revision");
    if (revision.len != DELIVERY_REVISION_LEN)
        return false;
    const struct str state = json_path_str(record, "state"),
                     digest = json_path_str(record, "digest");
    const struct str settling = json_path_str(record, "settling"),
                     values = json_path_str(record, "values");
    const struct json_value *cause;
    *ret_mark = (struct delivery_mark){.drift = read_drift(state),
                                       .is_unready = settling.len > 0,
                                       .prune = read_prune_state(record)};
    ret_mark->is_applied = !is_withdrawn(record) &&
                           (ret_mark->drift || ret_mark->is_unready || str_eq(state, STR(READY)) ||
                            str_eq(state, STR(PRUNING)) || str_eq(state, STR(HELD)));
    ret_mark->is_overdue = ret_mark->is_unready && is_overdue(record);
    ret_mark->has_failed = !ret_mark->is_applied && str_eq(state, STR(FAILED));
    ret_mark->attempts = read_size(json_get(record, STR("attempts")));
    json_to_bool(json_get(record, STR("done")), &ret_mark->was_done);
    timestamp_read(settling, &ret_mark->unready_since);
    JSON_FOREACH (key, cause, json_get(record, STR("why")))
        ret_mark->is_drift_unchecked |=
            str_eq(json_path_str(cause, "reason"), STR(DRIFT_UNCHECKED));
    memcpy(ret_mark->revision, revision.ptr, revision.len);
    if (digest.len == DELIVERY_DIGEST_LEN)
        memcpy(ret_mark->digest, digest.ptr, digest.len);
    if (values.len == VALUES_DIGEST_LEN)
        memcpy(ret_mark->values, values.ptr, values.len);
    json_to_bool(json_get(record, STR("incomplete")), &ret_mark->is_incomplete);
    return true;
}
