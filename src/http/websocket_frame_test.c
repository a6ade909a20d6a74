#include "http/websocket_frame.h"

#include "base/random.h"
#include "testing/test.h"

/* Writes down what a reader reports: "ping hi", "close", "error 1002", one line each. */
static void read_pieces(struct str bytes, size_t piece, struct buf *log)
{
    struct websocket_reader reader = {0};
    while (bytes.len) {
        struct str part = str_slice(bytes, 0, piece ? piece : bytes.len);
        bytes = str_skip(bytes, part.len);
        enum websocket_news news;
        while ((news = websocket_reader_next(&reader, &part)) != WEBSOCKET_NO_NEWS) {
            if (news == WEBSOCKET_HAS_PING)
                buf_print(log, "ping %.*s\n", STR_ARG(websocket_reader_ping(&reader)));
            else if (news == WEBSOCKET_HAS_CLOSE)
                buf_add(log, STR("close\n"));
            else
                buf_print(log, "error %d\n", reader.status);
            if (news == WEBSOCKET_HAS_ERROR)
                return;
        }
        CHECK_EQ(part.len, 0);
    }
}

#define MASK "\1\2\3\4"
#define HI   "hi" /* masked it is "ik" */
#define PING "\x89\x82" MASK "ik"

TEST(websocket_frames_are_read)
{
    const struct {
        const char *name;
        struct str bytes;
        const char *log;
    } cases[] = {
        {"a ping",                                STR(PING),                                              "ping " HI "\n"             },
        {"an empty ping",                         STR("\x89\x80" MASK),                                   "ping \n"                   },
        {"two pings",                             STR(PING PING),                                         "ping " HI "\nping " HI "\n"},
        {"a pong is skipped",                     STR("\x8a\x82" MASK "ik" PING),                         "ping " HI "\n"             },
        {"text is skipped",                       STR("\x81\x83" MASK "abc" PING),                        "ping " HI "\n"             },
        {"binary is skipped",                     STR("\x82\x83" MASK "abc" PING),                        "ping " HI "\n"             },
        {"a ping inside of a message",            STR("\x01\x81" MASK "a" PING "\x80\x81" MASK "b" PING),
         "ping " HI "\nping " HI "\n"                                                                                                 },
        {"a close",                               STR("\x88\x80" MASK),                                   "close\n"                   },
        {"a close with a code",                   STR("\x88\x82" MASK "\x02\xea"),                        "close\n"                   },
        {"a close with a code of an application", STR("\x88\x82" MASK "\x0e\xa2"),                        "close\n"                   },
        {"a close with half a code",              STR("\x88\x81" MASK "\x02"),                            "error 1002\n"              },
        {"a close with a code for nobody",        STR("\x88\x82" MASK "\x02\xef"),                        "error 1002\n"              },
        {"a close with code 0",                   STR("\x88\x82" MASK "\x01\x02"),                        "error 1002\n"              },
        {"no mask",                               STR("\x89\x02hi"),                                      "error 1002\n"              },
        {"reserved bits",                         STR("\xc9\x82" MASK "ik"),                              "error 1002\n"              },
        {"an unknown opcode",                     STR("\x83\x80" MASK),                                   "error 1002\n"              },
        {"an unknown control frame",              STR("\x8b\x80" MASK),                                   "error 1002\n"              },
        {"a ping in pieces",                      STR("\x09\x82" MASK "ik"),                              "error 1002\n"              },
        {"a ping that is too long",               STR("\x89\xfe\x00\x7e" MASK),                           "error 1002\n"              },
        {"a continuation of nothing",             STR("\x80\x80" MASK),                                   "error 1002\n"              },
        {"a message inside of a message",         STR("\x01\x80" MASK "\x81\x80" MASK),                   "error 1002\n"              },
        {"16 bits for a short length",            STR("\x81\xfe\x00\x7d" MASK),                           "error 1002\n"              },
        {"64 bits for a short length",            STR("\x81\xff\0\0\0\0\0\0\xff\xff" MASK),               "error 1002\n"              },
        {"a length beyond 63 bits",               STR("\x81\xff\x80\0\0\0\0\0\0\0" MASK),                 "error 1002\n"              },
        {"a message that is too large",           STR("\x81\xff\0\0\0\0\x02\0\0\1" MASK),                 "error 1009\n"              },
        {"a message that is too large in pieces",
         STR("\x01\x81" MASK "a"
             "\x80\xff\0\0\0\0\x02\0\0\0" MASK),
         "error 1009\n"                                                                                                               },
        {"half a head",                           STR("\x89"),                                            ""                          },
        {"half a payload",                        STR("\x89\x82" MASK "i"),                               ""                          },
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t piece = 0; piece <= cases[i].bytes.len; piece++) {
            SCOPED(buf) log = {.limit = 0};
            TEST_CASE("%s, pieces of %zu", cases[i].name, piece);
            read_pieces(cases[i].bytes, piece, &log);
            CHECK_EQ(buf_str(&log), str_from_c(cases[i].log));
        }
}

/* Payloads of every form of length are skipped to their last byte. */
TEST(websocket_messages_of_any_size_are_skipped)
{
    static const size_t sizes[] = {0, 1, 125, 126, 127, 65535, 65536, 100000};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        SCOPED(buf) frame = {.limit = 0}, log = {.limit = 0};
        TEST_CASE("%zu bytes", sizes[i]);
        websocket_frame_head(&frame, WEBSOCKET_BINARY, sizes[i]);
        frame.ptr[1] = (char)(frame.ptr[1] | 0x80); /* a client's frame is masked */
        buf_add(&frame, STR(MASK));
        for (size_t n = 0; n < sizes[i]; n++)
            buf_add_char(&frame, (char)n);
        buf_add(&frame, STR(PING));
        read_pieces(buf_str(&frame), 0, &log);
        CHECK_EQ(buf_str(&log), STR("ping " HI "\n"));
    }
}

/* Random bytes, many of them frames: the reader keeps to its storage, and pieces do not matter. */
TEST(websocket_frames_of_strangers_are_survived)
{
    struct random random;
    random_init(&random, 1);
    for (int round = 0; round < 3000; round++) {
        char bytes[200];
        SCOPED(buf) whole = {.limit = 0}, pieces = {.limit = 0};
        const size_t len = random_below(&random, sizeof(bytes) + 1);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)random_below(&random, 256);
        if (len > 1) {
            bytes[0] = (char)(0x80 | random_below(&random, 11));
            bytes[1] = (char)(0x80 | random_below(&random, 128));
        }
        read_pieces(str_from(bytes, len), 0, &whole);
        read_pieces(str_from(bytes, len), 1 + random_below(&random, 9), &pieces);
        CHECK_EQ(buf_str(&pieces), buf_str(&whole));
    }
}

TEST(websocket_frames_are_written)
{
    SCOPED(buf) out = {.limit = 0};
    websocket_frame_head(&out, WEBSOCKET_TEXT, 125);
    websocket_frame_head(&out, WEBSOCKET_TEXT, 126);
    websocket_frame_head(&out, WEBSOCKET_TEXT, 65535);
    websocket_frame_head(&out, WEBSOCKET_TEXT, 65536);
    websocket_frame_close(&out, WEBSOCKET_NORMAL);
    CHECK_EQ(buf_str(&out), STR("\x81\x7d"
                                "\x81\x7e\x00\x7e"
                                "\x81\x7e\xff\xff"
                                "\x81\x7f\0\0\0\0\0\1\0\0"
                                "\x88\x02\x03\xe8"));
}
