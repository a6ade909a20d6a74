#include "fleet/access_reviews.h"

#include "async/loop.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "client/client.h"
#include "json/builder.h"
#include "json/path.h"

#define ALLOWED_TTL    (10 * SECOND)
#define DENIED_TTL     (1 * SECOND)
#define ANSWERS_MAX    10000
#define ANSWER_MAX     MEGABYTE
#define REVIEW_TIMEOUT (10 * SECOND)

struct answer {
    bool is_allowed;
    int64_t until;
};

struct access_reviews {
    struct loop *loop;
    struct client *client;
    struct map answers; /* by the hash of the spec; the oldest first */
};

struct access_reviews *access_reviews_new(struct loop *loop, struct client *client)
{
    struct access_reviews *reviews = NEW(struct access_reviews);
    *reviews = (struct access_reviews){.loop = loop, .client = client};
    reviews->answers.release = mem_free;
    return reviews;
}

void access_reviews_free(struct access_reviews *reviews)
{
    if (!reviews)
        return;
    map_done(&reviews->answers);
    mem_free(reviews);
}

static void add_texts(struct json_builder *builder, const struct str *texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_builder_str(builder, texts[i]);
    json_builder_end(builder);
}

static void add_user(struct json_builder *builder, const struct rest_impersonation *user)
{
    json_builder_add_str(builder, "user", user->user);
    json_builder_add_array(builder, "groups");
    add_texts(builder, user->groups, user->group_count);
    json_builder_add_object(builder, "extra");
    for (size_t i = 0; i < user->extra_count; i++) {
        json_builder_key(builder, user->extra[i].key);
        json_builder_array(builder);
        add_texts(builder, user->extra[i].values, user->extra[i].value_count);
    }
    json_builder_end(builder);
}

static struct error *write_review(const struct rest_impersonation *user,
                                  const struct fleet_attributes *attributes, struct buf *out)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR("authorization.k8s.io/v1"));
    json_builder_add_str(&builder, "kind", STR("SubjectAccessReview"));
    json_builder_add_object(&builder, "spec");
    add_user(&builder, user);
    json_builder_add_object(&builder, "resourceAttributes");
    json_builder_add_str(&builder, "group", STR(FLEET_GROUP));
    json_builder_add_str(&builder, "version", STR(FLEET_VERSION));
    json_builder_add_str(&builder, "resource", STR("clusters"));
    json_builder_add_str(&builder, "subresource", STR("proxy"));
    json_builder_add_str(&builder, "verb", attributes->verb);
    json_builder_add_str(&builder, "namespace", attributes->namespace);
    json_builder_add_str(&builder, "name", attributes->name);
    for (int open = 3; open > 0; open--)
        json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc), "make a SubjectAccessReview");
    json_write(out, json_doc_root(doc));
    return buf_check(out);
}

/* Suspends. */
static struct error *ask_server(const struct access_reviews *reviews, struct str review,
                                bool *ret_allowed)
{
    SCOPED(arena) arena = {0};
    OWNED(json_doc) doc = NULL;
    struct client_raw_answer head;
    const struct client_raw_request request = {
        .method = STR("POST"),
        .path = STR("/apis/authorization.k8s.io/v1/subjectaccessreviews"),
        .content_type = STR("application/json"),
        .body = review,
        .timeout = REVIEW_TIMEOUT,
    };
    TRY(client_raw_json(reviews->client, &request, ANSWER_MAX, &arena, &head, &doc),
        "review access with the management cluster");
    *ret_allowed = false;
    (void)json_to_bool(json_path(json_doc_root(doc), "status.allowed"), ret_allowed);
    return NULL;
}

/* The map keeps the order of insertion, so its first entry is the oldest answer. */
static void remember(struct access_reviews *reviews, struct str id, bool is_allowed)
{
    struct answer *answer = NEW(struct answer);
    answer->is_allowed = is_allowed;
    answer->until = loop_now(reviews->loop) + (is_allowed ? ALLOWED_TTL : DENIED_TTL);
    map_remove(&reviews->answers, id); /* another fiber may have asked the same meanwhile */
    while (map_count(&reviews->answers) >= ANSWERS_MAX)
        map_remove(&reviews->answers, map_key(map_first(&reviews->answers)));
    map_put(&reviews->answers, id, answer);
}

struct error *access_reviews_decide(void *data, const struct rest_impersonation *user,
                                    const struct fleet_attributes *attributes, bool *ret_allowed)
{
    struct access_reviews *reviews = data;
    SCOPED(buf) review = {.limit = MEGABYTE};
    uint8_t hash[SHA256_LEN];
    TRY(write_review(user, attributes, &review));
    sha256_of(buf_str(&review), hash);
    const struct str id = str_from((const char *)hash, sizeof(hash));
    const struct answer *known = map_find(&reviews->answers, id);
    if (known && loop_now(reviews->loop) < known->until) {
        *ret_allowed = known->is_allowed;
        return NULL;
    }
    TRY(ask_server(reviews, buf_str(&review), ret_allowed));
    remember(reviews, id, *ret_allowed);
    return NULL;
}
