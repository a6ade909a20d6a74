/* Request lines and heads that are too clever or too large. */
#include "hostile/attacks.h"
#include "hostile/wire.h"

#define TALK_MAX (10 * SECOND)

/* As the administrator, so that only the path can be the reason. 0: no answer is one as well. */
static struct error *check_target(struct hostile_fixture *fixture, const char *name,
                                  struct str target, struct str more)
{
    SCOPED(buf) bytes = {0}, answer = {0};
    buf_print(&bytes, "GET %.*s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n",
              STR_ARG(target));
    buf_add(&bytes, more);
    buf_add(&bytes, STR("\r\n"));
    TRY(wire_talk(fixture, buf_str(&bytes), TALK_MAX, &answer), "%s", name);
    const int status = wire_status(buf_str(&answer));
    if (status >= 400 && status < 500 &&
        !str_contains(buf_str(&answer), STR(HOSTILE_FIXTURE_CANARY)))
        return NULL;
    return error_new(ERROR_INVALID, "%s is answered with %d: %.*s", name, status,
                     STR_ARG(str_slice(buf_str(&answer), 0, 300)));
}

struct error *attack_by_path_tricks(struct hostile_fixture *fixture)
{
    static const struct str targets[] = {
        STR_INIT("//api/v1/secrets"),
        STR_INIT("/api//v1/secrets"),
        STR_INIT("/api/v1/secrets//"),
        STR_INIT("/./api/v1/secrets"),
        STR_INIT("/api/v1/./secrets"),
        STR_INIT("/healthz/../api/v1/secrets"),
        STR_INIT("/healthz/..%2fapi/v1/secrets"),
        STR_INIT("/healthz/%2e%2e/api/v1/secrets"),
        STR_INIT("/healthz%2f..%2fapi/v1/secrets"),
        STR_INIT("/healthz/%252e%252e/api/v1/secrets"),
        STR_INIT("/healthz;/../api/v1/secrets"),
        STR_INIT("/healthz;x"),
        STR_INIT("/healthz%00"),
        STR_INIT("/healthz%00/api/v1/secrets"),
        STR_INIT("/api/v1/secrets%00"),
        STR_INIT("/api/v1/secrets%"),
        STR_INIT("/api/v1/secrets%0"),
        STR_INIT("/api/v1/secrets%zz"),
        STR_INIT("/api/v1/secrets%2"),
        STR_INIT("/API/v1/secrets"),
        STR_INIT("/Api/V1/Secrets"),
        STR_INIT("/api/v1/namespaces/vault/secrets/crown%2f"),
        STR_INIT("/api/v1/namespaces/vault%2fsecrets%2fcrown"),
        STR_INIT("/api/v1/namespaces/vault/secrets/%2e"),
        STR_INIT("/api/v1/namespaces/vault/secrets/."),
        STR_INIT("/api/v1/namespaces/vault/secrets/.."),
        STR_INIT("/clusters/vc-0001/../../api/v1/secrets"),
        STR_INIT("/clusters/x/../../api/v1/secrets"),
        STR_INIT("/clusters/../api/v1/secrets"),
        STR_INIT("/clusters/%2e%2e/api/v1/secrets"),
        STR_INIT("/clusters/vc-0001%2f..%2f../api/v1/secrets"),
        STR_INIT("\\api\\v1\\secrets"),
        STR_INIT("/api\\v1\\secrets"),
        STR_INIT("/api/v1/secr\0ets"),
        STR_INIT("api/v1/secrets"),
        STR_INIT("*"),
        STR_INIT("/api/v1/secrets\t"),
        STR_INIT("/api/v1/\xff\xfe"),
        STR_INIT("/%c0%af%c0%ae/api"),
        STR_INIT("/api/v1/namespaces/vault/secrets/crown#x"),
    };
    for (size_t i = 0; i < COUNT(targets); i++)
        TRY(check_target(fixture,
                         arena_print(&fixture->arena, "target %.*s", STR_ARG(targets[i])).ptr,
                         targets[i], STR("")));
    return NULL;
}

static void fill(struct buf *out, size_t len, char c)
{
    while (len-- > 0)
        buf_add_char(out, c);
}

static struct error *check_length(struct hostile_fixture *fixture, size_t len)
{
    SCOPED(buf) path = {0}, query = {0}, value = {0}, slashes = {0};
    buf_add(&path, STR("/api/v1/namespaces/"));
    fill(&path, len, 'a');
    TRY(check_target(fixture, "a long path", buf_str(&path), STR("")));
    buf_add(&query, STR("/api/v1/nonsense?x="));
    fill(&query, len, 'a');
    TRY(check_target(fixture, "a long query", buf_str(&query), STR("")));
    buf_add(&value, STR("X-Long: "));
    fill(&value, len, 'a');
    buf_add(&value, STR("\r\n"));
    TRY(check_target(fixture, "a long header", STR("/api/v1/nonsense"), buf_str(&value)));
    while (slashes.len < len)
        buf_add(&slashes, STR("/a"));
    return check_target(fixture, "a path of many segments", buf_str(&slashes), STR(""));
}

static struct error *check_many_headers(struct hostile_fixture *fixture)
{
    SCOPED(buf) headers = {0}, parameters = {0};
    for (int i = 0; i < 10000; i++)
        buf_print(&headers, "X-%d: a\r\n", i);
    TRY(check_target(fixture, "many headers", STR("/healthz"), buf_str(&headers)));
    buf_add(&parameters, STR("/api/v1/nonsense?"));
    for (int i = 0; i < 10000; i++)
        buf_print(&parameters, "a%d=%%41&", i);
    return check_target(fixture, "many parameters", buf_str(&parameters), STR(""));
}

/* Selectors, tokens and names are parsed: long ones must not take long. */
static struct error *check_long_values(struct hostile_fixture *fixture)
{
    static const char *const names[] = {"labelSelector",   "fieldSelector", "continue",
                                        "resourceVersion", "limit",         "timeoutSeconds"};
    static const char *const units[] = {"a,", "a%3Db,", "a%20in%20(", "(", "%28", "9", "!", "%ff"};
    for (size_t i = 0; i < COUNT(names); i++)
        for (size_t j = 0; j < COUNT(units); j++) {
            SCOPED(buf) target = {0}, answer = {0}, bytes = {0};
            buf_print(&target, "/api/v1/namespaces/none/configmaps?%s=", names[i]);
            while (target.len < 50 * KILOBYTE)
                buf_add(&target, str_from_c(units[j]));
            buf_print(&bytes, "GET %.*s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
                      STR_ARG(buf_str(&target)));
            TRY(wire_talk(fixture, buf_str(&bytes), TALK_MAX, &answer));
            if (!wire_status(buf_str(&answer)))
                return error_new(ERROR_INVALID, "%s of many %s is not answered", names[i],
                                 units[j]);
        }
    return NULL;
}

struct error *attack_by_large_heads(struct hostile_fixture *fixture)
{
    TRY(check_length(fixture, 60000));
    TRY(check_length(fixture, MEGABYTE));
    TRY(check_many_headers(fixture));
    return check_long_values(fixture);
}
