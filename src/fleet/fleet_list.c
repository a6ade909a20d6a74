/*
 * Merging.
 *
 * merge_answer() is called for each cluster in order. A `part` is the answer of one cluster while
 * it is read: its items go through list_scanner and fleet_item into part->pending. They are added
 * to merge->out when the answer is complete, or when it is larger than PENDING_MAX: a small answer
 * that turns out malformed leaves nothing behind. The head of the answer is sent with the first
 * bytes of merge->out that leave.
 *
 * With a limit, clusters are asked for so many items as are wanted at that time. One whose turn
 * comes later may therefore have sent too many; read_counted() finds out, and asks again with the
 * right limit, so that the cluster's own continue token fits.
 */
#include "fleet/fleet_list.h"

#include "apimachinery/status.h"
#include "apiserver/registry/kind.h"
#include "fleet/fleet_item.h"
#include "fleet/list_scanner.h"
#include "http/headers.h"
#include "http/url.h"
#include "json/json.h"
#include "json/path.h"

#define PENDING_MAX   (256 * KILOBYTE)
#define FLUSH_SIZE    (32 * KILOBYTE)
#define FORBID_MAX    (4 * MEGABYTE) /* that partial=forbid keeps before it begins to answer */
#define FAILURE_MAX   (64 * KILOBYTE)
#define WARNING_NAMES 5
#define PAGED_WINDOW  32
#define META_VERSION  STR("meta.k8s.io/v1")

struct merge {
    const struct fleet_asker *asker;
    const struct fleet_question *question;
    struct fleet_reply *reply;
    struct arena *arena;
    struct fleet_outcome *outcome;
    struct clustercache_each_summary summary;
    struct buf out;                /* bytes that were not sent yet */
    bool has_envelope;             /* the beginning of the list is in out */
    struct str api_version, kind;  /* of the list; empty: not known yet */
    struct fleet_item_rules rules; /* of items */
    struct fleet_columns columns;
    size_t unknown;    /* clusters that do not know the resource */
    struct buf empty;  /* names of clusters without items, as JSON strings */
    int64_t remaining; /* items until the limit */
    struct fleet_continue first, next;
    bool has_next;
    struct error *reply_err; /* the caller cannot be reached: everything ends */
};

struct part {
    struct merge *merge;
    struct str cluster; /* "namespace/name" */
    struct arena arena;
    struct list_scanner scanner;
    struct str api_version, kind, continue_token;
    struct json_doc *definitions;
    struct fleet_columns columns;
    struct buf pending;
    size_t items;
    bool is_open; /* its items are added to out while they come */
};

static void part_done(struct part *part)
{
    list_scanner_done(&part->scanner);
    json_doc_free(part->definitions);
    buf_done(&part->pending);
    arena_done(&part->arena);
}

static void merge_done(struct merge *merge)
{
    clustercache_each_summary_done(&merge->summary);
    buf_done(&merge->out);
    buf_done(&merge->empty);
    error_free(merge->reply_err);
}

void fleet_outcome_write(struct buf *out, const struct fleet_outcome *outcome)
{
    buf_print(out, "asked=%zu, answered=%zu, failed=%zu, forbidden=%zu", outcome->asked,
              outcome->answered, outcome->failed, outcome->forbidden);
}

static bool is_refusal(enum error_code code)
{
    return code == ERROR_FORBIDDEN || code == ERROR_UNAUTHORIZED;
}

void fleet_outcome_count(struct fleet_outcome *outcome,
                         const struct clustercache_each_summary *summary)
{
    outcome->asked = summary->asked;
    outcome->answered = summary->answered;
    outcome->failed = outcome->forbidden = 0;
    for (size_t i = 0; i < summary->failure_count; i++)
        (*(is_refusal(summary->failures[i].code) ? &outcome->forbidden : &outcome->failed))++;
}

void fleet_warning_write(struct buf *out, const struct clustercache_each_summary *summary)
{
    if (!summary->failure_count)
        return;
    buf_print(out, "%zu of %zu clusters are missing: ", summary->failure_count, summary->asked);
    for (size_t i = 0; i < summary->failure_count && i < WARNING_NAMES; i++) {
        const struct clustercache_each_failure *failure = &summary->failures[i];
        const struct str reason = str_slice(failure->reason, 0, 200);
        buf_print(out, "%s%.*s/%.*s: %.*s", i ? "; " : "", STR_ARG(failure->cluster.namespace),
                  STR_ARG(failure->cluster.name), STR_ARG(reason));
    }
    if (summary->failure_count > WARNING_NAMES)
        buf_add(out, STR("; …"));
}

