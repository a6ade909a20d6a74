/*
 * Decisions are cached under the SHA-256 of token, verb and path, as the delegating authenticator
 * of Kubernetes does it, so that no token stays in memory. Errors of a review are not cached. Two
 * fibers that ask the same at the same time both create reviews.
 */
#include "controller/reviewer.h"

#include "apimachinery/object.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "client/client.h"
#include "http/server.h"
#include "json/builder.h"
#include "json/path.h"

#define ALLOWED_TTL      MINUTE
#define DENIED_TTL       (10 * SECOND)
#define DECISIONS_MAX    1024
#define TOKEN_MAX        (16 * KILOBYTE)
#define REQUEST_PATH_MAX (4 * KILOBYTE)
#define ANSWER_MAX       MEGABYTE
#define REVIEW_TIMEOUT   (10 * SECOND)

/* The decision about a token, a verb and a path. */
struct decision {
    enum error_code code; /* ERROR_NONE: allowed */
    int64_t until;
    char *user; /* NULL for ERROR_UNAUTHORIZED */
};

struct reviewer {
    struct loop *loop;
    struct client *client;
    struct map decisions; /* by hash; the oldest first */
};

static void decision_free(void *value)
{
    struct decision *decision = value;
    mem_free(decision->user);
    mem_free(decision);
}

struct reviewer *reviewer_new(struct loop *loop, struct client *client)
{
    struct reviewer *reviewer = NEW(struct reviewer);
    *reviewer = (struct reviewer){.loop = loop, .client = client};
    reviewer->decisions.release = decision_free;
    return reviewer;
}

void reviewer_free(struct reviewer *reviewer)
{
    if (!reviewer)
        return;
    map_done(&reviewer->decisions);
    mem_free(reviewer);
}

/* The scheme is case-insensitive (RFC 9110, section 11.1). */
struct str reviewer_bearer_token(const struct http_request *request)
{
    const struct str value = http_headers_find(http_request_headers(request), STR("authorization"));
    if (value.len < 7 || !str_eq_nocase(str_slice(value, 0, 7), STR("Bearer ")))
        return STR("");
    return str_trim(str_skip(value, 7));
}

/* Creates a review and reads its status. Suspends. */
static struct error *create_review(struct reviewer *reviewer, struct str path, struct str body,
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
        .timeout = REVIEW_TIMEOUT,
    };
    TRY(client_raw(reviewer->client, &request, &arena, &answer, &head));
    return object_read(buf_str(&answer), ret_answer);
}

/* The object is built as text in a secret buffer, since it holds the token. Suspends. */
static struct error *review_token(struct reviewer *reviewer, struct str token,
                                  struct object **ret_answer)
{
    SCOPED(buf) body = {.secret = true};
    buf_add(&body, STR("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenReview\","
                       "\"spec\":{\"token\":"));
    buf_add_json_string(&body, token);
    buf_add(&body, STR("}}"));
    TRY(create_review(reviewer, STR("/apis/authentication.k8s.io/v1/tokenreviews"), buf_str(&body),
                      ret_answer),
        "review a token");
    return NULL;
}

/*
 * Begins a SubjectAccessReview, up to the attributes in its spec. uid, groups and extra of the user
 * are passed on, since rules may refer to them.
 */
static void begin_access_review(struct json_builder *builder, const struct json_value *user)
{
    static const char *const copied[] = {"uid", "groups", "extra"};
    json_builder_object(builder);
    json_builder_add_str(builder, "apiVersion", STR("authorization.k8s.io/v1"));
    json_builder_add_str(builder, "kind", STR("SubjectAccessReview"));
    json_builder_add_object(builder, "spec");
    json_builder_add_str(builder, "user", json_path_str(user, "username"));
    for (size_t i = 0; i < COUNT(copied); i++) {
        const struct json_value *value = json_get(user, str_from_c(copied[i]));
        if (value)
            json_builder_add_value(builder, copied[i], value);
    }
}

/* Ends the review, behind the attributes, and has it answered. Suspends. */
static struct error *ask_access(struct reviewer *reviewer, struct json_builder *builder,
                                bool *ret_is_allowed)
{
    SCOPED(buf) body = {0};
    OWNED(json_doc) doc = NULL;
    OWNED(object) answer = NULL;
    json_builder_end(builder);
    json_builder_end(builder);
    TRY(json_builder_finish(builder, &doc));
    json_write(&body, json_doc_root(doc));
    TRY(create_review(reviewer, STR("/apis/authorization.k8s.io/v1/subjectaccessreviews"),
                      buf_str(&body), &answer),
        "review access");
    *ret_is_allowed = false;
    (void)json_to_bool(object_path(answer, "status.allowed"), ret_is_allowed);
    return NULL;
}

/* Suspends. */
static struct error *review_access(struct reviewer *reviewer, const struct json_value *user,
                                   struct str verb, struct str path, bool *ret_is_allowed)
{
    SCOPED(json_builder) builder = {0};
    begin_access_review(&builder, user);
    json_builder_add_object(&builder, "nonResourceAttributes");
    json_builder_add_str(&builder, "path", path);
    json_builder_add_str(&builder, "verb", verb);
    json_builder_end(&builder);
    return ask_access(reviewer, &builder, ret_is_allowed);
}

