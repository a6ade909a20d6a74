#include "http/h2_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"
#include "http/h2.h"
#include "http/h2_internal.h"
#include "http/recorder_test.h"

#define MANY 150

/* How much of a client's frame buffer is real memory, in pages. */
static size_t resident_pages(const struct http_engine *engine)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    const struct h2 *h2 = h2_of(engine);
    const size_t over = (uintptr_t)h2->memory.frame % page;
    unsigned char pages[16] = {0};
    size_t count = 0;
    CHECK_EQ(mincore(h2->memory.frame - over, over + 16 * KILOBYTE, pages), 0);
    for (size_t i = 0; i < COUNT(pages); i++)
        count += pages[i] & 1;
    return count;
}

static void send_request(struct recorder *client, size_t body)
{
    struct recorder_stream *stream = recorder_stream_new(client);
    SCOPED(http_head)
    head = {.method = body ? STR("POST") : STR("GET"),
            .authority = STR("host"),
            .target = STR("/api/v1/namespaces/default/configmaps/name?timeout=10s")};
    SCOPED(buf) bytes = {0}, sent = {0};
    size_t taken;
    CHECK_OK(http_engine_open(client->engine, &stream->stream, &head, body == 0));
    while (bytes.len < body)
        buf_add_char(&bytes, 'x');
    if (body) {
        CHECK_OK(http_stream_write(&stream->stream, buf_str(&bytes), &taken));
        CHECK_EQ(taken, body);
        CHECK_OK(http_stream_end(&stream->stream));
    }
    CHECK_OK(recorder_drain(client, &sent));
    CHECK(sent.len > body);
}

TEST(an_idle_client_needs_little_of_its_frame_buffer)
{
    struct recorder client;
    recorder_init(&client, h2_new, HTTP_CLIENT, NULL);
    CHECK_EQ(h2_memory_frame_count(), (size_t)1);
    for (int i = 0; i < 10; i++)
        send_request(&client, 0);
    CHECK(resident_pages(client.engine) <= 2);
    send_request(&client, 20 * KILOBYTE);
    CHECK(resident_pages(client.engine) >= 4);
    recorder_done(&client);
    CHECK_EQ(h2_memory_frame_count(), (size_t)0);
}

TEST(a_server_has_its_frame_buffer_on_the_heap)
{
    struct recorder server;
    recorder_init(&server, h2_new, HTTP_SERVER, NULL);
    CHECK_EQ(h2_memory_frame_count(), (size_t)0);
    recorder_done(&server);
}

/* In whichever order they come and go. */
TEST(frame_buffers_are_given_back)
{
    struct recorder clients[MANY];
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < MANY; i++) {
            recorder_init(&clients[i], h2_new, HTTP_CLIENT, NULL);
            send_request(&clients[i], 0);
        }
        CHECK_EQ(h2_memory_frame_count(), (size_t)MANY);
        for (size_t i = 0; i < MANY; i++)
            for (size_t j = 0; j < i; j++)
                CHECK(h2_of(clients[i].engine)->memory.frame !=
                      h2_of(clients[j].engine)->memory.frame);
        for (size_t i = 1; i < MANY; i += 2) {
            recorder_done(&clients[i]);
            recorder_init(&clients[i], h2_new, HTTP_CLIENT, NULL);
        }
        CHECK_EQ(h2_memory_frame_count(), (size_t)MANY);
        for (size_t i = 0; i < MANY; i++)
            recorder_done(&clients[i * 7 % MANY]);
        CHECK_EQ(h2_memory_frame_count(), (size_t)0);
    }
}

TEST(other_memory_of_a_session_is_on_the_heap)
{
    struct h2_memory memory = {0};
    const nghttp2_mem mem = h2_memory_functions(&memory);
    void *small = mem.malloc(100, mem.mem_user_data);
    void *frame = mem.malloc(16394, mem.mem_user_data);
    void *second = mem.malloc(16394, mem.mem_user_data);
    void *large = mem.calloc(1000, 100, mem.mem_user_data);
    CHECK_EQ(h2_memory_frame_count(), (size_t)1);
    CHECK(frame == memory.frame);
    CHECK(second && second != frame);
    CHECK_EQ(((char *)large)[99999], 0);
    small = mem.realloc(small, 30000, mem.mem_user_data);
    memset(small, 1, 30000);
    memset(frame, 1, 16394);
    memset(second, 1, 16394);
    mem.free(NULL, mem.mem_user_data);
    mem.free(second, mem.mem_user_data);
    mem.free(frame, mem.mem_user_data);
    CHECK_EQ(h2_memory_frame_count(), (size_t)0);
    frame = mem.malloc(16394, mem.mem_user_data); /* others see nothing of it */
    for (size_t i = 0; i < 16394; i++)
        CHECK_EQ(((char *)frame)[i], 0);
    memset(frame, 2, 16394);
    frame = mem.realloc(frame, 40000, mem.mem_user_data);
    CHECK_EQ(((char *)frame)[16393], 2);
    CHECK_EQ(h2_memory_frame_count(), (size_t)0);
    mem.free(frame, mem.mem_user_data);
    mem.free(small, mem.mem_user_data);
    mem.free(large, mem.mem_user_data);
}