/* Quotes, controls and what is not ASCII have no place in a header. */
static struct str warning_header(struct arena *arena, struct str text)
{
    SCOPED(buf) out = {.limit = 4 * KILOBYTE};
    buf_add(&out, STR("299 - \""));
    for (size_t i = 0; i < text.len && out.len < 2 * KILOBYTE; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        buf_add_char(&out, c < 0x20 || c > 0x7e ? '?' : c == '"' || c == '\\' ? '\'' : (char)c);
    }
    buf_add_char(&out, '"');
    return arena_str(arena, buf_str(&out));
}

/* Corset-Clusters and Warning, as far as they are known: all of it when the answer is complete. */
static struct error *add_outcome_headers(const struct merge *merge, struct http_headers *headers)
{
    SCOPED(buf) text = {0};
    fleet_outcome_write(&text, merge->outcome);
    TRY(http_headers_set(headers, STR("Corset-Clusters"), buf_str(&text)));
    buf_clear(&text);
    fleet_warning_write(&text, &merge->summary);
    if (!text.len)
        return NULL;
    return http_headers_set(headers, STR("Warning"), warning_header(merge->arena, buf_str(&text)));
}

/* Sends what is there. With is_whole the head tells the outcome. */
static struct error *flush_out(struct merge *merge, bool is_whole)
{
    if (!merge->reply->status) {
        SCOPED(http_headers) headers = {0};
        TRY(http_headers_add(&headers, STR("Content-Type"), STR("application/json")));
        if (is_whole)
            TRY(add_outcome_headers(merge, &headers));
        TRY(fleet_reply_begin(merge->reply, 200, &headers));
    }
    TRY(fleet_reply_write(merge->reply, buf_str(&merge->out)));
    buf_clear(&merge->out);
    return NULL;
}

static bool may_flush(const struct merge *merge, size_t size)
{
    const size_t least = merge->question->forbids_partial ? FORBID_MAX : size;
    return merge->has_envelope && merge->out.len >= least;
}

/* An error of the caller's connection is kept apart from those of clusters. */
static struct error *flush_some(struct merge *merge, size_t size)
{
    if (!may_flush(merge, size))
        return NULL;
    struct error *err = flush_out(merge, false);
    if (err && !merge->reply_err)
        merge->reply_err = error_copy(err);
    return err;
}

static void write_envelope(struct merge *merge, const struct part *part)
{
    merge->has_envelope = true;
    buf_add(&merge->out, STR("{\"kind\":"));
    buf_add_json_string(&merge->out, merge->kind.len ? merge->kind : STR("List"));
    buf_add(&merge->out, STR(",\"apiVersion\":"));
    buf_add_json_string(&merge->out, merge->api_version.len ? merge->api_version : STR("v1"));
    if (merge->question->form != FLEET_FORM_TABLE) {
        buf_add(&merge->out, STR(",\"items\":["));
        return;
    }
    buf_add(&merge->out, STR(",\"columnDefinitions\":"));
    fleet_columns_write(&merge->out, part ? json_doc_root(part->definitions) : NULL);
    buf_add(&merge->out, STR(",\"rows\":["));
}

/* "PodList" from the items of a list that says its kind behind them. */
static struct error *check_kind(struct part *part)
{
    struct merge *merge = part->merge;
    if (!merge->kind.len)
        merge->kind = arena_str(merge->arena, part->kind);
    if (!merge->api_version.len)
        merge->api_version = arena_str(merge->arena, part->api_version);
    if (!str_eq(part->kind, merge->kind) || !str_eq(part->api_version, merge->api_version))
        return error_new(ERROR_PARSE, "the answer is of kind \"%.*s\" in \"%.*s\", not \"%.*s\"",
                         STR_ARG(part->kind), STR_ARG(part->api_version), STR_ARG(merge->kind));
    return NULL;
}

