/*
 * A list is collected first (references to texts) and written afterwards.
 *
 * Collecting scans the store in slices of SLICE objects and yields between them. All slices are
 * read at the revision of the first one, so the list is consistent although writes go on. Selectors
 * are applied between the slices, because that takes time and may need a conversion webhook. A
 * page that is full ends with a continue token: the revision and the last key. If the history has
 * dropped that revision by the next page, the client gets 410 and a token that continues with the
 * newest state.
 *
 * Writing sends pieces of PIECE bytes once a list is longer than that; a short one is sent whole,
 * with Content-Length and possibly compressed. An item takes time by its size, not by what is
 * written of it, so that each one gives others a chance.
 */
#include "apiserver/endpoints/handle_list.h"

#include <stdlib.h>

#include "apimachinery/object.h"
#include "apimachinery/status.h"
#include "apiserver/api.h"
#include "apiserver/crd/crd_conversion.h"
#include "apiserver/endpoints/continue_token.h"
#include "apiserver/endpoints/inflight_limits.h"
#include "apiserver/endpoints/kind_fields.h"
#include "apiserver/endpoints/response.h"
#include "apiserver/storage/store_hold.h"
#include "apiserver/webhooks/webhook_conversion.h"
#include "async/compute.h"
#include "async/fiber.h"
#include "base/array.h"
#include "base/memory.h"
#include "http/server.h"
#include "json/edit.h"
#include "json/path.h"

/* Objects of a slice, their bytes if they are selected from, and bytes that are sent at a time. */
#define SLICE 256
#define PIECE (256 * KILOBYTE)

void list_result_done(struct list_result *list)
{
    for (size_t i = 0; i < list->count; i++)
        object_text_free(list->items[i]);
    mem_free(list->items);
}

static void add_item(struct list_result *list, struct object_text *text)
{
    ARRAY_PUSH(list->items, list->count, list->capacity, object_text_ref(text));
}

static bool has_selectors(const struct list_options *options)
{
    return options->has_labels || options->has_fields;
}

bool handle_list_selects(const struct kind *kind, const struct list_options *options,
                         const struct object_text *text)
{
    OWNED(json_doc) doc = NULL;
    if (!has_selectors(options))
        return true;
    OWNED(error) err = codec_read_stored(kind, text, &doc);
    if (err)
        return false;
    const struct json_value *root = json_doc_root(doc);
    return selector_matches(&options->labels, json_path(root, "metadata.labels")) &&
           kind_fields_match(kind, &options->fields, root);
}

/* One collection under way. */
struct visit {
    const struct request *request;
    const struct list_options *options;
    struct list_result *list;
    struct key last;        /* the key behind which the next slice begins; in the buffers below */
    size_t visited, parsed; /* of this slice: objects, and bytes of those that are parsed */
    bool full;
    struct list_result slice; /* that is selected from when it has been visited */
    struct buf last_namespace, last_name;
};

static void visit_done(struct visit *visit)
{
    list_result_done(&visit->slice);
    buf_done(&visit->last_namespace);
    buf_done(&visit->last_name);
}

/* The store lends its keys for the call alone, and the next slice begins behind this one. */
static void remember_key(struct visit *visit, struct key key)
{
    buf_clear(&visit->last_namespace);
    buf_clear(&visit->last_name);
    buf_add(&visit->last_namespace, key.namespace);
    buf_add(&visit->last_name, key.name);
    visit->last = (struct key){buf_str(&visit->last_namespace), buf_str(&visit->last_name)};
}

/* The object is selected. It may be the last one of the page. */
static void take_item(struct visit *visit, struct object_text *text)
{
    add_item(visit->list, text);
    visit->full = visit->options->limit && visit->list->count == visit->options->limit;
}

/* Ends the slice when the page is full, or after SLICE objects or PIECE bytes to parse. */
static bool visit_one(void *data, struct key key, struct object_text *text)
{
    struct visit *visit = data;
    visit->visited++;
    if (has_selectors(visit->options)) {
        visit->parsed += object_text_size(text);
        add_item(&visit->slice, text);
    } else {
        take_item(visit, text);
    }
    const bool is_over = visit->full || visit->visited >= SLICE || visit->parsed >= PIECE;
    if (is_over)
        remember_key(visit, key);
    return !is_over;
}

static bool count_one(void *data, struct key key, struct object_text *text)
{
    size_t *count = data;
    (void)key;
    (void)text;
    ++*count;
    return true;
}

