/*
 * Lists. client_list_each() reads page by page, so that no response and no parsed document grows
 * with the collection. All pages belong to one resourceVersion, which the continue token stands
 * for. When the server has compacted that version it answers 410, and the list begins anew.
 */
#include "apimachinery/resource_path.h"
#include "client/client.h"
#include "client/client_internal.h"
#include "json/json.h"

#define PAGE_DEFAULT 500
/* A list that expires again and again is too large to be read in pages before it expires. */
#define RESTARTS_MAX 3

static const struct client_list_options list_defaults;

static void add_list_query(struct buf *query, const struct client_list_options *options)
{
    client_query_add(query, "labelSelector", options->label_selector);
    client_query_add(query, "fieldSelector", options->field_selector);
    if (options->limit > 0)
        client_query_add_int(query, "limit", options->limit);
    /* The token implies a version; servers reject a request that has both. */
    if (options->continue_token.len) {
        client_query_add(query, "continue", options->continue_token);
    } else {
        client_query_add(query, "resourceVersion", options->resource_version);
        client_query_add(query, "resourceVersionMatch", options->resource_version_match);
    }
}

/* The items are parts of one parsed document, which the arena holds. Suspends. */
struct error *client_list_page(struct client *client, struct gvr gvr, struct str namespace,
                               const struct client_list_options *options, struct arena *arena,
                               struct object_list *ret_list)
{
    options = options ? options : &list_defaults;
    SCOPED(answer) body = {.text.limit = client_options_of(client)->page_max};
    OWNED(json_doc) doc = NULL;
    struct client_raw_answer answer;
    SCOPED(client_request)
    request = {
        .method = STR("GET"),
        .accept = client_accept(options->form, true),
        .timeout = options->timeout,
        .rate_limit = client_rate_limit(client, gvr),
    };
    const struct resource_path path = {.gvr = gvr, .namespace = namespace};
    request.path = resource_path_write(arena, &path);
    add_list_query(&request.query, options);
    TRY(client_exchange(client, &request, arena, &body, &answer));
    TRY(answer_read_json(&body, &doc), "read the list of %.*s", STR_ARG(gvr.resource));
    TRY(object_list_from_doc(arena, doc, ret_list), "read the list of %.*s", STR_ARG(gvr.resource));
    answer_give_back(&body);
    return NULL;
}

/* The state of one client_list_each(). */
struct paged_list {
    struct client *client;
    struct gvr gvr;
    struct str namespace;
    const struct client_list_options *options;
    const struct client_list_sink *sink;
    int64_t page_size;
    struct buf token;    /* of the next page */
    struct buf *version; /* of the list */
};

/*
 * Reads one page. A page that exceeds the client's limit is asked for again with half as many
 * objects, and so are those behind it. A single object that does not fit is an error.
 *
 * A list that was asked for as a whole becomes one in pages. Then it names no version: servers take
 * a version together with a limit for exactly this version, and the newest is never older.
 */
static struct error *read_page(struct paged_list *listing, struct arena *arena,
                               struct object_list *ret_list)
{
    struct client_list_options page = *listing->options;
    page.continue_token = buf_str(&listing->token);
    for (;;) {
        page.limit = listing->page_size;
        struct error *err = client_list_page(listing->client, listing->gvr, listing->namespace,
                                             &page, arena, ret_list);
        const bool is_whole = listing->page_size < 0;
        if (!error_is(err, ERROR_TOO_LARGE) || listing->page_size == 1)
            return err;
        error_free(err);
        listing->page_size = is_whole ? PAGE_DEFAULT : listing->page_size / 2;
        if (is_whole)
            page.resource_version = page.resource_version_match = (struct str){0};
    }
}

/* Reads the next page, passes its objects to the sink and remembers its token. Suspends. */
static struct error *list_next_page(struct paged_list *listing)
{
    SCOPED(arena) arena = {.limit = SIZE_MAX / 2};
    struct object_list list = {0};
    TRY(read_page(listing, &arena, &list));
    for (size_t i = 0; i < list.count; i++)
        TRY(listing->sink->each(listing->sink->data, list.items[i]));
    buf_clear(&listing->token);
    buf_add(&listing->token, list.continue_token);
    buf_clear(listing->version);
    buf_add(listing->version, list.resource_version);
    return NULL;
}

static bool is_too_old(const struct error *err)
{
    return error_is(err, ERROR_EXPIRED) || error_is(err, ERROR_GONE);
}

/* Only a list that has begun can restart: a 410 for the first page would come again. */
static struct error *list_pages(struct paged_list *listing)
{
    int restarts = 0;
    do {
        const bool begun = listing->token.len > 0;
        struct error *err = list_next_page(listing);
        if (err && begun && is_too_old(err) && restarts++ < RESTARTS_MAX) {
            error_free(err);
            buf_clear(&listing->token);
            listing->sink->restart(listing->sink->data);
            TRY(list_next_page(listing));
            continue;
        }
        TRY(err);
    } while (listing->token.len > 0);
    return NULL;
}

struct error *client_list_each(struct client *client, struct gvr gvr, struct str namespace,
                               const struct client_list_options *options,
                               const struct client_list_sink *sink, struct buf *version)
{
    struct paged_list listing = {
        .client = client,
        .gvr = gvr,
        .namespace = namespace,
        .options = options ? options : &list_defaults,
        .page_size = options && options->limit ? options->limit : PAGE_DEFAULT,
        .sink = sink,
        .version = version,
    };
    struct error *err = list_pages(&listing);
    buf_done(&listing.token);
    return err;
}