/* The items of the part become items of the answer. */
static struct error *commit_part(struct part *part)
{
    struct merge *merge = part->merge;
    TRY(check_kind(part));
    struct str items = buf_str(&part->pending);
    if (!merge->has_envelope) {
        if (merge->question->form == FLEET_FORM_TABLE && !part->definitions)
            return error_new(ERROR_PARSE, "the answer is a table without columns");
        write_envelope(merge, part);
        if (part->definitions)
            TRY(fleet_columns_read(merge->arena, json_doc_root(part->definitions),
                                   &merge->columns));
    }
    if (!merge->outcome->items && items.len)
        items = str_skip(items, 1); /* the comma before the first item */
    merge->outcome->items += part->items;
    merge->remaining -= (int64_t)part->items;
    part->items = 0;
    buf_add(&merge->out, items);
    buf_clear(&part->pending);
    return flush_some(merge, FLUSH_SIZE);
}

static struct error *write_element(struct part *part, const struct json_value *value)
{
    struct merge *merge = part->merge;
    const struct fleet_columns *wanted = merge->columns.count ? &merge->columns : &part->columns;
    if (json_type(value) != JSON_OBJECT)
        return error_new(ERROR_PARSE, "the answer has an item that is no object");
    if (merge->question->form == FLEET_FORM_TABLE) {
        if (!part->columns.count)
            return error_new(ERROR_PARSE, "the answer has rows before its columns");
        return fleet_row_write(&part->pending, value, &part->columns, wanted, &merge->rules,
                               part->cluster);
    }
    return fleet_item_write(&part->pending, value, &merge->rules, part->cluster);
}

/* Lists of custom resources name their kind behind their items, which name it themselves. */
static void learn_kind(struct part *part, const struct json_value *item)
{
    const struct str kind = json_to_str(json_get(item, STR("kind")));
    if (part->kind.len || part->merge->question->form == FLEET_FORM_TABLE)
        return;
    part->kind = ARENA_JOIN(&part->arena, kind, STR("List"));
    part->api_version = arena_str(&part->arena, json_to_str(json_get(item, STR("apiVersion"))));
}

static struct error *take_element(void *data, struct str text)
{
    struct part *part = data;
    OWNED(json_doc) doc = NULL;
    TRY(json_read(text, &doc), "read an item");
    learn_kind(part, json_doc_root(doc));
    buf_add_char(&part->pending, ',');
    TRY(write_element(part, json_doc_root(doc)));
    TRY(buf_check(&part->pending));
    part->items++;
    part->is_open |= part->pending.len > PENDING_MAX;
    if (part->is_open)
        TRY(commit_part(part));
    return clustercache_answer_pause();
}

static struct error *take_text(struct part *part, struct str value, struct str *ret_text)
{
    OWNED(json_doc) doc = NULL;
    TRY(json_read(value, &doc));
    const struct str text = json_to_str(json_doc_root(doc));
    if (ret_text->len && !str_eq(*ret_text, text))
        return error_new(ERROR_PARSE, "the answer contradicts itself");
    *ret_text = arena_str(&part->arena, text);
    return NULL;
}

static struct error *take_member(void *data, struct str name, struct str value)
{
    struct part *part = data;
    OWNED(json_doc) doc = NULL;
    if (str_eq(name, STR("kind")))
        return take_text(part, value, &part->kind);
    if (str_eq(name, STR("apiVersion")))
        return take_text(part, value, &part->api_version);
    TRY(json_read(value, &doc));
    if (str_eq(name, STR("metadata")))
        part->continue_token =
            arena_str(&part->arena, json_path_str(json_doc_root(doc), "continue"));
    if (!str_eq(name, STR("columnDefinitions")) || part->definitions)
        return NULL;
    TRY(fleet_columns_read(&part->arena, json_doc_root(doc), &part->columns));
    part->definitions = TAKE(doc);
    return NULL;
}

static const struct list_scanner_ops part_ops = {take_member, take_element};

/* A single object as a list of one. */
static struct error *take_object(struct part *part, struct str text)
{
    OWNED(json_doc) doc = NULL;
    TRY(json_read(text, &doc));
    if (!json_to_str(json_get(json_doc_root(doc), STR("kind"))).len)
        return error_new(ERROR_PARSE, "the answer is no object");
    return take_element(part, text);
}

static bool is_one_object(const struct merge *merge)
{
    return merge->question->resource.name.len && merge->question->form != FLEET_FORM_TABLE;
}

