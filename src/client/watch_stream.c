/*
 * take_arrived() is the task that the response posts: it takes the pieces that have arrived, cuts
 * them into lines, and reads each line. Only a line that spans pieces is copied, into `partial`.
 */
#include "client/watch_stream.h"

#include <assert.h>

#include "apimachinery/resource_path.h"
#include "async/loop.h"
#include "async/timer.h"
#include "base/memory.h"
#include "base/random.h"
#include "client/client_internal.h"
#include "client/watch_line.h"
#include "client/watch_request.h"

/* Metadata of one object has some kilobytes. Longer lines would take too much time on the loop. */
#define LINE_MAX_BYTES (64 * KILOBYTE)

/* Versions are numbers of up to 20 digits, as far as anybody knows. */
#define VERSION_MAX_BYTES 64

struct watch_stream {
    struct client *client;
    struct watch_stream_options options;
    char *path;
    char *version;                  /* NULL: any */
    struct http_response *response; /* NULL: the stream is not open */
    struct task arrived;
    struct timer deadline;
    struct buf partial; /* the beginning of a line */
    bool is_skipping;   /* the rest of the line is dropped */
};

static void take_arrived(void *data);

struct watch_stream *watch_stream_new(struct client *client, struct gvr gvr,
                                      const struct watch_stream_options *options)
{
    SCOPED(arena) arena = {0};
    struct watch_stream *stream = NEW(struct watch_stream);
    const struct resource_path path = {.gvr = gvr};
    const struct str text = resource_path_write(&arena, &path);
    stream->client = client;
    stream->options = *options;
    stream->path = mem_dup(text.ptr, text.len);
    stream->arrived = (struct task){.run = take_arrived, .data = stream, .name = "watch stream"};
    return stream;
}

static void forget_partial(struct watch_stream *stream)
{
    stream->options.room->used -= stream->partial.len;
    buf_done(&stream->partial);
}

static void close_stream(struct watch_stream *stream)
{
    timer_stop(client_loop(stream->client), &stream->deadline);
    http_response_free(TAKE(stream->response));
    forget_partial(stream);
    stream->is_skipping = false;
}

void watch_stream_free(struct watch_stream *stream)
{
    if (!stream)
        return;
    close_stream(stream);
    mem_free(stream->path);
    mem_free(stream->version);
    mem_free(stream);
}

void watch_stream_set_version(struct watch_stream *stream, struct str version)
{
    if (str_eq(version, str_from_c(stream->version)))
        return;
    mem_free(stream->version);
    stream->version = mem_dup(version.ptr, version.len);
}

bool watch_stream_is_open(const struct watch_stream *stream)
{
    return stream->response != NULL;
}

static void end_stream(struct watch_stream *stream, const struct error *err)
{
    close_stream(stream);
    stream->options.handler->ended(stream->options.data, err);
}

static void on_deadline(void *data)
{
    struct watch_stream *stream = data;
    OWNED(error)
    err = error_new(ERROR_CONNECTION, "the watch of %s did not end in time", stream->path);
    end_stream(stream, err);
}

static struct error *read_line(struct watch_stream *stream, struct str line)
{
    struct watch_event event;
    bool is_known;
    TRY(watch_line_read(line, &event, &is_known), "watch %s", stream->path);
    OWNED(object) object = event.object;
    if (!is_known)
        return NULL;
    const struct str version = object_resource_version(object);
    if (version.len > VERSION_MAX_BYTES)
        return error_new(ERROR_PROTOCOL, "watch %s: a resourceVersion has %zu bytes", stream->path,
                         version.len);
    if (version.len)
        watch_stream_set_version(stream, version);
    if (event.type != WATCH_BOOKMARK)
        stream->options.handler->changed(stream->options.data, &event);
    return NULL;
}

/* Keeps a part of a line, if there is room. What does not fit is skipped, with the whole line. */
static void keep_part(struct watch_stream *stream, struct str part)
{
    struct watch_stream_room *room = stream->options.room;
    stream->is_skipping = stream->is_skipping || stream->partial.len + part.len > LINE_MAX_BYTES ||
                          part.len > room->limit - room->used;
    if (stream->is_skipping) {
        forget_partial(stream);
        return;
    }
    buf_add(&stream->partial, part);
    room->used += part.len;
}

/* A line that begins before this part, or is too long to be read. */
static struct error *finish_line(struct watch_stream *stream, struct str part)
{
    keep_part(stream, part);
    if (stream->is_skipping) {
        stream->is_skipping = false;
        stream->options.handler->missed(stream->options.data);
        return NULL;
    }
    struct error *err = read_line(stream, buf_str(&stream->partial));
    forget_partial(stream);
    return err;
}

static struct error *read_piece(struct watch_stream *stream, struct str piece)
{
    while (piece.len) {
        const size_t end = str_find_char(piece, '\n');
        const struct str part = str_slice(piece, 0, end);
        if (end == STR_NONE) {
            keep_part(stream, part);
            return NULL;
        }
        piece = str_skip(piece, end + 1);
        const bool is_whole =
            !stream->partial.len && !stream->is_skipping && part.len <= LINE_MAX_BYTES;
        TRY(is_whole ? read_line(stream, part) : finish_line(stream, part));
    }
    return NULL;
}

/* The end of the stream in the middle of a line means that it was cut. */
static struct error *check_end(const struct watch_stream *stream)
{
    if (!stream->partial.len && !stream->is_skipping)
        return NULL;
    return error_new(ERROR_PROTOCOL, "the watch of %s ends in the middle of a line", stream->path);
}

static void take_arrived(void *data)
{
    struct watch_stream *stream = data;
    OWNED(error) err = NULL;
    struct str piece = STR("");
    bool has_ended = false;
    do {
        err = http_response_take_piece(stream->response, &piece, &has_ended);
        if (!err)
            err = read_piece(stream, piece);
    } while (!err && piece.len);
    if (!err && has_ended)
        err = check_end(stream);
    if (err || has_ended)
        end_stream(stream, err);
}

struct error *watch_stream_open(struct watch_stream *stream)
{
    struct loop *loop = client_loop(stream->client);
    const struct watch_options options = {.label_selector = stream->options.label_selector,
                                          .form = stream->options.form};
    const duration spread =
        (duration)random_below(loop_random(loop), (uint64_t)(stream->options.timeout / SECOND) + 1);
    const struct watch_request request = {
        .client = stream->client,
        .path = str_from_c(stream->path),
        .options = &options,
        .version = str_from_c(stream->version),
        .timeout = stream->options.timeout + spread * SECOND,
        .is_plain = true,
    };
    OWNED(http_response) response = NULL;
    assert(!stream->response);
    TRY(watch_request_send(&request, &response), "watch %s", stream->path);
    TRY(http_response_follow(response, &stream->arrived), "watch %s", stream->path);
    timer_start(loop, &stream->deadline, loop_now(loop) + watch_request_longest(&request),
                on_deadline, stream);
    stream->response = TAKE(response);
    return NULL;
}
