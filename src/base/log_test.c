#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log_internal.h"
#include "base/random.h"
#include "testing/test.h"

static struct buf seen;

static void keep(void *data, struct str line)
{
    buf_add(data, line);
}

static timestamp at_example(void *data)
{
    (void)data;
    return 1700038648123456789;
}

static void capture(enum log_format format)
{
    buf_done(&seen);
    log_set_sink(keep, &seen);
    log_set_clock(at_example, NULL);
    log_set_format(format);
}

static void check_seen(const char *expected)
{
    CHECK_EQ(buf_str(&seen), str_from_c(expected));
    buf_done(&seen);
}

TEST(log_text_lines)
{
    capture(LOG_TEXT);
    log_info("Connected");
    check_seen("I1115 08:57:28.123456 \"Connected\"\n");
    log_info("Connected", LOG_KEY("Cluster", STR("ns"), STR("name")), LOG_INT("attempt", 3));
    check_seen("I1115 08:57:28.123456 \"Connected\" Cluster=\"ns/name\" attempt=3\n");
    log_info("All", LOG_STR("text", STR("a b")), LOG_BOOL("yes", true), LOG_BOOL("no", 0),
             LOG_DURATION("took", 1500 * MILLISECOND), LOG_INT("least", INT64_MIN),
             LOG_KEY("Node", STR(""), STR("n1")), LOG_STR("nothing", (struct str){0}));
    check_seen("I1115 08:57:28.123456 \"All\" text=\"a b\" yes=true no=false took=\"1.5s\" "
               "least=-9223372036854775808 Node=\"n1\" nothing=\"\"\n");
    OWNED(error) err = error_new(ERROR_TIMEOUT, "dial \"a\"");
    log_error("Connect failed", LOG_ERROR(err), LOG_DURATION("duration", SECOND));
    check_seen("E1115 08:57:28.123456 \"Connect failed\" err=\"dial \\\"a\\\"\" duration=\"1s\"\n");
    log_error("Odd", LOG_ERROR(NULL), LOG_INT("n", 1));
    check_seen("E1115 08:57:28.123456 \"Odd\" n=1\n");
}

TEST(log_json_lines)
{
    capture(LOG_JSON);
    log_info("Connected", LOG_KEY("Cluster", STR("ns"), STR("n")), LOG_INT("attempt", 3));
    check_seen("{\"ts\":1700038648123.456,\"v\":0,\"msg\":\"Connected\","
               "\"Cluster\":{\"name\":\"n\",\"namespace\":\"ns\"},\"attempt\":3}\n");
    log_info("All", LOG_STR("text", STR("a\"\n")), LOG_BOOL("yes", true),
             LOG_DURATION("took", 1500 * MILLISECOND), LOG_KEY("Node", STR(""), STR("n1")));
    check_seen("{\"ts\":1700038648123.456,\"v\":0,\"msg\":\"All\",\"text\":\"a\\\"\\n\","
               "\"yes\":true,\"took\":\"1.5s\",\"Node\":{\"name\":\"n1\"}}\n");
    OWNED(error) err = error_new(ERROR_TIMEOUT, "too late");
    log_error("Failed", LOG_ERROR(err));
    check_seen("{\"ts\":1700038648123.456,\"msg\":\"Failed\",\"err\":\"too late\"}\n");
    log_set_level(4);
    log_v(4, "Deep");
    check_seen("{\"ts\":1700038648123.456,\"v\":4,\"msg\":\"Deep\"}\n");
}

static timestamp at_whole_second(void *data)
{
    (void)data;
    return 1700000000000000000;
}

TEST(log_json_time_without_fraction)
{
    capture(LOG_JSON);
    log_set_clock(at_whole_second, NULL);
    log_info("Tick");
    check_seen("{\"ts\":1700000000000,\"v\":0,\"msg\":\"Tick\"}\n");
}

TEST(log_levels)
{
    capture(LOG_TEXT);
    int evaluated = 0;
    log_v(1, "Hidden", LOG_INT("n", ++evaluated));
    CHECK_EQ(evaluated, 0);
    CHECK_EQ(seen.len, (size_t)0);
    log_set_level(2);
    CHECK_EQ(log_level(), 2);
    log_v(3, "Hidden", LOG_INT("n", ++evaluated));
    log_v(2, "Shown", LOG_INT("n", ++evaluated));
    check_seen("I1115 08:57:28.123456 \"Shown\" n=1\n");
    log_set_level(-7);
    log_info("Shown");
    log_error("Shown");
    check_seen("I1115 08:57:28.123456 \"Shown\"\nE1115 08:57:28.123456 \"Shown\"\n");
}