/* The part is complete: nothing is missing any more. */
static struct error *end_part(struct part *part)
{
    struct merge *merge = part->merge;
    const bool has_items = part->items || part->is_open;
    if (!is_one_object(merge))
        TRY(list_scanner_end(&part->scanner));
    if (!part->is_open && !part->items && !part->kind.len)
        return error_new(ERROR_PARSE, "the answer is no list");
    TRY(commit_part(part));
    if (!has_items && merge->empty.len)
        buf_add_char(&merge->empty, ',');
    if (!has_items)
        buf_add_json_string(&merge->empty, part->cluster);
    return NULL;
}

static struct error *read_part(struct part *part, struct clustercache_answer *answer)
{
    if (is_one_object(part->merge)) {
        SCOPED(buf) body = {.limit = LIST_SCANNER_VALUE_MAX};
        TRY(clustercache_answer_read_all(answer, &body));
        TRY(take_object(part, buf_str(&body)));
        return end_part(part);
    }
    for (;;) {
        struct str piece;
        TRY(clustercache_answer_read(answer, &piece));
        if (!piece.len)
            return end_part(part);
        TRY(list_scanner_feed(&part->scanner, piece));
    }
}

static struct error *count_element(void *data, struct str value)
{
    (void)value;
    ++*(int64_t *)data;
    return NULL;
}

static struct error *skip_member(void *data, struct str name, struct str value)
{
    (void)data, (void)name, (void)value;
    return NULL;
}

static int64_t count_items(struct str text)
{
    static const struct list_scanner_ops ops = {skip_member, count_element};
    int64_t count = 0;
    SCOPED(list_scanner) scanner = {.ops = &ops, .data = &count};
    error_free(list_scanner_feed(&scanner, text));
    return count;
}

/* An answer that may have more items than are wanted. False: it must be asked for again. */
static struct error *read_counted(struct part *part, struct clustercache_answer *answer,
                                  bool *ret_fits)
{
    SCOPED(buf) body = {.limit = PENDING_MAX};
    struct error *err = clustercache_answer_read_all(answer, &body);
    *ret_fits =
        !error_is(err, ERROR_TOO_LARGE) && count_items(buf_str(&body)) <= part->merge->remaining;
    if (!*ret_fits)
        return error_ignore(err, ERROR_TOO_LARGE);
    TRY(err);
    TRY(list_scanner_feed(&part->scanner, buf_str(&body)));
    return end_part(part);
}

/* Where the next page begins. A byte that no name has puts it behind this cluster. */
static void end_page(struct part *part, struct clustercache_answer *answer)
{
    struct merge *merge = part->merge;
    struct arena *arena = merge->arena;
    merge->has_next = part->continue_token.len || clustercache_answer_has_next(answer);
    merge->next.cluster = key_copy(arena, answer->cluster);
    merge->next.token = arena_str(arena, part->continue_token);
    if (!part->continue_token.len)
        merge->next.cluster.name = ARENA_JOIN(arena, answer->cluster.name, str_from("\0", 1));
    clustercache_answer_stop(answer);
}

static bool may_have_too_many(const struct merge *merge)
{
    return merge->question->limit && merge->remaining < merge->question->limit;
}

/* Suspends. Asks this cluster again, for as many items as are wanted now. */
static struct error *read_again(struct part *part, struct clustercache_answer *answer)
{
    const struct merge *merge = part->merge;
    SCOPED(buf) query = {.limit = 64 * KILOBYTE};
    BUF_ADD_ALL(&query, merge->question->forwarded,
                merge->question->forwarded.len ? STR("&") : STR(""));
    buf_print(&query, "limit=%lld", (long long)merge->remaining);
    TRY(clustercache_answer_ask_again(answer, buf_str(&query)));
    if (answer->status != 200)
        return error_new(ERROR_UNKNOWN, "answered with status %d", answer->status);
    return read_part(part, answer);
}

static struct error *read_items(struct part *part, struct clustercache_answer *answer)
{
    bool fits;
    if (!may_have_too_many(part->merge) || is_one_object(part->merge))
        return read_part(part, answer);
    TRY(read_counted(part, answer, &fits));
    return fits ? NULL : read_again(part, answer);
}

/* Takes the error of a cluster, unless it is ours: then it ends the whole. */
static struct error *conclude_part(struct part *part, struct clustercache_answer *answer,
                                   struct error *err)
{
    struct merge *merge = part->merge;
    if (merge->reply_err || error_is(err, ERROR_CANCELED))
        return err;
    if (err) {
        clustercache_answer_fail(answer, part->is_open ? error_wrap(err, "incomplete") : err);
        return NULL;
    }
    if (merge->question->limit && (merge->remaining <= 0 || part->continue_token.len))
        end_page(part, answer);
    if (clustercache_answer_is_last_for_now(answer))
        return flush_some(merge, 0);
    return NULL;
}

