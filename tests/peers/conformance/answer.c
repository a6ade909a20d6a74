#include "peers/conformance/answer.h"

#include "base/array.h"
#include "base/memory.h"
#include "http/headers.h"
#include "json/builder.h"

void answer_done(struct answer *answer)
{
    json_doc_free(answer->response);
    json_doc_free(answer->document);
    *answer = (struct answer){0};
}

void answer_events_done(struct answer_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        json_doc_free(events->items[i]);
    mem_free(events->items);
    *events = (struct answer_events){0};
}

void answer_events_add(struct answer_events *events, struct json_doc *event)
{
    ARRAY_PUSH(events->items, events->count, events->capacity, event);
}

static void add_header(struct json_builder *builder, const struct http_headers *headers,
                       struct str name)
{
    const struct str value = http_headers_find(headers, name);
    if (!value.ptr)
        return;
    json_builder_key(builder, name);
    json_builder_str(builder, value);
}

static void add_warnings(struct json_builder *builder, const struct http_headers *headers)
{
    if (!http_headers_count(headers, STR("Warning")))
        return;
    json_builder_add_array(builder, "Warning");
    HTTP_HEADERS_FOREACH (header, headers)
        if (str_eq_nocase(header.name, STR("Warning")))
            json_builder_str(builder, header.value);
    json_builder_end(builder);
}

/* Opens the response; those headers are in it that are compared. */
static void begin(struct json_builder *builder, const struct exchange *exchange,
                  const struct answer_head *head)
{
    json_builder_object(builder);
    if (!head->headers)
        return;
    json_builder_add_int(builder, "status", head->status);
    json_builder_add_object(builder, "headers");
    add_header(builder, head->headers, STR("Content-Type"));
    add_header(builder, head->headers, STR("Retry-After"));
    for (size_t i = 0; i < exchange->check_headers.count; i++)
        add_header(builder, head->headers, exchange->check_headers.items[i]);
    add_warnings(builder, head->headers);
    json_builder_end(builder);
}

static struct error *finish(struct json_builder *builder, struct json_doc **ret_response)
{
    json_builder_end(builder);
    return json_builder_finish(builder, ret_response);
}

static struct error *read_text(struct str body, struct json_doc **ret_document)
{
    SCOPED(json_builder) builder = {0};
    json_builder_str(&builder, body);
    return json_builder_finish(&builder, ret_document);
}

static struct error *read_document(const struct answer_head *head, struct str body,
                                   struct json_doc **ret_document)
{
    const struct str type = http_headers_find(head->headers, STR("Content-Type"));
    if (!str_contains(type, STR("json")) && !str_starts_with(body, STR("{")))
        return read_text(body, ret_document);
    OWNED(error) not_json = json_read(body, ret_document);
    return not_json ? read_text(body, ret_document) : NULL;
}

static void add_body(struct json_builder *builder, const struct exchange *exchange,
                     const struct json_value *document)
{
    if (exchange->status_only)
        return;
    if (!exchange->select) {
        json_builder_add_value(builder, "body", document);
        return;
    }
    const struct json_value *pointer;
    json_builder_add_object(builder, "body");
    JSON_FOREACH (key, pointer, exchange->select) {
        json_builder_key(builder, json_to_str(pointer));
        json_builder_value(builder, pointer_find(document, json_to_str(pointer)));
    }
    json_builder_end(builder);
}

struct error *answer_from_body(const struct exchange *exchange, const struct answer_head *head,
                               struct str body, struct answer *ret_answer)
{
    OWNED(json_doc) document = NULL;
    SCOPED(json_builder) builder = {0};
    struct json_doc *response;
    TRY(read_document(head, body, &document));
    begin(&builder, exchange, head);
    add_body(&builder, exchange, json_doc_root(document));
    TRY(finish(&builder, &response));
    *ret_answer = (struct answer){response, TAKE(document)};
    return NULL;
}

static bool wants(const struct exchange *exchange, struct str name)
{
    bool wanted = false;
    json_to_bool(json_get(exchange->read ? exchange->read : exchange->watch, name), &wanted);
    return wanted;
}

static void add_events(struct json_builder *builder, const struct exchange *exchange,
                       const struct answer_events *events)
{
    json_builder_add_array(builder, "events");
    for (size_t i = 0; i < events->count; i++)
        json_builder_value(builder, json_doc_root(events->items[i]));
    json_builder_end(builder);
    if (wants(exchange, STR("eof")))
        json_builder_add_bool(builder, "ended", events->ended);
    if (wants(exchange, STR("bookmarks")))
        json_builder_add_bool(builder, "bookmarks", events->bookmarks > 0);
}

struct error *answer_from_events(const struct exchange *exchange, const struct answer_head *head,
                                 const struct answer_events *events, struct answer *ret_answer)
{
    SCOPED(json_builder) builder = {0};
    struct json_doc *response;
    begin(&builder, exchange, head);
    if (events)
        add_events(&builder, exchange, events);
    TRY(finish(&builder, &response));
    *ret_answer = (struct answer){response, json_doc_ref(response)};
    return NULL;
}
