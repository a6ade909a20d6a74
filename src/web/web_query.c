/*
 * The tables `pages` and `parameters` are those of docs/web.md. A page is found by the number of
 * its segments and by those of them that are fixed.
 */
#include "web/web_query.h"

#include <assert.h>
#include <string.h>

#include "http/url.h"

#define SEGMENTS_MAX 5
#define READY        STR("ready")

/* "*" is any text. */
static const struct {
    size_t count;
    const char *segments[SEGMENTS_MAX];
} pages[WEB_PAGES] = {
    [WEB_OVERVIEW] = {0, {0}                                },
    [WEB_SETS] = {1, {"sets"}                           },
    [WEB_SET] = {3, {"sets", "*", "*"}                 },
    [WEB_CLUSTERS] = {1, {"clusters"}                       },
    [WEB_CLUSTER] = {3, {"clusters", "*", "*"}             },
    [WEB_PLACEMENT] = {5, {"clusters", "*", "*", "sets", "*"}},
    [WEB_REASONS] = {1, {"reasons"}                        },
    [WEB_EVENTS] = {1, {"events"}                         },
};

static const char *const sorts[] = {"state", "name", "since"};

static bool fits_segment(const char *pattern, struct str segment)
{
    return strcmp(pattern, "*") == 0 ? segment.len > 0 : str_eq(str_from_c(pattern), segment);
}

/* Cuts the path into segments. False if there are too many, or it does not begin with a slash. */
static bool cut_path(struct str path, struct str segments[static SEGMENTS_MAX], size_t *ret_count)
{
    *ret_count = 0;
    if (!str_starts_with(path, STR("/")))
        return false;
    path = str_skip(path, 1);
    while (path.len) {
        if (*ret_count == SEGMENTS_MAX)
            return false;
        str_cut(&path, '/', &segments[(*ret_count)++]);
    }
    return true;
}

static bool is_page(enum web_page page, const struct str *segments, size_t count)
{
    if (pages[page].count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!fits_segment(pages[page].segments[i], segments[i]))
            return false;
    return true;
}

static struct error *no_such_page(void)
{
    return error_new(ERROR_NO_SUCH_PATH, "there is no such page");
}

static struct error *read_path(struct arena *arena, struct str path, struct web_query *query)
{
    struct str segments[SEGMENTS_MAX];
    size_t count;
    if (!cut_path(path, segments, &count))
        return no_such_page();
    for (size_t i = 0; i < count; i++) {
        OWNED(error) err = url_unescape(arena, segments[i], &segments[i]);
        if (err || segments[i].len > WEB_TEXT_MAX)
            return no_such_page();
    }
    while (query->page < WEB_PAGES && !is_page(query->page, segments, count))
        query->page++;
    if (query->page == WEB_PAGES)
        return no_such_page();
    if (count >= 3)
        query->key = (struct key){segments[1], segments[2]};
    if (query->page == WEB_PLACEMENT)
        query->placement = segments[4];
    return NULL;
}

static bool read_state(struct web_query *query, struct str value)
{
    query->is_ready = str_eq(value, READY);
    query->has_state = query->is_ready;
    for (size_t i = 0; i < STATUS_STATES; i++) {
        if (!str_eq(value, str_from_c(status_state_name((enum status_state)i))))
            continue;
        query->has_state = true;
        query->state = (enum status_state)i;
    }
    return query->has_state;
}

static bool read_sort(struct web_query *query, struct str value)
{
    query->is_descending = str_starts_with(value, STR("-"));
    if (query->is_descending)
        value = str_skip(value, 1);
    for (size_t i = 0; i < WEB_SORTS; i++) {
        if (!str_eq(value, str_from_c(sorts[i])))
            continue;
        query->sort = (enum web_sort)i;
        return true;
    }
    return false;
}

static bool read_limit(struct web_query *query, struct str value)
{
    uint64_t limit;
    if (!str_to_uint64(value, &limit) || limit < WEB_LIMIT_MIN || limit > WEB_LIMIT_MAX)
        return false;
    query->limit = (size_t)limit;
    return true;
}

/* "STATE.SINCE.NAMESPACE/NAME" */
static bool read_after(struct web_query *query, struct str value)
{
    struct str state, since, namespace;
    uint64_t number;
    int64_t time;
    if (!str_cut(&value, '.', &state) || !str_cut(&value, '.', &since) ||
        !str_cut(&value, '/', &namespace) || !value.len)
        return false;
    if (!str_to_uint64(state, &number) || number >= STATUS_STATES || !str_to_int64(since, &time))
        return false;
    query->has_after = true;
    query->after = (struct web_place){
        (enum status_state)number, time, {namespace, value}
    };
    return true;
}

