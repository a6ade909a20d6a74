#include "apiserver/server_health.h"

#include "async/fiber.h"
#include "base/buf.h"
#include "base/log.h"
#include "testing/sim.h"

static void keep_line(void *data, struct str line)
{
    struct buf *lines = data;
    buf_add(lines, str_slice(line, str_find_char(line, '"'), line.len));
}

SIM_TEST(server_health_tells_at_once_every_minute_and_at_the_end)
{
    SCOPED(buf) lines = {0};
    log_set_sink(keep_line, &lines);
    OWNED(server_health) health = server_health_new(loop_current());
    server_health_set(health, SERVER_HEALTH_STORE, NULL);
    CHECK_EQ(lines.len, (size_t)0);
    server_health_set(health, SERVER_HEALTH_STORE, "full");
    CHECK_EQ(buf_str(&lines), STR("\"Writes fail\" reason=\"full\"\n"));
    CHECK_EQ(server_health_words(health, SERVER_HEALTH_STORE), "full");
    CHECK(server_health_words(health, SERVER_HEALTH_CONNECTIONS) == NULL);
    buf_clear(&lines);
    for (int i = 0; i < 100; i++) {
        CHECK_OK(fiber_sleep(SECOND));
        server_health_set(health, SERVER_HEALTH_STORE, "full"); /* no news */
    }
    CHECK_EQ(buf_str(&lines), STR("\"Writes fail\" reason=\"full\"\n"));
    buf_clear(&lines);
    server_health_set(health, SERVER_HEALTH_STORE, NULL);
    CHECK_EQ(buf_str(&lines), STR("\"Writes succeed again\"\n"));
    buf_clear(&lines);
    server_health_set(health, SERVER_HEALTH_STORE, "full"); /* told of less than a minute ago */
    server_health_set(health, SERVER_HEALTH_STORE, NULL);
    CHECK_EQ(lines.len, (size_t)0);
    server_health_set(health, SERVER_HEALTH_CONNECTIONS, "too many");
    CHECK_EQ(buf_str(&lines), STR("\"No more connections are accepted\" reason=\"too many\"\n"));
    log_set_sink(NULL, NULL);
}