TEST(log_secrets_stay_out)
{
    const struct str token = STR("hunter2");
    for (enum log_format format = LOG_TEXT; format <= LOG_JSON; format++) {
        capture(format);
        log_info("Login", LOG_SECRET("token", token), LOG_STR("user", STR("ann")));
        CHECK_CONTAINS(buf_str(&seen), STR("[redacted]"));
        CHECK_CONTAINS(buf_str(&seen), STR("ann"));
        CHECK(!str_contains(buf_str(&seen), token));
        buf_done(&seen);
    }
}

TEST(log_lines_cannot_be_forged)
{
    const struct str evil = STR("x\" admin=true\nE0101 00:00:00.000000 \"Forged\"\x1b[2J\xff\xe2"
                                "\x80\xa8");
    capture(LOG_TEXT);
    log_info("Read", LOG_STR("s", evil), LOG_KEY("Pod", evil, STR("\n")));
    check_seen("I1115 08:57:28.123456 \"Read\" "
               "s=\"x\\\" admin=true\\nE0101 00:00:00.000000 \\\"Forged\\\"\\x1b[2J\\xff\\u2028\" "
               "Pod=\"x\\\" admin=true\\nE0101 00:00:00.000000 \\\"Forged\\\"\\x1b[2J\\xff\\u2028"
               "/\\n\"\n");
    capture(LOG_JSON);
    log_info("Read", LOG_STR("s", STR("\"}\n{\x1b\xff\xe2\x80\xa8")));
    check_seen("{\"ts\":1700038648123.456,\"v\":0,\"msg\":\"Read\","
               "\"s\":\"\\\"}\\n{\\u001b\xef\xbf\xbd\\u2028\"}\n");
}

TEST(log_context_stands_in_front)
{
    capture(LOG_TEXT);
    CHECK(log_context_current() == NULL);
    {
        LOG_CONTEXT(LOG_STR("controller", STR("crs")), LOG_INT("worker", 1));
        log_info("Outer", LOG_INT("n", 1));
        check_seen("I1115 08:57:28.123456 \"Outer\" controller=\"crs\" worker=1 n=1\n");
        {
            LOG_CONTEXT(LOG_KEY("Cluster", STR("a"), STR("b")), LOG_INT("worker", 2));
            log_info("Inner", LOG_INT("n", 2));
            check_seen("I1115 08:57:28.123456 \"Inner\" controller=\"crs\" Cluster=\"a/b\" "
                       "worker=2 n=2\n");
            log_info("Own", LOG_INT("worker", 3));
            check_seen("I1115 08:57:28.123456 \"Own\" controller=\"crs\" Cluster=\"a/b\" "
                       "worker=3\n");
        }
        log_info("Outer");
        check_seen("I1115 08:57:28.123456 \"Outer\" controller=\"crs\" worker=1\n");
    }
    log_info("Bare");
    check_seen("I1115 08:57:28.123456 \"Bare\"\n");
}

TEST(log_context_is_switched)
{
    capture(LOG_TEXT);
    const struct log_field one[] = {LOG_STR("fiber", STR("one"))};
    struct log_context first = {one, COUNT(one), NULL};
    log_context_push(&first);
    struct log_context *const suspended = log_context_current();
    log_context_switch(NULL);
    log_info("Other");
    log_context_switch(suspended);
    log_info("Back");
    log_context_pop(&first);
    CHECK(log_context_current() == NULL);
    check_seen("I1115 08:57:28.123456 \"Other\"\nI1115 08:57:28.123456 \"Back\" fiber=\"one\"\n");
}

TEST(log_long_lines_are_cut)
{
    static char text[3 * LOG_LINE_MAX];
    memset(text, 'a', sizeof(text));
    capture(LOG_TEXT);
    log_info("Long", LOG_STR("s", str_from(text, sizeof(text))), LOG_INT("lost", 1));
    CHECK(seen.len <= LOG_LINE_MAX && seen.len > LOG_LINE_MAX - 128);
    CHECK(str_ends_with(buf_str(&seen), STR("aaaa\xe2\x80\xa6\" \xe2\x80\xa6\n")));
    capture(LOG_JSON);
    log_info("Long", LOG_STR("s", str_from(text, sizeof(text))), LOG_INT("lost", 1));
    CHECK(seen.len <= LOG_LINE_MAX);
    CHECK(str_ends_with(buf_str(&seen), STR("aaaa\xe2\x80\xa6\",\"truncated\":true}\n")));
    buf_done(&seen);
}

