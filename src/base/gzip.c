/*
 * gzip streams over zlib. Input and output are passed in pieces; zlib counts in unsigned int, so
 * longer pieces are given to it in several calls.
 */
#include "base/gzip.h"

#include <assert.h>
#include <limits.h>
#include <zlib.h>

#include "base/memory.h"

#define GZIP_WINDOW (15 + 16) /* the largest window, in gzip's wrapping alone */
#define STEP        (16 * KILOBYTE)

struct gzip_reader {
    z_stream zlib;
    size_t limit, ratio;
    size_t in, out;
    bool ended; /* between two members, or behind the last one */
};

struct gzip_writer {
    z_stream zlib;
};

struct gzip_reader *gzip_reader_new(size_t limit, size_t ratio)
{
    struct gzip_reader *reader = NEW(struct gzip_reader);
    reader->limit = limit ? limit : GZIP_LIMIT_DEFAULT;
    reader->ratio = ratio ? ratio : GZIP_RATIO_DEFAULT;
    if (inflateInit2(&reader->zlib, GZIP_WINDOW) != Z_OK)
        mem_exhausted(sizeof(*reader));
    return reader;
}

void gzip_reader_free(struct gzip_reader *reader)
{
    if (!reader)
        return;
    inflateEnd(&reader->zlib);
    mem_free(reader);
}

/* Both limits hold for the whole stream, not for one call. */
static struct error *check_bomb(const struct gzip_reader *reader)
{
    if (reader->out > reader->limit)
        return error_new(ERROR_TOO_LARGE, "gzip content is larger than %zu bytes", reader->limit);
    if (reader->out > GZIP_RATIO_FROM && reader->out / reader->ratio > reader->in)
        return error_new(ERROR_TOO_LARGE, "gzip content of %zu bytes inflates to more than %zu",
                         reader->in, reader->out);
    return NULL;
}

static unsigned clamp_len(size_t len)
{
    return len < UINT_MAX ? (unsigned)len : UINT_MAX;
}

/*
 * Calls zlib once. Input may remain when the room is used up. Z_BUF_ERROR only means that zlib made
 * no progress, for lack of input or room.
 */
static struct error *inflate_some(struct gzip_reader *reader, struct str *input, char *into,
                                  size_t room, size_t *ret_len)
{
    z_stream *zlib = &reader->zlib;
    const unsigned in = clamp_len(input->len), out = clamp_len(room);
    zlib->next_in = (Bytef *)(uintptr_t)input->ptr; /* zlib only reads it */
    zlib->avail_in = in;
    zlib->next_out = (Bytef *)into;
    zlib->avail_out = out;
    const int status = inflate(zlib, Z_NO_FLUSH);
    *input = str_skip(*input, in - zlib->avail_in);
    *ret_len = out - zlib->avail_out;
    reader->in += in - zlib->avail_in;
    reader->out += *ret_len;
    reader->ended = status == Z_STREAM_END;
    if (status == Z_MEM_ERROR)
        mem_exhausted(room);
    if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
        return error_new(ERROR_PROTOCOL, "bad gzip content: %s",
                         zlib->msg ? zlib->msg : "not deflated");
    return check_bomb(reader);
}

/* Another member may follow the first; the result is the text of all of them. */
static void next_member(struct gzip_reader *reader)
{
    if (reader->ended && inflateReset(&reader->zlib) != Z_OK)
        mem_exhausted(0);
    reader->ended = false;
}

/*
 * Loops until input or room is used up. zlib may hold output back after the input is empty, so the
 * loop goes on as long as a call produced bytes.
 */
struct error *gzip_read(struct gzip_reader *reader, struct str *input, struct buf *out, size_t room)
{
    size_t len = 1;
    while (room && (input->len || len)) {
        if (reader->ended && !input->len)
            break;
        next_member(reader);
        const size_t step = room < STEP ? room : STEP;
        char *into = buf_reserve(out, step);
        if (!into)
            return buf_check(out);
        TRY(inflate_some(reader, input, into, step, &len));
        buf_grow(out, len);
        room -= len;
    }
    return NULL;
}

struct error *gzip_read_end(struct gzip_reader *reader)
{
    if (!reader->ended)
        return error_new(ERROR_PROTOCOL, "truncated gzip content");
    return NULL;
}

struct gzip_writer *gzip_writer_new(int level)
{
    struct gzip_writer *writer = NEW(struct gzip_writer);
    if (deflateInit2(&writer->zlib, level, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        mem_exhausted(sizeof(*writer));
    return writer;
}

void gzip_writer_free(struct gzip_writer *writer)
{
    if (!writer)
        return;
    deflateEnd(&writer->zlib);
    mem_free(writer);
}

/* Calls zlib until it leaves room unused, which means that it has no more output. */
static void deflate_all(struct gzip_writer *writer, int flush, struct buf *out)
{
    z_stream *zlib = &writer->zlib;
    do {
        char *into = buf_reserve(out, STEP);
        if (!into)
            return; /* out remembers, as every use of a buffer does */
        zlib->next_out = (Bytef *)into;
        zlib->avail_out = STEP;
        const int status = deflate(zlib, flush);
        assert(status != Z_STREAM_ERROR);
        buf_grow(out, STEP - zlib->avail_out);
    } while (zlib->avail_out == 0);
}

void gzip_write(struct gzip_writer *writer, struct str input, struct buf *out)
{
    while (input.len) {
        const unsigned len = clamp_len(input.len);
        writer->zlib.next_in = (Bytef *)(uintptr_t)input.ptr;
        writer->zlib.avail_in = len;
        deflate_all(writer, Z_NO_FLUSH, out);
        input = str_skip(input, len);
    }
}

void gzip_write_end(struct gzip_writer *writer, struct buf *out)
{
    writer->zlib.avail_in = 0;
    deflate_all(writer, Z_FINISH, out);
}