/* The page is full. Counts the objects behind it and makes the continue token if there are any. */
static struct error *look_behind(const struct visit *visit, const struct store_range *range)
{
    const struct request *request = visit->request;
    struct list_result *list = visit->list;
    struct store_range rest = *range;
    struct store_page page;
    size_t behind = 0;
    rest.after = visit->last;
    rest.revision = list->revision;
    TRY(store_scan(request->api->store, &rest, count_one, &behind, &page));
    if (behind == 0)
        return NULL;
    list->has_remaining = !visit->options->has_labels && !visit->options->has_fields;
    list->remaining = behind;
    list->continue_token =
        continue_token_write(request->arena, list->revision, request->namespace, visit->last);
    return NULL;
}

/* An object that selectors are applied to, perhaps on a worker thread. */
struct choice {
    const struct kind *kind;
    const struct list_options *options;
    const struct object_text *text;
    bool is_selected;
};

static struct error *choose_item(void *data)
{
    struct choice *choice = data;
    choice->is_selected = handle_list_selects(choice->kind, choice->options, choice->text);
    return NULL;
}

/* handle_list_selects() for a fiber. Many requirements take time with small objects, too. */
static struct error *select_item(const struct kind *kind, const struct list_options *options,
                                 const struct object_text *text, bool *ret_is_selected)
{
    struct choice choice = {kind, options, text, false};
    TRY(fiber_yield_in_time());
    TRY(compute_sized(object_text_size(text), choose_item, &choice));
    *ret_is_selected = choice.is_selected;
    return NULL;
}

/* Selects from a slice that was only collected. A page that is full ends in the middle of it. */
static struct error *select_slice(struct visit *visit)
{
    const struct kind *kind = visit->request->kind;
    struct list_result *slice = &visit->slice;
    size_t ready = 0;
    for (size_t i = 0; i < slice->count && !visit->full; i++) {
        bool is_selected;
        if (i == ready)
            TRY(webhook_conversion_prepare(kind, slice->items, slice->count, i, &ready));
        TRY(select_item(kind, visit->options, slice->items[i], &is_selected));
        if (is_selected)
            take_item(visit, slice->items[i]);
        if (visit->full)
            remember_key(visit, object_text_key(slice->items[i]));
    }
    list_result_done(slice);
    *slice = (struct list_result){0};
    return NULL;
}

/* Visits slice by slice until the page is full or the range ends. */
static struct error *scan_range(struct visit *visit, struct store_range *range)
{
    struct store_page page;
    while (true) {
        visit->visited = visit->parsed = 0;
        TRY(store_scan(visit->request->api->store, range, visit_one, visit, &page));
        visit->list->revision = page.revision;
        TRY(select_slice(visit));
        if (visit->full)
            return look_behind(visit, range);
        if (!page.has_more)
            return NULL;
        range->revision = page.revision;
        range->after = visit->last;
        TRY(fiber_yield());
    }
}

/*
 * Which revision a list is read at: that of the token, an exact one, or the newest one that is not
 * older than the given resourceVersion.
 */
static struct error *choose_revision(const struct request *request,
                                     const struct list_options *options, struct store_range *range)
{
    if (options->continue_token.len) {
        TRY(continue_token_read(request->arena, options->continue_token, request->namespace,
                                &range->revision, &range->after));
        if (options->version.len && !str_eq(options->version, STR("0")))
            return status_bad_request(
                "specifying resource version is not allowed when using continue");
        return NULL;
    }
    if (options->revision == 0)
        return NULL;
    TRY(api_wait_revision(request->api, options->revision));
    if (options->match == MATCH_EXACT || (options->match == MATCH_UNSET && options->limit))
        range->revision = options->revision;
    return NULL;
}

/* A field selector on metadata.name needs no scan. */
static struct error *collect_one(const struct request *request, const struct list_options *options,
                                 struct str name, struct list_result *list)
{
    SCOPED(store_object) found = {0};
    const struct key key = request_key(request, name);
    list->revision = store_revision(request->api->store);
    struct error *err = store_get(request->api->store, api_id(request->kind, key), &found);
    if (err)
        return error_ignore(err, ERROR_NOT_FOUND);
    size_t ready;
    bool is_selected;
    TRY(webhook_conversion_prepare(request->kind, &found.text, 1, 0, &ready));
    TRY(select_item(request->kind, options, found.text, &is_selected));
    if (is_selected)
        add_item(list, found.text);
    return NULL;
}

struct error *handle_list_collect(const struct request *request, const struct list_options *options,
                                  struct list_result *list)
{
    SCOPED(visit) visit = {.request = request, .options = options, .list = list};
    struct list_options effective = *options;
    struct str name;
    struct store_range range = {.resource = request->kind->stored_as,
                                .namespace = request->namespace};
    if (str_eq(options->version, STR("0")))
        effective.limit = 0;
    visit.options = &effective;
    TRY(choose_revision(request, &effective, &range));
    const bool is_newest = range.revision == 0 && range.after.name.len == 0;
    if (is_newest && (request->namespace.len || !request->kind->namespaced) &&
        field_selector_find_exact(&options->fields, STR("metadata.name"), &name))
        return collect_one(request, &effective, name, list);
    struct error *err = scan_range(&visit, &range);
    if (error_is(err, ERROR_EXPIRED)) {
        error_free(err);
        return status_expired(STR("The resourceVersion for the provided list is too old."));
    }
    if (error_is(err, ERROR_TIMEOUT)) {
        error_free(err);
        return status_version_too_large(range.revision, store_revision(request->api->store));
    }
    return err;
}

