#include "controller/reviewer.h"

#include "apimachinery/object.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "client/client.h"
#include "json/builder.h"
#include "json/path.h"

#define YES_HOLDS   MINUTE
#define NO_HOLDS    (10 * SECOND)
#define ANSWERS_MAX 1024
#define TOKEN_MAX   (16 * KILOBYTE)
#define PATH_MAX_   (4 * KILOBYTE)
#define ANSWER_MAX  MEGABYTE
#define LIMIT       (10 * SECOND)

/* What was found out about a token and a path. */
struct verdict {
    enum error_code code; /* ERROR_NONE: allowed */
    int64_t until;
    char *user; /* of one that is known */
};

struct reviewer {
    struct loop *loop;
    struct client *client;
    struct map verdicts; /* by the hash of token, verb and path; the oldest first */
};

static void verdict_free(void *value)
{
    struct verdict *verdict = value;
    mem_free(verdict->user);
    mem_free(verdict);
}

struct reviewer *reviewer_new(struct loop *loop, struct client *client)
{
    struct reviewer *reviewer = NEW(struct reviewer);
    *reviewer = (struct reviewer){.loop = loop, .client = client};
    reviewer->verdicts.release = verdict_free;
    return reviewer;
}

void reviewer_free(struct reviewer *reviewer)
{
    if (!reviewer)
        return;
    map_done(&reviewer->verdicts);
    mem_free(reviewer);
}

/* Suspends: creates a review and reads what came of it. */
static struct error *review(struct reviewer *reviewer, struct str path, struct str body,
                            struct object **ret_answer)
{
    SCOPED(arena) arena = {0};
    SCOPED(buf) answer = {.limit = ANSWER_MAX, .secret = true};
    struct client_raw_answer head;
    const struct client_raw_request request = {
        .method = STR("POST"),
        .path = path,
        .content_type = STR("application/json"),
        .body = body,
        .timeout = LIMIT,
    };
    TRY(client_raw(reviewer->client, &request, &arena, &answer, &head));
    return object_read(buf_str(&answer), ret_answer);
}

/* Suspends. */
static struct error *review_token(struct reviewer *reviewer, struct str token,
                                  struct object **ret_answer)
{
    SCOPED(buf) body = {.secret = true};
    buf_add(&body, STR("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\","
                       "\"spec\":{\"token\":"));
    buf_add_json_string(&body, token);
    buf_add(&body, STR("}}"));
    TRY(review(reviewer, STR("/apis/authentication.k8s.io/v1/tokenreviews"), buf_str(&body),
               ret_answer),
        "review a token");
    return NULL;
}

/* Suspends. */
static struct error *review_access(struct reviewer *reviewer, const struct json_value *user,
                                   struct str verb, struct str path, struct object **ret_answer)
{
    SCOPED(buf) body = {0};
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR("authorization.k8s.io/v1"));
    json_builder_add_str(&builder, "kind", STR("SubjectAccessReview"));
    json_builder_add_object(&builder, "spec");
    json_builder_add_str(&builder, "user", json_path_str(user, "username"));
    static const char *const copied[] = {"uid", "groups", "extra"};
    for (size_t i = 0; i < COUNT(copied); i++) {
        const struct json_value *value = json_get(user, str_from_c(copied[i]));
        if (value)
            json_builder_add_value(&builder, copied[i], value);
    }
    json_builder_add_object(&builder, "nonResourceAttributes");
    json_builder_add_str(&builder, "path", path);
    json_builder_add_str(&builder, "verb", verb);
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(&body, json_doc_root(doc));
    TRY(review(reviewer, STR("/apis/authorization.k8s.io/v1/subjectaccessreviews"), buf_str(&body),
               ret_answer),
        "review access");
    return NULL;
}

/* Suspends. */
static struct error *find_out(struct reviewer *reviewer, struct str token, struct str verb,
                              struct str path, struct verdict *verdict)
{
    OWNED(object) who = NULL;
    OWNED(object) may = NULL;
    bool yes = false;
    TRY(review_token(reviewer, token, &who));
    const struct json_value *user = object_path(who, "status.user");
    const struct str name = json_path_str(user, "username");
    if (!json_to_bool(object_path(who, "status.authenticated"), &yes) || !yes || !name.len) {
        verdict->code = ERROR_UNAUTHORIZED;
        return NULL;
    }
    TRY(review_access(reviewer, user, verb, path, &may));
    verdict->user = mem_dup(name.ptr, name.len);
    yes = false;
    (void)json_to_bool(object_path(may, "status.allowed"), &yes);
    verdict->code = yes ? ERROR_NONE : ERROR_FORBIDDEN;
    return NULL;
}

static struct error *to_error(const struct verdict *verdict)
{
    switch (verdict->code) {
    case ERROR_NONE:
        return NULL;
    case ERROR_FORBIDDEN:
        return error_new(ERROR_FORBIDDEN, "Authorization denied for user %s", verdict->user);
    default:
        return error_new(ERROR_UNAUTHORIZED, "Unauthorized");
    }
}

static void make_room(struct reviewer *reviewer)
{
    while (map_count(&reviewer->verdicts) >= ANSWERS_MAX)
        map_remove(&reviewer->verdicts, map_key(map_first(&reviewer->verdicts)));
}

static void hash_question(struct str token, struct str verb, struct str path,
                          uint8_t hash[static SHA256_LEN])
{
    SCOPED(buf) text = {.secret = true};
    buf_print(&text, "%zu %zu ", token.len, verb.len);
    buf_add(&text, token);
    buf_add(&text, verb);
    buf_add(&text, path);
    sha256_of(buf_str(&text), hash);
}

struct error *reviewer_check(struct reviewer *reviewer, struct str token, struct str verb,
                             struct str path)
{
    if (!token.len || token.len > TOKEN_MAX || path.len > PATH_MAX_)
        return error_new(ERROR_UNAUTHORIZED, "Unauthorized");
    uint8_t hash[SHA256_LEN];
    hash_question(token, verb, path, hash);
    const struct str id = str_from((const char *)hash, sizeof(hash));
    const struct verdict *known = map_find(&reviewer->verdicts, id);
    if (known && loop_now(reviewer->loop) < known->until)
        return to_error(known);
    map_remove(&reviewer->verdicts, id);

    struct verdict found = {0};
    struct error *err = find_out(reviewer, token, verb, path, &found);
    if (err) {
        mem_free(found.user);
        return err;
    }
    struct verdict *verdict = mem_alloc(sizeof(*verdict));
    *verdict = found;
    verdict->until =
        loop_now(reviewer->loop) + (verdict->code == ERROR_NONE ? YES_HOLDS : NO_HOLDS);
    make_room(reviewer);
    struct verdict *former = map_put(&reviewer->verdicts, id, verdict);
    if (former)
        verdict_free(former); /* another fiber asked the same meanwhile */
    return to_error(verdict);
}
