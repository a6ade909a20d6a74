/* Bodies that are too large, too deep, or larger than they look. */
#include "async/fiber.h"
#include "async/scope.h"
#include "base/gzip.h"
#include "base/memory.h"
#include "hostile/attacks.h"
#include "hostile/wire.h"

#define COLLECTION  "/api/v1/namespaces/team/configmaps"
#define BLOBS       "/apis/hostile.test/v1/namespaces/team/blobs"
#define DEPTH       100000
#define CHUNK       (64 * KILOBYTE)
#define LARGE       (100 * MEGABYTE)
#define LOOK_MAX    (10 * SECOND)
#define TAKEN_MAX   (20 * MEGABYTE)
#define BODY_LENGTH 3000000

/* Sends up to LARGE bytes in pieces until there is an answer or the server has had enough. */
static struct error *pour(struct transport *transport, bool chunked, struct buf *answer,
                          size_t *ret_sent)
{
    SCOPED(buf) piece = {0};
    if (chunked)
        buf_print(&piece, "%zx\r\n", CHUNK);
    for (size_t i = 0; i < CHUNK; i++)
        buf_add_char(&piece, ' ');
    if (chunked)
        buf_add(&piece, STR("\r\n"));
    for (*ret_sent = 0; *ret_sent < LARGE; *ret_sent += CHUNK) {
        char bytes[4096];
        size_t len = 0;
        if (!wire_write(transport, buf_str(&piece), LOOK_MAX))
            break;
        if (transport_receive(transport, bytes, sizeof(bytes), &len) != TRANSPORT_WAIT) {
            buf_add(answer, str_from(bytes, len));
            break;
        }
        TRY(fiber_yield());
    }
    return NULL;
}

static struct error *check_large(struct hostile_fixture *fixture, const char *name,
                                 struct str token, const char *headers, bool chunked)
{
    OWNED(transport) transport = NULL;
    SCOPED(buf) head = {0}, answer = {0};
    size_t sent;
    buf_print(&head, "POST " COLLECTION " HTTP/1.1\r\nHost: a\r\n%s\r\n", headers);
    if (token.len)
        buf_print(&head, "Authorization: Bearer %.*s\r\n", STR_ARG(token));
    buf_add(&head, STR("Content-Type: application/json\r\n\r\n"));
    TRY(wire_open_tls(fixture, NULL, false, &transport));
    if (!wire_write(transport, buf_str(&head), LOOK_MAX))
        return error_new(ERROR_INVALID, "%s: the head is not taken", name);
    TRY(pour(transport, chunked, &answer, &sent));
    const int status = wire_status(buf_str(&answer));
    if (sent > TAKEN_MAX || (status && (status < 400 || status >= 500)))
        return error_new(ERROR_INVALID, "%s: %zu bytes are taken and answered with %d: %.*s", name,
                         sent, status, STR_ARG(buf_str(&answer)));
    return NULL;
}

/* Small on the wire and large behind it; whoever does not unpack it sees no JSON. */
static struct error *check_packed(struct hostile_fixture *fixture, const char *encoding)
{
    SCOPED(buf) packed = {0}, bytes = {0}, answer = {0}, zeros = {0};
    OWNED(gzip_writer) writer = gzip_writer_new(9);
    for (size_t i = 0; i < MEGABYTE; i++)
        buf_add_char(&zeros, ' ');
    for (size_t i = 0; i < LARGE; i += MEGABYTE)
        gzip_write(writer, buf_str(&zeros), &packed);
    gzip_write_end(writer, &packed);
    buf_print(&bytes,
              "POST " COLLECTION " HTTP/1.1\r\nHost: a\r\nContent-Encoding: %s\r\n"
              "Content-Type: application/json\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n",
              encoding, packed.len);
    buf_add(&bytes, buf_str(&packed));
    TRY(wire_talk(fixture, buf_str(&bytes), LOOK_MAX, &answer));
    const int status = wire_status(buf_str(&answer));
    return status >= 400 && status < 500
               ? NULL
               : error_new(ERROR_INVALID, "a packed body is answered with %d", status);
}