/* Texts are taken as they are. */
static bool read_text(struct web_query *query, struct str name, struct str value)
{
    const struct {
        struct str name, *text;
    } rows[] = {
        {STR("q"),         &query->q        },
        {STR("namespace"), &query->namespace},
        {STR("set"),       &query->set      },
        {STR("wave"),      &query->wave     },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!str_eq(name, rows[i].name))
            continue;
        *rows[i].text = str_trim(value);
        return value.len <= WEB_TEXT_MAX;
    }
    return true;
}

static const struct {
    struct str name;
    bool (*read)(struct web_query *query, struct str value);
    const char *wants;
} parameters[] = {
    {STR_INIT("state"), read_state, "a state of corset status: failed, waiting, applied, …"},
    {STR_INIT("sort"),  read_sort,  "state, name or since, with - in front for the other way"},
    {STR_INIT("limit"), read_limit, "a number from 10 to 500"                                },
    {STR_INIT("after"), read_after, "what the link to another page has there"                },
};

/* An empty value is none: forms send them. Unknown parameters are ignored. */
static struct error *read_parameter(struct web_query *query, struct str name, struct str value)
{
    if (!value.len)
        return NULL;
    for (size_t i = 0; i < COUNT(parameters); i++) {
        if (!str_eq(name, parameters[i].name))
            continue;
        return parameters[i].read(query, value)
                   ? NULL
                   : error_new(ERROR_INVALID, "%.*s is not %s", STR_ARG(name), parameters[i].wants);
    }
    if (!read_text(query, name, value))
        return error_new(ERROR_INVALID, "%.*s is longer than %zu bytes", STR_ARG(name),
                         WEB_TEXT_MAX);
    return NULL;
}

static struct error *read_parameters(struct arena *arena, struct str text, struct web_query *query)
{
    struct str pair = {0}, name = {0};
    while (text.len) {
        str_cut(&text, '&', &pair);
        str_cut(&pair, '=', &name);
        OWNED(error) err = url_unescape_query(arena, name, &name);
        if (!err)
            err = url_unescape_query(arena, pair, &pair);
        if (err)
            return error_new(ERROR_INVALID, "a parameter has a broken escape");
        TRY(read_parameter(query, name, pair));
    }
    return NULL;
}

struct error *web_query_read(struct arena *arena, struct str target, struct web_query *ret_query)
{
    struct str path;
    *ret_query = (struct web_query){.limit = WEB_LIMIT_DEFAULT};
    str_cut(&target, '?', &path);
    TRY(read_path(arena, path, ret_query));
    return read_parameters(arena, target, ret_query);
}

static void write_path(const struct web_query *query, struct buf *out)
{
    const struct str any[] = {query->key.namespace, query->key.name, query->placement};
    size_t taken = 0;
    for (size_t i = 0; i < pages[query->page].count; i++) {
        const char *segment = pages[query->page].segments[i];
        buf_add_char(out, '/');
        if (strcmp(segment, "*") != 0) {
            buf_add(out, str_from_c(segment));
            continue;
        }
        assert(taken < COUNT(any));
        url_escape_segment(out, any[taken++]);
    }
    if (!pages[query->page].count)
        buf_add_char(out, '/');
}

/* Empty values are left out. */
static void write_pair(struct buf *out, char *separator, const char *name, struct str value)
{
    if (!value.len)
        return;
    buf_add_char(out, *separator);
    buf_add(out, str_from_c(name));
    buf_add_char(out, '=');
    url_escape_query(out, value);
    *separator = '&';
}

struct str web_query_state_name(const struct web_query *query)
{
    if (!query->has_state)
        return STR("");
    return query->is_ready ? READY : str_from_c(status_state_name(query->state));
}

/* Texts may hold NUL bytes, which a format would end at. */
static void write_after(const struct web_query *query, struct buf *out)
{
    const struct web_place *after = &query->after;
    if (!query->has_after)
        return;
    buf_print(out, "%d.%lld.", (int)after->state, (long long)after->since);
    BUF_ADD_ALL(out, after->key.namespace, STR("/"), after->key.name);
}

void web_query_write(const struct web_query *query, struct buf *out)
{
    SCOPED(buf) sort = {.limit = 0};
    SCOPED(buf) after = {.limit = 0};
    SCOPED(buf) limit = {.limit = 0};
    char separator = '?';
    if (query->sort != WEB_SORT_STATE || query->is_descending)
        buf_print(&sort, "%s%s", query->is_descending ? "-" : "", sorts[query->sort]);
    if (query->limit && query->limit != WEB_LIMIT_DEFAULT)
        buf_print(&limit, "%zu", query->limit);
    write_after(query, &after);
    write_path(query, out);
    write_pair(out, &separator, "state", web_query_state_name(query));
    write_pair(out, &separator, "set", query->set);
    write_pair(out, &separator, "wave", query->wave);
    write_pair(out, &separator, "namespace", query->namespace);
    write_pair(out, &separator, "q", query->q);
    write_pair(out, &separator, "sort", buf_str(&sort));
    write_pair(out, &separator, "limit", buf_str(&limit));
    write_pair(out, &separator, "after", buf_str(&after));
}