struct error *reviewer_may_list(struct reviewer *reviewer, const struct json_value *user,
                                struct str group, struct str resource, struct str namespace)
{
    SCOPED(json_builder) builder = {0};
    bool is_allowed = false;
    begin_access_review(&builder, user);
    json_builder_add_object(&builder, "resourceAttributes");
    json_builder_add_str(&builder, "group", group);
    json_builder_add_str(&builder, "resource", resource);
    json_builder_add_str(&builder, "verb", STR("list"));
    if (namespace.len)
        json_builder_add_str(&builder, "namespace", namespace);
    json_builder_end(&builder);
    TRY(ask_access(reviewer, &builder, &is_allowed));
    return is_allowed ? NULL : error_new(ERROR_FORBIDDEN, "the user may not list it");
}

/* Whether the review found a user. */
static bool is_authenticated(const struct object *review)
{
    bool is_known = false;
    return json_to_bool(object_path(review, "status.authenticated"), &is_known) && is_known &&
           json_path_str(object_path(review, "status.user"), "username").len;
}

struct error *reviewer_identify(struct reviewer *reviewer, struct str token,
                                struct object **ret_review)
{
    OWNED(object) review = NULL;
    if (!token.len || token.len > TOKEN_MAX)
        return error_new(ERROR_UNAUTHORIZED, "Unauthorized");
    TRY(review_token(reviewer, token, &review));
    if (!is_authenticated(review))
        return error_new(ERROR_UNAUTHORIZED, "Unauthorized");
    *ret_review = TAKE(review);
    return NULL;
}

/* Authenticates, then authorizes. *decision is set only on success. Suspends. */
static struct error *review_request(struct reviewer *reviewer, struct str token, struct str verb,
                                    struct str path, struct decision *decision)
{
    OWNED(object) authentication = NULL;
    bool is_allowed = false;
    TRY(review_token(reviewer, token, &authentication));
    if (!is_authenticated(authentication)) {
        decision->code = ERROR_UNAUTHORIZED;
        return NULL;
    }
    const struct json_value *user = object_path(authentication, "status.user");
    const struct str name = json_path_str(user, "username");
    TRY(review_access(reviewer, user, verb, path, &is_allowed));
    decision->user = mem_dup(name.ptr, name.len);
    decision->code = is_allowed ? ERROR_NONE : ERROR_FORBIDDEN;
    return NULL;
}

/* The texts of controller-runtime's authorization filter. */
static struct error *decision_to_error(const struct decision *decision)
{
    switch (decision->code) {
    case ERROR_NONE:
        return NULL;
    case ERROR_FORBIDDEN:
        return error_new(ERROR_FORBIDDEN, "Authorization denied for user %s", decision->user);
    default:
        return error_new(ERROR_UNAUTHORIZED, "Unauthorized");
    }
}

/* The map keeps the order of insertion, so its first entry is the oldest decision. */
static void evict_decisions(struct reviewer *reviewer)
{
    while (map_count(&reviewer->decisions) >= DECISIONS_MAX)
        map_remove(&reviewer->decisions, map_key(map_first(&reviewer->decisions)));
}

/* The lengths keep different requests from having the same bytes. */
static void hash_request(struct str token, struct str verb, struct str path,
                         uint8_t hash[static SHA256_LEN])
{
    SCOPED(buf) text = {.secret = true};
    buf_print(&text, "%zu %zu ", token.len, verb.len);
    buf_add(&text, token);
    buf_add(&text, verb);
    buf_add(&text, path);
    sha256_of(buf_str(&text), hash);
}

/*
 * Allowed requests are cached longer than denied ones, so that a new binding takes effect soon. The
 * limits of token and path bound what one request can make us send and keep.
 */
struct error *reviewer_check(struct reviewer *reviewer, struct str token, struct str verb,
                             struct str path)
{
    if (!token.len || token.len > TOKEN_MAX || path.len > REQUEST_PATH_MAX)
        return error_new(ERROR_UNAUTHORIZED, "Unauthorized");
    uint8_t hash[SHA256_LEN];
    hash_request(token, verb, path, hash);
    const struct str id = str_from((const char *)hash, sizeof(hash));
    const struct decision *known = map_find(&reviewer->decisions, id);
    if (known && loop_now(reviewer->loop) < known->until)
        return decision_to_error(known);
    map_remove(&reviewer->decisions, id);

    struct decision found = {0};
    struct error *err = review_request(reviewer, token, verb, path, &found);
    if (err) {
        mem_free(found.user);
        return err;
    }
    struct decision *decision = mem_alloc(sizeof(*decision));
    *decision = found;
    decision->until =
        loop_now(reviewer->loop) + (decision->code == ERROR_NONE ? ALLOWED_TTL : DENIED_TTL);
    evict_decisions(reviewer);
    struct decision *former = map_put(&reviewer->decisions, id, decision);
    if (former)
        decision_free(former); /* another fiber has asked the same meanwhile */
    return decision_to_error(decision);
}