struct error *attack_by_large_bodies(struct hostile_fixture *fixture)
{
    const struct str token = fixture->limited;
    TRY(check_large(fixture, "announced", token, "Content-Length: 104857600", false));
    TRY(check_large(fixture, "chunked", token, "Transfer-Encoding: chunked", true));
    TRY(check_large(fixture, "waits for a word", token,
                    "Expect: 100-continue\r\nContent-Length: 104857600", false));
    TRY(check_large(fixture, "packed", token, "Content-Encoding: gzip\r\nContent-Length: 104857600",
                    false));
    TRY(check_large(fixture, "nobody, announced", STR(""), "Content-Length: 104857600", false));
    TRY(check_large(fixture, "nobody, chunked", STR(""), "Transfer-Encoding: chunked", true));
    TRY(check_large(fixture, "length that overflows", token,
                    "Content-Length: 99999999999999999999999", false));
    TRY(check_packed(fixture, "gzip"));
    return check_packed(fixture, "identity");
}

/* A custom resource that takes everything, for bodies of any shape. */
static struct error *make_blobs(struct hostile_fixture *fixture)
{
    const struct hostile_fixture_request definition = {
        .method = "POST",
        .path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        .type = "application/json",
        .body =
            "{\"metadata\":{\"name\":\"blobs.hostile.test\"},\"spec\":{\"group\":\"hostile.test\","
            "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"blobs\",\"singular\":\"blob\","
            "\"kind\":\"Blob\",\"listKind\":\"BlobList\"},\"versions\":[{\"name\":\"v1\","
            "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
            "\"object\",\"x-kubernetes-preserve-unknown-fields\":true}}}]}}",
    };
    const struct hostile_fixture_request blob = {
        .method = "POST",
        .path = BLOBS,
        .type = "application/json",
        .body = "{\"apiVersion\":\"hostile.test/v1\",\"kind\":\"Blob\","
                "\"metadata\":{\"name\":\"blob\"},\"a\":[1]}",
    };
    SCOPED(hostile_fixture_answer) answer = {0};
    TRY(hostile_fixture_send(fixture->admin, &definition, &answer));
    for (int i = 0; i < 500; i++) {
        TRY(hostile_fixture_send(fixture->admin, &blob, &answer));
        if (answer.status == 201 || answer.status == 409)
            return NULL;
        TRY(fiber_sleep(10 * MILLISECOND));
    }
    return error_new(ERROR_INVALID, "there are no blobs: %d %.*s", answer.status,
                     STR_ARG(buf_str(&answer.body)));
}

static void repeat(struct buf *out, const char *unit, size_t count)
{
    while (count-- > 0)
        buf_add(out, str_from_c(unit));
}

/* A value nested DEPTH times between two texts. */
static struct error *check_deep(struct hostile_fixture *fixture,
                                struct hostile_fixture_request request, const char *before,
                                const char *open, const char *close, const char *behind)
{
    SCOPED(buf) body = {0};
    buf_add(&body, str_from_c(before));
    repeat(&body, open, DEPTH);
    buf_add(&body, STR("1"));
    repeat(&body, close, DEPTH);
    buf_add(&body, str_from_c(behind));
    request.body = buf_c(&body);
    request.method = request.method ? request.method : "POST";
    TRY(hostile_fixture_refused(fixture->admin, &request), "%s of %s", request.type, open);
    return NULL;
}

struct error *attack_by_deep_bodies(struct hostile_fixture *fixture)
{
    /* clang-format off */
    static const struct {
        struct hostile_fixture_request request;
        const char *before, *behind;
    } places[] = {
        {{.path = COLLECTION, .type = "application/json"}, "", ""},
        {{.path = COLLECTION, .type = "application/json"},
         "{\"metadata\":{\"name\":\"x\"},\"data\":", "}"},
        {{.path = COLLECTION, .type = "application/json"}, "{\"metadata\":", "}"},
        {{.path = BLOBS, .type = "application/json"},
         "{\"apiVersion\":\"hostile.test/v1\",\"kind\":\"Blob\",\"metadata\":{\"name\":\"x\"},\"b\":",
         "}"},
        {{.path = BLOBS, .type = "application/yaml"},
         "{\"apiVersion\":\"hostile.test/v1\",\"kind\":\"Blob\",\"metadata\":{\"name\":\"x\"},\"b\":",
         "}"},
        {{.method = "PUT", .path = BLOBS "/blob", .type = "application/json"},
         "{\"apiVersion\":\"hostile.test/v1\",\"kind\":\"Blob\",\"metadata\":{\"name\":\"blob\"},"
         "\"b\":", "}"},
        {{.method = "PATCH", .path = BLOBS "/blob", .type = "application/merge-patch+json"},
         "{\"b\":", "}"},
        {{.method = "PATCH", .path = BLOBS "/blob", .type = "application/json-patch+json"},
         "[{\"op\":\"add\",\"path\":\"/b\",\"value\":", "}]"},
        {{.method = "PATCH",
          .path = BLOBS "/blob?fieldManager=x",
          .type = "application/apply-patch+yaml"},
         "{\"apiVersion\":\"hostile.test/v1\",\"kind\":\"Blob\",\"metadata\":{\"name\":\"blob\"},"
         "\"b\":", "}"},
        {{.method = "PATCH",
          .path = COLLECTION "/kube-root-ca.crt",
          .type = "application/strategic-merge-patch+json"},
         "{\"data\":", "}"},
        {{.method = "DELETE", .path = BLOBS "/none", .type = "application/json"},
         "{\"preconditions\":", "}"},
        {{.path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
          .type = "application/json"},
         "{\"spec\":", "}"},
    };
    /* clang-format on */
    TRY(make_blobs(fixture));
    for (size_t i = 0; i < COUNT(places); i++) {
        TRY(check_deep(fixture, places[i].request, places[i].before, "[", "]", places[i].behind));
        TRY(check_deep(fixture, places[i].request, places[i].before, "{\"a\":", "}",
                       places[i].behind));
    }
    return NULL;
}