static struct error *merge_items(struct merge *merge, struct clustercache_answer *answer)
{
    SCOPED(part) part = {.merge = merge, .pending.limit = 2 * LIST_SCANNER_VALUE_MAX};
    part.scanner = (struct list_scanner){.ops = &part_ops, .data = &part};
    part.cluster = key_text(&part.arena, answer->cluster);
    return conclude_part(&part, answer, read_items(&part, answer));
}

/* A cluster that has none of what was asked. */
static void note_empty(struct merge *merge, struct key cluster)
{
    SCOPED(buf) name = {0};
    key_write(&name, cluster);
    if (merge->empty.len)
        buf_add_char(&merge->empty, ',');
    buf_add_json_string(&merge->empty, buf_str(&name));
}

/* The details of a Status name the object if the resource is known and the object is not there. */
static bool is_about_object(const struct error *err, struct str name)
{
    OWNED(json_doc) details = NULL;
    if (!err->details)
        return false;
    OWNED(error) unread = json_read(str_from_c(err->details), &details);
    return !unread && str_eq(json_path_str(json_doc_root(details), "name"), name);
}

static struct error *merge_refusal(struct merge *merge, struct clustercache_answer *answer)
{
    SCOPED(buf) body = {.limit = FAILURE_MAX};
    const struct str name = merge->question->resource.name;
    struct error *interrupted = clustercache_answer_read_all(answer, &body);
    if (error_is(interrupted, ERROR_CANCELED))
        return interrupted;
    error_free(interrupted); /* the status tells enough */
    OWNED(error) err = status_read_error(answer->status, buf_str(&body));
    if (answer->status == 404) {
        merge->unknown += !(name.len && is_about_object(err, name));
        note_empty(merge, answer->cluster);
        return NULL;
    }
    if (answer->status == 410 && merge->first.token.len)
        return error_copy(err);
    if (is_refusal(err->code))
        clustercache_answer_fail(answer, error_new(err->code, "not allowed: %s", err->message));
    else
        clustercache_answer_fail(answer, error_new(err->code, "answered with status %d: %s",
                                                   answer->status, err->message));
    return NULL;
}

static struct error *merge_answer(void *data, struct clustercache_answer *answer)
{
    struct merge *merge = data;
    return answer->status == 200 ? merge_items(merge, answer) : merge_refusal(merge, answer);
}

/* The limit, and the token of the cluster that the last page ended in. */
static void add_page(void *data, struct key cluster, struct buf *query)
{
    const struct merge *merge = data;
    const int64_t wanted = merge->remaining > 0 ? merge->remaining : 1;
    buf_print(query, "%slimit=%lld", query->len ? "&" : "", (long long)wanted);
    if (!merge->first.token.len || !key_eq(cluster, merge->first.cluster))
        return;
    buf_add(query, STR("&continue="));
    url_escape_query(query, merge->first.token);
}

struct clustercache_each_options fleet_each_options(const struct fleet_asker *asker,
                                                    const struct fleet_question *question)
{
    return (struct clustercache_each_options){
        .namespace = question->namespace,
        .selector = question->selector,
        .clusters = question->clusters,
        .cluster_count = question->cluster_count,
        .admits = asker->admits,
        .admits_data = asker->admits_data,
        .path = question->path,
        .query = question->forwarded,
        .agent = asker->agent,
        .as = asker->as,
        .window = asker->window,
        .first_byte = question->timeout,
        .memory = asker->memory,
    };
}

static struct error *ask_clusters(struct merge *merge)
{
    const struct fleet_question *question = merge->question;
    struct clustercache_each_options options = fleet_each_options(merge->asker, question);
    options.accept = fleet_form_accept(question->form, question->resource.name.len > 0);
    if (question->limit) {
        const size_t window = options.window ? options.window : CLUSTERCACHE_EACH_WINDOW;
        options.window = window < PAGED_WINDOW ? window : PAGED_WINDOW;
        options.from = merge->first.cluster;
        options.add_query = question->resource.name.len ? NULL : add_page;
        options.add_query_data = merge;
    }
    struct error *err =
        clustercache_each(merge->asker->clusters, &options, merge_answer, merge, &merge->summary);
    fleet_outcome_count(merge->outcome, &merge->summary);
    return err;
}

