/*
 * run_channels() is the one fiber that renders; it sleeps a second after each round, which is what
 * limits the messages. Every stream is served by the fiber of its request, which waits for its
 * channel and copies the message before it writes.
 */
#include "web/web_live.h"

#include <inttypes.h>
#include <stdio.h>

#include "async/event.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "async/scope.h"
#include "base/map.h"
#include "base/memory.h"
#include "http/server.h"
#include "web/page.h"
#include "web/web_message.h"
#include "web/web_source.h"

#define BETWEEN_MESSAGES SECOND
#define HEARTBEAT        (15 * SECOND)
#define WRITE_TIMEOUT    (10 * SECOND)
#define STREAM_MAX       HOUR
#define CONNECTION_NEWS  (10 * SECOND) /* between looks at the connection of an open cluster */
#define VERSION_LEN      16

/* One page that is open somewhere. */
struct channel {
    struct arena arena; /* of query, scope and key */
    struct str key;
    struct web_query query;
    struct web_scope scope;
    struct html last; /* its parts alone */
    char version[VERSION_LEN + 1], before[VERSION_LEN + 1];
    struct buf message; /* from the version before to this one */
    struct event changed;
    size_t readers;
    uint64_t round; /* in which it was rendered last */
};

struct web_live {
    struct loop *loop;
    struct web_source *source;
    struct map channels; /* by key */
    size_t streams;
    uint64_t round;
    struct event opened;
    struct scope fibers;
};

static void channel_free(struct channel *channel)
{
    html_done(&channel->last);
    buf_done(&channel->message);
    arena_done(&channel->arena);
    mem_free(channel);
}

bool web_live_has_room(const struct web_live *live)
{
    return live->streams < WEB_LIVE_STREAMS_MAX;
}

/* ---- channels ---- */

static void render(const struct web_live *live, const struct channel *channel, struct html *html)
{
    SCOPED(arena) arena = {.limit = 0};
    const struct web_view view = web_view_make(&arena, web_source_facts(live->source),
                                               &channel->scope, loop_wall(live->loop));
    page_render(&view, &channel->query, html);
}

/* Of the rendering only the parts' digests are kept. */
static void remember(struct channel *channel, struct html *html)
{
    html_done(&channel->last);
    channel->last = *html;
    *html = (struct html){0};
    buf_done(&channel->last.out);
    channel->last.out = (struct buf){0};
}

static void take_version(struct channel *channel, const struct html *html)
{
    memcpy(channel->before, channel->version, sizeof(channel->before));
    snprintf(channel->version, sizeof(channel->version), "%016" PRIx64, html_digest(html));
}

/* Renders the page anew and tells the readers if it is another one. */
static void renew(const struct web_live *live, struct channel *channel)
{
    SCOPED(html) html = {0};
    render(live, channel, &html);
    if (html_digest(&html) == html_digest(&channel->last))
        return;
    take_version(channel, &html);
    buf_clear(&channel->message);
    web_message_write(&channel->last, &html, str_from_c(channel->version), &channel->message);
    remember(channel, &html);
    event_wake_all(&channel->changed);
}

/* Without new facts only pages that show a connection can be other ones. */
static bool may_differ(const struct channel *channel, bool has_facts)
{
    return has_facts || channel->query.page == WEB_CLUSTER || channel->query.page == WEB_PLACEMENT;
}

static struct channel *find_due(const struct web_live *live, bool has_facts)
{
    MAP_FOREACH (entry, &live->channels) {
        struct channel *channel = entry->value;
        if (channel->round != live->round && may_differ(channel, has_facts))
            return channel;
    }
    return NULL;
}

/* Channels may come and go while others run, so the next one is looked for each time. Suspends. */
static struct error *renew_all(struct web_live *live, bool has_facts)
{
    struct channel *channel;
    live->round++;
    while ((channel = find_due(live, has_facts))) {
        channel->round = live->round;
        renew(live, channel);
        TRY(fiber_yield_in_time());
    }
    return NULL;
}

/* Suspends until there are new facts, or the connections are to be looked at. */
static struct error *wait_for_news(const struct web_live *live, uint64_t seen)
{
    FIBER_TIMEOUT(CONNECTION_NEWS);
    return error_ignore(web_source_wait(live->source, seen), ERROR_DEADLINE);
}

static struct error *run_channels(void *data)
{
    struct web_live *live = data;
    uint64_t seen = 0;
    for (;;) {
        while (!live->streams)
            TRY(event_wait(&live->opened, "an open page"));
        TRY(wait_for_news(live, seen));
        const bool has_facts = seen != web_source_version(live->source);
        seen = web_source_version(live->source);
        TRY(renew_all(live, has_facts));
        TRY(fiber_sleep(BETWEEN_MESSAGES));
    }
}

struct web_live *web_live_new(struct loop *loop, struct web_source *source)
{
    struct web_live *live = NEW(struct web_live);
    live->loop = loop;
    live->source = source;
    scope_start(&live->fibers, "web live", run_channels, live);
    return live;
}

void web_live_free(struct web_live *live)
{
    if (!live)
        return;
    scope_done(&live->fibers);
    map_done(&live->channels);
    mem_free(live);
}