/* Is answered, whatever with, and in time. */
static struct error *check_answered(struct hostile_fixture *fixture, const char *name,
                                    struct hostile_fixture_request request)
{
    SCOPED(hostile_fixture_answer) answer = {0};
    TRY(hostile_fixture_send(fixture->admin, &request, &answer), "%s", name);
    if (answer.status >= 500)
        return error_new(ERROR_INVALID, "%s is answered with %d: %.*s", name, answer.status,
                         STR_ARG(str_slice(buf_str(&answer.body), 0, 300)));
    return NULL;
}

/* Nine times nine times … */
static void add_laughs(struct buf *out, bool flow)
{
    buf_add(out, STR("apiVersion: hostile.test/v1\nkind: Blob\nmetadata: {name: laughs}\n"));
    buf_add(out, STR("a: &a [x,x,x,x,x,x,x,x,x]\n"));
    for (int c = 'b'; c <= 'k'; c++)
        if (flow)
            buf_print(out, "%c: &%c [*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c,*%c]\n", c, c, c - 1, c - 1,
                      c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
        else
            buf_print(out, "%c: &%c {p: *%c, q: *%c, <<: *%c}\n", c, c, c - 1, c - 1, c - 1);
}

static struct error *check_yaml(struct hostile_fixture *fixture, const char *name, struct buf *body)
{
    const struct hostile_fixture_request create = {
        .method = "POST", .path = BLOBS, .type = "application/yaml", .body = buf_c(body)};
    const struct hostile_fixture_request apply = {.method = "PATCH",
                                                  .path = BLOBS "/laughs?fieldManager=x",
                                                  .type = "application/apply-patch+yaml",
                                                  .body = buf_c(body)};
    TRY(check_answered(fixture, name, create));
    return check_answered(fixture, name, apply);
}

static struct error *check_patches(struct hostile_fixture *fixture)
{
    SCOPED(buf) copies = {0}, path = {0}, keys = {0};
    buf_add(&copies, STR("[{\"op\":\"add\",\"path\":\"/c\",\"value\":{}}"));
    for (int i = 0; i < 64; i++)
        buf_print(&copies, ",{\"op\":\"copy\",\"from\":\"\",\"path\":\"/c/x%d\"}", i);
    buf_add(&copies, STR("]"));
    const struct hostile_fixture_request copy = {.method = "PATCH",
                                                 .path = BLOBS "/blob",
                                                 .type = "application/json-patch+json",
                                                 .body = buf_c(&copies)};
    TRY(hostile_fixture_refused(fixture->admin, &copy), "copies of copies");
    buf_add(&path, STR("[{\"op\":\"add\",\"path\":\""));
    repeat(&path, "/a", DEPTH);
    buf_add(&path, STR("\",\"value\":1}]"));
    const struct hostile_fixture_request deep = {.method = "PATCH",
                                                 .path = BLOBS "/blob",
                                                 .type = "application/json-patch+json",
                                                 .body = buf_c(&path)};
    TRY(hostile_fixture_refused(fixture->admin, &deep), "a deep path");
    buf_add(&keys, STR("{\"apiVersion\":\"hostile.test/v1\",\"kind\":\"Blob\","
                       "\"metadata\":{\"name\":\"keys\"}"));
    repeat(&keys, ",\"a\":1", DEPTH);
    buf_add(&keys, STR("}"));
    const struct hostile_fixture_request same = {
        .method = "POST", .path = BLOBS, .type = "application/json", .body = buf_c(&keys)};
    return check_answered(fixture, "keys that repeat", same);
}

struct error *attack_by_yaml_bombs(struct hostile_fixture *fixture)
{
    static const struct {
        const char *name, *before, *unit;
        size_t count;
    } rows[] = {
        {"flow sequences",  "a: ",           "[",      DEPTH             },
        {"flow mappings",   "a: ",           "{a: ",   DEPTH             },
        {"block sequences", "",              "- ",     DEPTH             },
        {"questions",       "",              "? ",     DEPTH             },
        {"anchors",         "a: ",           "&a ",    DEPTH             },
        {"tags",            "a: ",           "!!str ", DEPTH             },
        {"documents",       "",              "---\n",  DEPTH             },
        {"comments",        "",              "#\n",    (size_t)10 * DEPTH},
        {"aliases",         "a: &a x\nb: [", "*a,",    DEPTH             },
        {"quotes",          "a: ",           "\"",     DEPTH             },
    };
    TRY(make_blobs(fixture));
    for (int flow = 0; flow < 2; flow++) {
        SCOPED(buf) body = {0};
        add_laughs(&body, flow);
        TRY(check_yaml(fixture, "a billion laughs", &body));
    }
    for (size_t i = 0; i < COUNT(rows); i++) {
        SCOPED(buf) body = {0};
        buf_add(&body, str_from_c(rows[i].before));
        repeat(&body, rows[i].unit, rows[i].count);
        TRY(check_yaml(fixture, rows[i].name, &body));
    }
    return check_patches(fixture);
}

struct slow_body {
    struct hostile_fixture *fixture;
    struct str bytes;
    struct transport *transport;
};

/* Most of a body, and then nothing more. */
static struct error *send_most(void *data)
{
    struct slow_body *body = data;
    TRY(wire_open_tls(body->fixture, NULL, false, &body->transport));
    wire_write(body->transport, body->bytes, LOOK_MAX);
    return NULL;
}

static void make_most(const struct hostile_fixture *fixture, struct buf *out)
{
    buf_print(out,
              "POST " COLLECTION " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %.*s\r\n"
              "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n",
              STR_ARG(fixture->limited), BODY_LENGTH);
    for (int i = 0; i < BODY_LENGTH - 1000; i++)
        buf_add_char(out, ' ');
}

/* Many streams with a byte of a body each. */
static struct error *open_streams(struct hostile_fixture *fixture, struct transport **ret_transport)
{
    SCOPED(buf) bytes = {0};
    wire_preface(&bytes, UINT32_MAX);
    for (uint32_t i = 0; i < 250; i++) {
        wire_request(&bytes, 2 * i + 1, "POST", COLLECTION, fixture->limited, false);
        wire_frame(&bytes, WIRE_DATA, 0, 2 * i + 1, STR("{"));
    }
    TRY(wire_open_tls(fixture, NULL, true, ret_transport));
    wire_write(*ret_transport, buf_str(&bytes), LOOK_MAX);
    return NULL;
}

struct error *attack_by_many_slow_bodies(struct hostile_fixture *fixture)
{
    const size_t count = fixture->is_small ? 100 : 400, hogs = 6;
    struct slow_body *bodies = mem_realloc_array(NULL, count, sizeof(*bodies));
    struct transport *streams[6] = {0};
    struct error *err = NULL;
    SCOPED(buf) bytes = {0};
    make_most(fixture, &bytes);
    {
        SCOPED(scope) scope = {0};
        for (size_t i = 0; i < count; i++) {
            bodies[i] = (struct slow_body){.fixture = fixture, .bytes = buf_str(&bytes)};
            scope_start(&scope, "slow body", send_most, &bodies[i]);
        }
        err = scope_wait(&scope);
    }
    for (size_t i = 0; i < hogs && !err; i++)
        err = open_streams(fixture, &streams[i]);
    if (!err)
        err = fiber_sleep(SECOND);
    for (size_t i = 0; i < count; i++)
        transport_free(bodies[i].transport);
    for (size_t i = 0; i < hogs; i++)
        transport_free(streams[i]);
    mem_free(bodies);
    return err;
}