/* Which error stands for the whole; NULL: there is an answer. */
static struct error *find_verdict(const struct merge *merge)
{
    const struct fleet_outcome *outcome = merge->outcome;
    SCOPED(buf) warning = {0};
    fleet_warning_write(&warning, &merge->summary);
    const bool lacks = outcome->failed || outcome->forbidden;
    if (lacks && (!outcome->answered || merge->question->forbids_partial))
        return status_timeout(buf_str(&warning), 0);
    if (outcome->answered && merge->unknown == outcome->answered)
        return status_no_such_resource();
    return NULL;
}

static void write_end(struct merge *merge)
{
    struct buf *out = &merge->out;
    SCOPED(buf) text = {0};
    if (!merge->has_envelope)
        write_envelope(merge, NULL);
    buf_add(out, STR("],\"metadata\":{\"resourceVersion\":\"\""));
    if (merge->has_next) {
        const struct fleet_asker *asker = merge->asker;
        buf_add(out, STR(",\"continue\":"));
        buf_add_json_string(out,
                            fleet_continue_write(merge->arena, asker->key, merge->question->origin,
                                                 asker->now, &merge->next));
    }
    fleet_outcome_write(&text, merge->outcome);
    buf_add(out, STR(",\"clusters\":"));
    buf_add_json_string(out, buf_str(&text));
    buf_clear(&text);
    fleet_warning_write(&text, &merge->summary);
    if (text.len) {
        buf_add(out, STR(",\"warning\":"));
        buf_add_json_string(out, buf_str(&text));
    }
    if (merge->question->names_empty)
        BUF_ADD_ALL(out, STR(",\"emptyClusters\":["), buf_str(&merge->empty), STR("]"));
    buf_add(out, STR("}}\n"));
}

/* The outcome goes into the head if that was not sent yet, else behind the body. */
static struct error *end_answer(struct merge *merge)
{
    SCOPED(http_headers) headers = {0};
    const bool was_begun = merge->reply->status != 0;
    struct error *verdict = find_verdict(merge);
    if (verdict) {
        TRY(add_outcome_headers(merge, &headers));
        return fleet_reply_fail(merge->reply, &headers, verdict);
    }
    write_end(merge);
    TRY(buf_check(&merge->out));
    TRY(flush_out(merge, true));
    if (!was_begun)
        return NULL;
    TRY(add_outcome_headers(merge, &headers));
    HTTP_HEADERS_FOREACH (header, &headers)
        TRY(fleet_reply_trailer(merge->reply, header.name, header.value));
    return NULL;
}

/* What the list must be, as far as the path says it. Built-in kinds are known. */
static void expect_kind(struct merge *merge)
{
    const struct fleet_question *question = merge->question;
    const struct kind *kind = kinds_find(question->resource.gvr);
    if (question->form == FLEET_FORM_LIST) {
        const struct gvr gvr = question->resource.gvr;
        merge->api_version =
            gvk_api_version(merge->arena, (struct gvk){.group = gvr.group, .version = gvr.version});
        merge->kind = kind ? kind->list_kind : STR("");
        merge->rules.kind = kind ? kind->gvk.kind : STR("");
    } else {
        merge->api_version = META_VERSION;
        merge->kind =
            question->form == FLEET_FORM_TABLE ? STR("Table") : STR("PartialObjectMetadataList");
    }
    if (!str_eq(question->resource.gvr.resource, STR("namespaces")))
        merge->rules.namespace = question->resource.namespace;
}

struct error *fleet_list_serve(const struct fleet_asker *asker,
                               const struct fleet_question *question, struct fleet_reply *reply,
                               struct arena *arena, struct fleet_outcome *outcome)
{
    SCOPED(merge)
    merge = {
        .asker = asker,
        .question = question,
        .reply = reply,
        .arena = arena,
        .outcome = outcome,
        .remaining = question->limit,
        .out.limit = 4 * FORBID_MAX,
    };
    if (question->continue_token.len) {
        struct error *err = fleet_continue_read(arena, asker->key, question->origin, asker->now,
                                                question->continue_token, &merge.first);
        if (err)
            return fleet_reply_fail(reply, NULL, err);
    }
    expect_kind(&merge);
    struct error *err = ask_clusters(&merge);
    return err ? fleet_reply_fail(reply, NULL, err) : end_answer(&merge);
}