/* Balanced quotes and braces, no control characters, one newline at the end. */
static void check_json_shape(struct str line)
{
    bool quoted = false;
    int depth = 0;
    CHECK(str_is_utf8(line));
    CHECK_EQ(str_find_char(line, '\n'), line.len - 1);
    for (size_t i = 0; i + 1 < line.len; i++) {
        if (quoted && line.ptr[i] == '\\')
            i++;
        else if (line.ptr[i] == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (line.ptr[i] == '{') - (line.ptr[i] == '}');
        CHECK(depth > 0 || i + 2 == line.len);
    }
    CHECK(!quoted && depth == 0);
}

/* Every capacity in turn: wherever the cut falls, the line ends well and stays inside. */
TEST(log_cuts_end_well_everywhere)
{
    struct random random;
    random_init(&random, 4);
    char text[80];
    random_bytes(&random, text, sizeof(text));
    OWNED(error) err = error_new(ERROR_IO, "disk \"%s\"", "sda");
    const struct str value = str_from(text, sizeof(text));
    const struct log_field outer[] = {LOG_STR("controller", value)};
    const struct log_context context = {outer, COUNT(outer), NULL};
    const struct log_field fields[] = {LOG_STR("a", value),        LOG_KEY("Cluster", value, value),
                                       LOG_INT("n", INT64_MIN),    LOG_DURATION("d", INT64_MIN),
                                       LOG_SECRET("token", value), LOG_ERROR(err),
                                       LOG_KEY("k", value, value), LOG_BOOL("b", false)};
    const struct log_record record = {0, "Message", 1, &context, fields, COUNT(fields)};
    size_t complete = 0;
    for (size_t capacity = LOG_CAPACITY_MIN; capacity < 2500; capacity++) {
        TEST_CASE("capacity %zu", capacity);
        for (enum log_format format = LOG_TEXT; format <= LOG_JSON; format++) {
            char *bytes = buf_reserve(&seen, capacity);
            struct log_line line = {.ptr = bytes, .capacity = capacity};
            log_line_write(&line, format, &record);
            CHECK(line.len <= capacity);
            complete += !line.cut;
            CHECK_EQ(line.cut, str_contains(str_from(bytes, line.len), STR("\xe2\x80\xa6")) ||
                                   str_contains(str_from(bytes, line.len), STR("truncated")));
            if (format == LOG_JSON)
                check_json_shape(str_from(bytes, line.len));
        }
    }
    CHECK(complete > 100);
    buf_done(&seen);
}

static void log_again(void *data, struct str line)
{
    log_info("Never seen");
    keep(data, line);
}

TEST(log_sink_cannot_recurse)
{
    capture(LOG_TEXT);
    log_set_sink(log_again, &seen);
    log_info("Once");
    check_seen("I1115 08:57:28.123456 \"Once\"\n");
}

TEST(log_goes_to_standard_error)
{
    int ends[2];
    CHECK_EQ(pipe(ends), 0);
    const int saved = dup(STDERR_FILENO);
    dup2(ends[1], STDERR_FILENO);
    log_set_clock(at_example, NULL);
    errno = EDOM;
    log_info("Hello");
    const int kept = errno;
    dup2(saved, STDERR_FILENO);
    char text[64];
    const ssize_t len = read(ends[0], text, sizeof(text));
    CHECK_EQ(str_from(text, (size_t)len), STR("I1115 08:57:28.123456 \"Hello\"\n"));
    CHECK_EQ(kept, EDOM);
    close(ends[0]);
    close(ends[1]);
    close(saved);
}

static void *log_many(void *data)
{
    LOG_CONTEXT(LOG_INT("thread", *(int *)data));
    for (int i = 0; i < 200; i++)
        log_v(i % 8, "Busy", LOG_INT("i", i));
    return NULL;
}

static _Atomic int lines;

static void count_lines(void *data, struct str line)
{
    (void)data;
    lines += str_ends_with(line, STR("\n"));
}

TEST(log_from_several_threads)
{
    pthread_t threads[3];
    int numbers[3] = {0, 1, 2};
    log_set_sink(count_lines, NULL);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, log_many, &numbers[i]), 0);
    for (int i = 0; i < 50; i++)
        log_set_level(i % 8);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    CHECK(lines >= 75 && lines <= 600);
}