/* A row of a Table with the number that it is sorted by. */
struct ordered_row {
    int64_t number;
    size_t index; /* in the order of keys */
    struct object_text *text;
};

static int compare_rows(const void *a, const void *b)
{
    const struct ordered_row *left = a, *right = b;
    if (left->number != right->number)
        return left->number < right->number ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

/* Puts the items of a Table in the order that the kind has for its rows. Suspends. */
static struct error *order_rows(const struct request *request, const struct list_result *list)
{
    const size_t count = list->count;
    if (!request->kind->row_order || count < 2)
        return NULL;
    struct ordered_row *rows = arena_alloc_array(request->arena, count, sizeof(*rows));
    for (size_t i = 0; i < count; i++) {
        OWNED(json_doc) doc = NULL;
        rows[i] = (struct ordered_row){0, i, list->items[i]};
        TRY(codec_read_stored(request->kind, list->items[i], &doc));
        (void)json_to_int64(json_path(json_doc_root(doc), request->kind->row_order),
                            &rows[i].number);
        TRY(fiber_yield_in_time());
    }
    qsort(rows, count, sizeof(*rows), compare_rows);
    for (size_t i = 0; i < count; i++)
        list->items[i] = rows[i].text;
    return NULL;
}

static struct error *flush_response(const struct request *request, struct buf *out)
{
    TRY(http_request_write(request->http, buf_str(out)));
    buf_clear(out);
    return NULL;
}

/* Objects whose conversion is asked for in one call, at most. */
#define PREPARED_MAX   128
#define PREPARED_BYTES (1 * MEGABYTE)

/* References to the items that a webhook converts; it may take long. */
struct prepared {
    struct object_text *items[PREPARED_MAX];
    size_t count;
};

static void prepared_done(struct prepared *prepared)
{
    for (size_t i = 0; i < prepared->count; i++)
        object_text_free(prepared->items[i]);
}

struct error *handle_list_prepare(const struct kind *kind, const struct store_hold *hold,
                                  size_t *ready)
{
    SCOPED(prepared) prepared = {.count = 0};
    const size_t begin = *ready;
    if (!crd_conversions_of(kind)) {
        *ready = hold->count;
        return NULL;
    }
    for (size_t bytes = 0, i = begin;
         i < hold->count && prepared.count < PREPARED_MAX && bytes < PREPARED_BYTES; i++) {
        TRY(store_hold_ref(hold, i, &prepared.items[prepared.count]));
        bytes += object_text_size(prepared.items[prepared.count++]);
    }
    size_t end;
    TRY(webhook_conversion_prepare(kind, prepared.items, prepared.count, 0, &end));
    *ready = begin + end;
    return NULL;
}

/* A list that is being written. */
struct list_writing {
    const struct request *request;
    const struct list_result *list;
    struct codec codec;
    struct str type;
    struct store_hold hold;
    struct buf out;
    size_t ready; /* items whose conversion is known */
    size_t left;  /* bytes of the items that are not written yet */
    size_t held;  /* bytes that count against inflight_limits until the next piece is sent */
    bool is_streaming;
};

static void list_writing_done(struct list_writing *writing)
{
    store_hold_end(&writing->hold);
    buf_done(&writing->out);
}

/*
 * What the history does not know any more is kept for a client who reads slowly as long as its user
 * has room for it.
 */
static bool keeps_old_items(void *data)
{
    const struct list_writing *writing = data;
    struct error *err = inflight_limits_hold(writing->request->pass, writing->left);
    error_free(err);
    return !err;
}

static struct error *send_piece(struct list_writing *writing)
{
    const struct request *request = writing->request;
    if (!writing->is_streaming)
        TRY(response_begin_stream(request, writing->type));
    writing->is_streaming = true;
    TRY(flush_response(request, &writing->out));
    inflight_limits_give(request->pass, writing->held);
    writing->held = 0;
    return fiber_yield();
}

/* The text is released before the client takes what was written of it. */
static struct error *write_item(struct list_writing *writing, size_t place)
{
    struct store_hold *hold = &writing->hold;
    OWNED(object_text) text = NULL;
    size_t size;
    if (place == writing->ready)
        TRY(handle_list_prepare(writing->codec.kind, hold, &writing->ready));
    TRY(store_hold_size(hold, place, &size));
    if (size > INFLIGHT_LIMITS_BYTES_MIN) {
        TRY(inflight_limits_wait(writing->request->pass, size));
        writing->held += size;
    }
    TRY(store_hold_take(hold, place, &text));
    writing->left -= size;
    return codec_list_item(&writing->out, &writing->codec, text, place == 0);
}

static struct error *write_items(struct list_writing *writing)
{
    for (size_t i = 0; i < writing->list->count; i++) {
        TRY(fiber_yield_in_time());
        TRY(write_item(writing, i));
        if (writing->out.len >= PIECE)
            TRY(send_piece(writing));
    }
    return NULL;
}

static struct error *write_list(struct list_writing *writing)
{
    const struct list_result *list = writing->list;
    const struct codec_list_metadata metadata = {list->count == 0, list->revision,
                                                 list->continue_token, list->has_remaining,
                                                 list->remaining};
    codec_list_begin(&writing->out, &writing->codec);
    TRY(write_items(writing));
    codec_list_end(&writing->out, &writing->codec, &metadata);
    TRY(buf_check(&writing->out));
    return writing->is_streaming
               ? flush_response(writing->request, &writing->out)
               : response_send_body(writing->request, 200, writing->type, buf_str(&writing->out));
}

/* The size of all items. Suspends. */
static struct error *count_bytes(const struct list_result *list, size_t *ret_bytes)
{
    *ret_bytes = 0;
    for (size_t i = 0; i < list->count; i++) {
        *ret_bytes += object_text_size(list->items[i]);
        if (i % SLICE == SLICE - 1)
            TRY(fiber_yield_in_time());
    }
    return NULL;
}

/*
 * Writes the items of the list, which it takes. With is_held they are given up when they are of too
 * old a revision and there is no room for them; the client has to list again.
 */
static struct error *respond_items(const struct request *request,
                                   const struct response_format *format,
                                   const struct list_result *list, bool is_held)
{
    SCOPED(list_writing)
    writing = {
        .request = request,
        .list = list,
        .codec = {*format,              request->kind, request->now},
        .type = format->is_yaml ? STR("application/yaml") : STR("application/json"),
        .hold = {.items = list->items,        .count = list->count, .revision = list->revision},
        .out = {.limit = 0},
    };
    TRY(negotiate_check(request, format));
    TRY(count_bytes(list, &writing.left));
    writing.hold.keeps = keeps_old_items;
    writing.hold.data = &writing;
    if (is_held && list->count)
        store_hold_begin(request->api->store, request->kind->stored_as, &writing.hold);
    struct error *err = write_list(&writing);
    if (!error_is(err, ERROR_EXPIRED) || webhook_conversion_has_failed(request->kind) ||
        writing.is_streaming)
        return err;
    error_free(err);
    return status_expired(STR("The resourceVersion for the provided list is too old."));
}

struct error *handle_list_respond(const struct request *request,
                                  const struct response_format *format,
                                  const struct list_result *list)
{
    return respond_items(request, format, list, false);
}

/* 410 with a token that goes on without the snapshot, as kube-apiserver offers it. */
static struct error *respond_expired(const struct request *request,
                                     const struct list_options *options)
{
    int64_t revision;
    struct key after;
    SCOPED(buf) body = {.limit = 0};
    SCOPED(json_edit) edit = {0};
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) status = NULL;
    TRY(continue_token_read(request->arena, options->continue_token, request->namespace, &revision,
                            &after));
    OWNED(error)
    gone = status_expired(
        STR("The provided continue parameter is too old to display a consistent list result. You "
            "can start a new list without the continue parameter, or use the continue token in "
            "this response to retrieve the remainder of the results. Continuing with the provided "
            "token results in an inconsistent list - objects that were created, modified, or "
            "deleted between the time the first chunk was returned and now may show up in the "
            "list."));
    status = status_doc(gone);
    json_edit_init(&edit, json_doc_root(status));
    json_edit_set_str(&edit, JSON_PLACE("metadata.continue"),
                      continue_token_write(request->arena, -1, request->namespace, after));
    TRY(json_edit_finish(&edit, &doc));
    json_write(&body, json_doc_root(doc));
    return response_send_body(request, 410, STR("application/json"), buf_str(&body));
}

struct error *handle_list(struct request *request)
{
    struct response_format format;
    struct list_options options;
    SCOPED(list_result) list = {0};
    TRY(negotiate(request, &format));
    TRY(list_options_read(request, &options));
    struct error *err = handle_list_collect(request, &options, &list);
    if (error_is(err, ERROR_EXPIRED) && options.continue_token.len) {
        error_free(err);
        return respond_expired(request, &options);
    }
    TRY(err);
    if (format.form == FORM_TABLE)
        TRY(order_rows(request, &list));
    return respond_items(request, &format, &list, true);
}