/* Equal pages of users who see the same namespaces have one key. */
static struct str channel_key(struct arena *arena, const struct web_query *query,
                              const struct web_scope *scope)
{
    SCOPED(buf) key = {.limit = 0};
    web_query_write(query, &key);
    for (size_t i = 0; !scope->is_all && i < scope->count; i++)
        buf_print(&key, "\n%.*s", STR_ARG(scope->namespaces[i]));
    if (!scope->is_all)
        buf_add(&key, STR("\n."));
    return arena_str(arena, buf_str(&key));
}

static struct web_scope copy_scope(struct arena *arena, const struct web_scope *scope)
{
    struct str *names = arena_alloc_array(arena, scope->count + 1, sizeof(*names));
    for (size_t i = 0; i < scope->count; i++)
        names[i] = arena_str(arena, scope->namespaces[i]);
    return (struct web_scope){scope->is_all, names, scope->count};
}

/* The query is read again from its address, so that its texts are the channel's own. */
static struct error *channel_new(const struct web_live *live, const struct web_query *query,
                                 const struct web_scope *scope, struct channel **ret_channel)
{
    SCOPED(buf) address = {.limit = 0};
    SCOPED(html) html = {0};
    struct channel *channel = NEW(struct channel);
    web_query_write(query, &address);
    channel->key = channel_key(&channel->arena, query, scope);
    channel->scope = copy_scope(&channel->arena, scope);
    struct error *err = web_query_read(
        &channel->arena, arena_str(&channel->arena, buf_str(&address)), &channel->query);
    if (err) {
        channel_free(channel);
        return err;
    }
    render(live, channel, &html);
    take_version(channel, &html);
    remember(channel, &html);
    *ret_channel = channel;
    return NULL;
}

static struct error *join_channel(struct web_live *live, const struct web_query *query,
                                  const struct web_scope *scope, struct channel **ret_channel)
{
    SCOPED(arena) scratch = {0};
    struct channel *channel = map_find(&live->channels, channel_key(&scratch, query, scope));
    if (!channel) {
        TRY(channel_new(live, query, scope, &channel));
        map_put(&live->channels, channel->key, channel);
    }
    channel->readers++;
    live->streams++;
    event_wake_all(&live->opened);
    *ret_channel = channel;
    return NULL;
}

static void leave_channel(struct web_live *live, struct channel *channel)
{
    live->streams--;
    if (--channel->readers)
        return;
    map_take(&live->channels, channel->key);
    channel_free(channel);
}

/* ---- streams ---- */

/* Suspends. A reader that does not take what it gets is cut off. */
static struct error *write_in_time(struct http_request *request, struct str text)
{
    FIBER_TIMEOUT(WRITE_TIMEOUT);
    return http_request_write(request, text);
}

/* Suspends until the channel changes or a sign of life is due. */
static struct error *wait_for_change(struct channel *channel)
{
    FIBER_TIMEOUT(HEARTBEAT);
    return event_wait(&channel->changed, "a change of the page");
}

static struct error *write_reload(struct http_request *request, const struct channel *channel)
{
    SCOPED(buf) text = {.limit = 0};
    web_message_write_reload(str_from_c(channel->version), &text);
    return write_in_time(request, buf_str(&text));
}

/* From the reader's version to that of the channel. */
static struct error *write_news(struct http_request *request, const struct channel *channel,
                                char version[static VERSION_LEN + 1])
{
    SCOPED(buf) copy = {.limit = 0};
    const bool is_next = strcmp(version, channel->before) == 0;
    memcpy(version, channel->version, VERSION_LEN + 1);
    if (!is_next)
        return write_reload(request, channel);
    buf_add(&copy, buf_str(&channel->message));
    return write_in_time(request, buf_str(&copy));
}

/* The first line tells the version, which a browser sends back when it connects again. */
static struct error *write_beginning(struct http_request *request, const struct channel *channel,
                                     struct str has)
{
    SCOPED(buf) text = {.limit = 0};
    if (has.len && !str_eq(has, str_from_c(channel->version)))
        return write_reload(request, channel);
    buf_print(&text, "retry: 2000\nid: %s\n\n", channel->version);
    return write_in_time(request, buf_str(&text));
}

static struct error *follow(struct web_live *live, struct http_request *request,
                            struct channel *channel, struct str has)
{
    const int64_t end = loop_now(live->loop) + STREAM_MAX;
    char version[VERSION_LEN + 1];
    memcpy(version, channel->version, sizeof(version));
    TRY(write_beginning(request, channel, has));
    while (loop_now(live->loop) < end) {
        TRY(web_source_want(live->source));
        if (channel->query.page == WEB_SET &&
            web_scope_has(&channel->scope, channel->query.key.namespace))
            TRY(web_source_want_set(live->source, channel->query.key));
        if (strcmp(version, channel->version) != 0) {
            TRY(write_news(request, channel, version));
            continue;
        }
        struct error *err = wait_for_change(channel);
        if (error_is(err, ERROR_DEADLINE)) {
            error_free(err);
            err = write_in_time(request, STR(": still here\n\n"));
        }
        TRY(err);
    }
    return NULL;
}

struct error *web_live_serve(struct web_live *live, struct http_request *request,
                             const struct http_headers *headers, const struct web_query *query,
                             const struct web_scope *scope, struct str version)
{
    struct channel *channel = NULL;
    TRY(join_channel(live, query, scope, &channel));
    struct error *err = http_request_respond(request, 200, headers);
    if (!err)
        err = follow(live, request, channel, version);
    leave_channel(live, channel);
    return err;
}
