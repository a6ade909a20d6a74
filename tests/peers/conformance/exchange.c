#include "peers/conformance/exchange.h"

#include "base/buf.h"

#define LIST_MEMORY_MAX (256 * MEGABYTE)

/* What the file has that struct exchange shows in another form. */
struct row {
    struct exchange exchange;
    struct json_strings lenient, loose, unordered, strict;
    struct str compare;
};

#define AT(member)   offsetof(struct row, member)
#define AT_E(member) offsetof(struct row, exchange.member)

static const struct json_field row_fields[] = {
    {"id",           json_read_str,     AT_E(id),            JSON_REQUIRED},
    {"group",        json_read_str,     AT_E(group),         JSON_REQUIRED},
    {"description",  json_read_str,     AT_E(description),   JSON_REQUIRED},
    {"request",      json_read_object,  AT_E(request),       JSON_OPTIONAL},
    {"read",         json_read_object,  AT_E(read),          JSON_OPTIONAL},
    {"watch",        json_read_object,  AT_E(watch),         JSON_OPTIONAL},
    {"poll",         json_read_object,  AT_E(poll),          JSON_OPTIONAL},
    {"capture",      json_read_object,  AT_E(capture),       JSON_OPTIONAL},
    {"assert",       json_read_array,   AT_E(relate),        JSON_OPTIONAL},
    {"response",     json_read_object,  AT_E(response),      JSON_REQUIRED},
    {"select",       json_read_array,   AT_E(select),        JSON_OPTIONAL},
    {"statusOneOf",  json_read_array,   AT_E(status_one_of), JSON_OPTIONAL},
    {"mayWarn",      json_read_array,   AT_E(may_warn),      JSON_OPTIONAL},
    {"checkHeaders", json_read_strings, AT_E(check_headers), JSON_OPTIONAL},
    {"needs",        json_read_strings, AT_E(needs),         JSON_OPTIONAL},
    {"lenient",      json_read_strings, AT(lenient),         JSON_OPTIONAL},
    {"loose",        json_read_strings, AT(loose),           JSON_OPTIONAL},
    {"unordered",    json_read_strings, AT(unordered),       JSON_OPTIONAL},
    {"strict",       json_read_strings, AT(strict),          JSON_OPTIONAL},
    {"compare",      json_read_str,     AT(compare),         JSON_OPTIONAL},
};

void exchange_list_done(struct exchange_list *list)
{
    arena_done(&list->arena);
    *list = (struct exchange_list){0};
}

struct str exchange_replace(struct arena *arena, struct str text, struct str from, struct str to)
{
    SCOPED(buf) out = {0};
    for (size_t at; (at = str_find(text, from)) != STR_NONE;) {
        buf_add(&out, str_slice(text, 0, at));
        buf_add(&out, to);
        text = str_skip(text, at + from.len);
    }
    buf_add(&out, text);
    return arena_str(arena, buf_str(&out));
}

static bool has(const struct json_strings *strings, struct str s)
{
    for (size_t i = 0; i < strings->count; i++)
        if (str_eq(strings->items[i], s))
            return true;
    return false;
}

static struct exchange_patterns read_patterns(struct arena *arena,
                                              const struct json_strings *strings)
{
    struct exchange_patterns patterns = {
        .items = arena_alloc_array(arena, strings->count, sizeof(struct pointer)),
        .count = strings->count,
    };
    for (size_t i = 0; i < strings->count; i++)
        patterns.items[i] = pointer_read(arena, strings->items[i]);
    return patterns;
}

static void release_doc(void *doc)
{
    json_doc_free(doc);
}

static struct error *read_row(struct exchange_list *list, struct str line, struct exchange *ret)
{
    struct row row = {0};
    struct json_doc *doc;
    TRY(json_read(exchange_replace(&list->arena, line, EXCHANGE_RUN, list->run), &doc));
    arena_hold(&list->arena, release_doc, doc);
    TRY(json_read_fields(&list->arena, json_doc_root(doc), row_fields, COUNT(row_fields), &row));
    struct exchange *exchange = &row.exchange;
    if (!exchange->request == !exchange->read)
        return error_new(ERROR_INVALID, "neither a request nor a read, or both");
    exchange->lenient = read_patterns(&list->arena, &row.lenient);
    exchange->loose = read_patterns(&list->arena, &row.loose);
    exchange->unordered = read_patterns(&list->arena, &row.unordered);
    exchange->status_only = str_eq(row.compare, STR("status"));
    exchange->strict_managed_fields = has(&row.strict, STR("managedFields"));
    exchange->needs_controllers = has(&exchange->needs, STR("controllers"));
    exchange->needs_compaction = has(&exchange->needs, STR("compaction"));
    *ret = *exchange;
    return NULL;
}

static size_t count_lines(struct str text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '\n';
    return count;
}

struct error *exchange_list_read(struct exchange_list *list, struct str text, struct str run)
{
    if (run.len != EXCHANGE_RUN_LEN)
        return error_new(ERROR_INVALID, "a run's id has %zu letters", EXCHANGE_RUN_LEN);
    *list = (struct exchange_list){.arena.limit = LIST_MEMORY_MAX};
    list->run = arena_str(&list->arena, run);
    list->items = arena_alloc_array(&list->arena, count_lines(text), sizeof(*list->items));
    for (size_t number = 1; text.len; number++) {
        struct str line;
        str_cut(&text, '\n', &line);
        if (!str_trim(line).len)
            continue;
        TRY(read_row(list, line, &list->items[list->count]), "line %zu", number);
        list->count++;
    }
    return arena_check(&list->arena);
}

struct str exchange_run_id(struct random *random, char text[static EXCHANGE_RUN_LEN + 1])
{
    static const char letters[] = "ghjkmnpqrstvwxz";
    for (size_t i = 0; i < EXCHANGE_RUN_LEN; i++)
        text[i] = letters[random_below(random, sizeof(letters) - 1)];
    text[EXCHANGE_RUN_LEN] = '\0';
    return str_from(text, EXCHANGE_RUN_LEN);
}
