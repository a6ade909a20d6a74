#include "base/gzip.h"

#include <zlib.h>

#include "testing/test.h"

static void compress_text(struct str text, struct buf *out)
{
    OWNED(gzip_writer) writer = gzip_writer_new(6);
    gzip_write(writer, text, out);
    gzip_write_end(writer, out);
}

/* Reads in pieces of this size, a room of this size at a time. */
static struct error *inflate_text(struct gzip_reader *reader, struct str text, size_t piece,
                                  size_t room, struct buf *out)
{
    for (size_t at = 0; at < text.len; at += piece) {
        struct str input = str_slice(text, at, at + piece);
        size_t before;
        do {
            before = out->len;
            TRY(gzip_read(reader, &input, out, room));
            CHECK(out->len - before <= room);
        } while (input.len || out->len - before == room);
    }
    return gzip_read_end(reader);
}

TEST(gzip_round_trips_in_any_pieces)
{
    SCOPED(buf) text = {0}, packed = {0};
    for (int i = 0; i < 5000; i++)
        buf_print(&text, "{\"item\":%d}\n", i);
    compress_text(buf_str(&text), &packed);
    CHECK(packed.len < text.len / 3);
    const size_t sizes[] = {1, 2, 7, 100, 4096, 1000000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        for (size_t j = 0; j < COUNT(sizes); j++) {
            TEST_CASE("pieces of %zu, room for %zu", sizes[i], sizes[j]);
            SCOPED(buf) back = {0};
            OWNED(gzip_reader) reader = gzip_reader_new(0, 0);
            CHECK_OK(inflate_text(reader, buf_str(&packed), sizes[i], sizes[j], &back));
            CHECK(str_eq(buf_str(&back), buf_str(&text)));
        }
    }
}

/* A server that compresses a watch flushes behind every event. */
static void compress_and_flush(z_stream *zlib, struct str text, struct buf *out)
{
    char room[256];
    zlib->next_in = (Bytef *)(uintptr_t)text.ptr;
    zlib->avail_in = (unsigned)text.len;
    zlib->next_out = (Bytef *)room;
    zlib->avail_out = sizeof(room);
    CHECK_EQ(deflate(zlib, Z_SYNC_FLUSH), Z_OK);
    CHECK_EQ(zlib->avail_in, 0U);
    buf_add(out, str_from(room, sizeof(room) - zlib->avail_out));
}

TEST(gzip_reader_gives_out_what_was_flushed)
{
    z_stream zlib = {.zalloc = NULL};
    OWNED(gzip_reader) reader = gzip_reader_new(0, 0);
    SCOPED(buf) packed = {0}, back = {0};
    CHECK_EQ(deflateInit2(&zlib, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    for (int i = 0; i < 3; i++) {
        buf_clear(&packed);
        compress_and_flush(&zlib, STR("event\n"), &packed);
        struct str input = buf_str(&packed);
        CHECK_OK(gzip_read(reader, &input, &back, 1000));
        CHECK_EQ(back.len, (size_t)(i + 1) * 6);
    }
    CHECK_FAILS(gzip_read_end(reader), ERROR_PROTOCOL, "truncated");
    deflateEnd(&zlib);
}

TEST(gzip_joins_members)
{
    SCOPED(buf) packed = {0}, back = {0};
    compress_text(STR("one "), &packed);
    compress_text(STR(""), &packed);
    compress_text(STR("two"), &packed);
    OWNED(gzip_reader) reader = gzip_reader_new(0, 0);
    CHECK_OK(inflate_text(reader, buf_str(&packed), 3, 2, &back));
    CHECK_EQ(buf_str(&back), STR("one two"));
}

TEST(gzip_truncated_at_every_byte)
{
    SCOPED(buf) packed = {0};
    compress_text(STR("some text that is cut"), &packed);
    for (size_t len = 0; len < packed.len; len++) {
        SCOPED(buf) back = {0};
        OWNED(gzip_reader) reader = gzip_reader_new(0, 0);
        CHECK_FAILS(inflate_text(reader, str_slice(buf_str(&packed), 0, len), 5, 100, &back),
                    ERROR_PROTOCOL, "truncated");
    }
}

TEST(gzip_refuses_other_bytes)
{
    SCOPED(buf) packed = {0};
    compress_text(STR("text"), &packed);
    packed.ptr[packed.len - 6] ^= 1; /* the checksum */
    const struct {
        const char *name;
        struct str text;
    } cases[] = {
        {"plain text",     STR("{\"kind\":\"List\"}")             },
        {"zlib, not gzip", STR("\x78\x9c\x03\x00\x00\x00\x00\x01")},
        {"bad checksum",   buf_str(&packed)                       },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(buf) back = {0};
        OWNED(gzip_reader) reader = gzip_reader_new(0, 0);
        CHECK_ERROR(inflate_text(reader, cases[i].text, 100, 100, &back), ERROR_PROTOCOL);
    }
    SCOPED(buf) trailing = {0}, back = {0};
    compress_text(STR("text"), &trailing);
    buf_add(&trailing, STR("garbage"));
    OWNED(gzip_reader) reader = gzip_reader_new(0, 0);
    CHECK_ERROR(inflate_text(reader, buf_str(&trailing), 100, 100, &back), ERROR_PROTOCOL);
}

TEST(gzip_bombs_are_defused)
{
    SCOPED(buf) zeros = {0}, packed = {0};
    char *room = buf_reserve(&zeros, 8 * MEGABYTE);
    CHECK(room != NULL);
    memset(room, 0, 8 * MEGABYTE);
    buf_grow(&zeros, 8 * MEGABYTE);
    compress_text(buf_str(&zeros), &packed);

    SCOPED(buf) back = {0};
    OWNED(gzip_reader) reader = gzip_reader_new(0, 0);
    CHECK_FAILS(inflate_text(reader, buf_str(&packed), 4096, 65536, &back), ERROR_TOO_LARGE,
                "inflates to");
    CHECK(back.len < 2 * MEGABYTE);

    SCOPED(buf) small = {0};
    OWNED(gzip_reader) limited = gzip_reader_new(1000, 100000);
    CHECK_FAILS(inflate_text(limited, buf_str(&packed), 4096, 100, &small), ERROR_TOO_LARGE,
                "1000 bytes");
    CHECK(small.len <= 1100);
}
