#include "web/web_access.h"

#include <stdio.h>

#include "async/loop.h"
#include "base/array.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/sha256.h"
#include "client/rate_limit.h"
#include "controller/reviewer.h"
#include "http/server.h"
#include "json/path.h"
#include "web/web_source.h"

#define REQUESTS_PER_SECOND 10
#define REQUESTS_AT_ONCE    40
#define COOKIE_NAME_MAX     24
#define TOKEN_COOKIE        "__Host-corset"
#define SESSION_TIME        (8 * HOUR)
#define BEARER_TIME         MINUTE /* after which a token in a header is reviewed again */
#define SESSIONS_MAX        ((size_t)1000)
#define REVIEWED_TIME       (10 * SECOND)
#define NAMESPACES_MAX      ((size_t)200)
#define WRONG_PER_SECOND    (5.0 / 60)
#define WRONG_AT_ONCE       5
#define ADDRESSES_MAX       ((size_t)1000) /* whose wrong tokens are counted */
#define GROUP               STR("addons.cluster.x-k8s.io")
#define RESOURCE            STR("clusterresourcesets")

/* A secret that is known by its hash. */
struct secret {
    uint8_t hash[SHA256_LEN];
    bool is_set;
};

struct web_access {
    struct loop *loop;
    /* Local. */
    struct secret key, cookie;
    struct rate_limit rate;
    char cookie_name[COOKIE_NAME_MAX];
    /* With tokens; NULL: local. */
    struct reviewer *reviewer;
    struct map sessions; /* by the hash of cookie or token; the oldest first */
    struct map wrong;    /* by address: struct rate_limit; the oldest first */
};

/* The namespaces that a user may see; texts are in the arena. */
struct sight {
    bool is_all;
    struct str *namespaces;
    size_t count, capacity;
    struct arena arena;
};

static void sight_done(struct sight *sight)
{
    mem_free(sight->namespaces);
    arena_done(&sight->arena);
}

/* A user who has shown a token. Counted references: others may end it while a review runs. */
struct session {
    size_t references;
    struct object *review; /* the TokenReview */
    int64_t until;
    struct rate_limit rate;
    int64_t reviewed_until;
    struct sight sight;
};

static void session_free(struct session *session)
{
    if (!session || --session->references)
        return;
    object_free(session->review);
    sight_done(&session->sight);
    mem_free(session);
}
DEFINE_OWNED(session)

static void release_limit(void *limit)
{
    mem_free(limit);
}

static void release_session(void *session)
{
    session_free(session);
}

/* Hashes are compared, so that the time it takes says nothing about the secret. */
static bool is_secret(const struct secret *secret, struct str text)
{
    uint8_t hash[SHA256_LEN];
    sha256_of(text, hash);
    return secret->is_set && text.len &&
           str_eq(str_from((const char *)hash, sizeof(hash)),
                  str_from((const char *)secret->hash, sizeof(secret->hash)));
}

static void make_secret(struct secret *secret, char ret_text[static WEB_KEY_LEN + 1])
{
    uint8_t bytes[WEB_KEY_LEN / 2];
    random_bytes_secure(bytes, sizeof(bytes));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(ret_text + 2 * i, 3, "%02x", bytes[i]);
    sha256_of(str_from(ret_text, WEB_KEY_LEN), secret->hash);
    secret->is_set = true;
    mem_wipe(bytes, sizeof(bytes));
}

struct web_access *web_access_new_local(struct loop *loop, char ret_key[static WEB_KEY_LEN + 1])
{
    struct web_access *access = NEW(struct web_access);
    access->loop = loop;
    make_secret(&access->key, ret_key);
    rate_limit_init(&access->rate, REQUESTS_PER_SECOND, REQUESTS_AT_ONCE);
    web_access_use_port(access, 0);
    return access;
}

struct web_access *web_access_new_tokens(struct loop *loop, struct client *client)
{
    struct web_access *access = NEW(struct web_access);
    access->loop = loop;
    access->reviewer = reviewer_new(loop, client);
    access->sessions.release = release_session;
    access->wrong.release = release_limit;
    snprintf(access->cookie_name, sizeof(access->cookie_name), "%s", TOKEN_COOKIE);
    return access;
}

void web_access_free(struct web_access *access)
{
    if (!access)
        return;
    map_done(&access->sessions);
    map_done(&access->wrong);
    reviewer_free(access->reviewer);
    mem_free(access);
}

bool web_access_has_login(const struct web_access *access)
{
    return access->reviewer != NULL;
}

void web_access_use_port(struct web_access *access, uint16_t port)
{
    if (!access->reviewer)
        snprintf(access->cookie_name, sizeof(access->cookie_name), "corset-%u", (unsigned)port);
}

/* The value of our cookie; empty if there is none. */
static struct str find_cookie(const struct web_access *access, struct http_request *request)
{
    struct str cookies = http_headers_find(http_request_headers(request), STR("cookie"));
    struct str value, name;
    while (cookies.len) {
        str_cut(&cookies, ';', &value);
        value = str_trim(value);
        str_cut(&value, '=', &name);
        if (str_eq(name, str_from_c(access->cookie_name)))
            return value;
    }
    return STR("");
}

/* The key is used up: the next visitor with it is refused. */
static struct web_entry enter_with_key(struct web_access *access, struct http_request *request)
{
    char cookie[WEB_KEY_LEN + 1];
    struct web_entry entry = {.verdict = WEB_ENTERED};
    access->key.is_set = false;
    make_secret(&access->cookie, cookie);
    entry.cookie =
        arena_print(http_request_arena(request), "%s=%s; HttpOnly; SameSite=Strict; Path=/",
                    access->cookie_name, cookie);
    mem_wipe(cookie, sizeof(cookie));
    return entry;
}

static struct web_entry enter_locally(struct web_access *access, struct http_request *request,
                                      struct str key)
{
    if (is_secret(&access->key, key))
        return enter_with_key(access, request);
    if (key.len || !is_secret(&access->cookie, find_cookie(access, request)))
        return (struct web_entry){.verdict = WEB_REFUSED};
    if (!rate_limit_try(&access->rate))
        return (struct web_entry){.verdict = WEB_TOO_FAST};
    return (struct web_entry){.verdict = WEB_ADMITTED, .scope = {.is_all = true}};
}

/* ---- tokens ---- */

/* Sessions are found by the hash of what the visitor shows. */
static struct session *find_session(struct web_access *access, struct str shown)
{
    uint8_t hash[SHA256_LEN];
    sha256_of(shown, hash);
    const struct str id = str_from((const char *)hash, sizeof(hash));
    struct session *session = map_find(&access->sessions, id);
    if (session && loop_now(access->loop) >= session->until) {
        map_remove(&access->sessions, id);
        return NULL;
    }
    return session;
}

/* Takes the review. The map keeps the order of insertion: its first session is the oldest. */
static struct session *keep_session(struct web_access *access, struct str shown,
                                    struct object *review, duration lasts)
{
    uint8_t hash[SHA256_LEN];
    struct session *session = NEW(struct session);
    sha256_of(shown, hash);
    session->references = 1;
    session->review = review;
    session->until = loop_now(access->loop) + lasts;
    rate_limit_init(&session->rate, REQUESTS_PER_SECOND, REQUESTS_AT_ONCE);
    while (map_count(&access->sessions) >= SESSIONS_MAX)
        map_remove(&access->sessions, map_key(map_first(&access->sessions)));
    session_free(map_put(&access->sessions, str_from((const char *)hash, sizeof(hash)), session));
    return session;
}

/* The wrong tokens that an address may still show. Forgetting the oldest address is lenient. */
static struct rate_limit *find_wrong(struct web_access *access, struct str address)
{
    struct rate_limit *limit = map_find(&access->wrong, address);
    if (limit)
        return limit;
    while (map_count(&access->wrong) >= ADDRESSES_MAX)
        map_remove(&access->wrong, map_key(map_first(&access->wrong)));
    limit = NEW(struct rate_limit);
    rate_limit_init(limit, WRONG_PER_SECOND, WRONG_AT_ONCE);
    map_put(&access->wrong, address, limit);
    return limit;
}

/* The cluster is not asked about the tokens of an address that has shown too many wrong ones. */
static bool may_try(struct web_access *access, struct str address)
{
    struct rate_limit *limit = map_find(&access->wrong, address);
    if (!limit)
        return true;
    if (!rate_limit_try(limit))
        return false;
    rate_limit_give(limit, 1);
    return true;
}

/* *ret_review stays NULL if the token is not good. Suspends. */
static struct error *review_token(struct web_access *access, struct http_request *request,
                                  struct str token, struct object **ret_review,
                                  struct web_entry *entry)
{
    const struct str address = http_request_client(request);
    entry->verdict = WEB_TOO_FAST;
    if (!may_try(access, address))
        return NULL;
    entry->verdict = WEB_UNKNOWN;
    struct error *err = reviewer_identify(access->reviewer, token, ret_review);
    if (!error_is(err, ERROR_UNAUTHORIZED))
        return err;
    if (!rate_limit_try(find_wrong(access, address)))
        entry->verdict = WEB_TOO_FAST;
    return error_ignore(err, ERROR_UNAUTHORIZED);
}

static bool has_namespace(const struct sight *sight, struct str namespace)
{
    for (size_t i = 0; i < sight->count; i++)
        if (str_eq(sight->namespaces[i], namespace))
            return true;
    return false;
}

/* The namespaces of sets and clusters, each once. */
static void take_namespaces(struct sight *sight, const struct status_model *model)
{
    struct str last = {0};
    for (size_t i = 0; i < model->set_count + model->cluster_count; i++) {
        const struct str namespace = i < model->set_count
                                         ? model->sets[i]->key.namespace
                                         : model->clusters[i - model->set_count]->key.namespace;
        if (str_eq(namespace, last) || has_namespace(sight, namespace) ||
            sight->count >= NAMESPACES_MAX)
            continue;
        last = namespace;
        ARRAY_PUSH(sight->namespaces, sight->count, sight->capacity,
                   arena_str(&sight->arena, namespace));
    }
}

/* Suspends. */
static struct error *ask_about(struct web_access *access, const struct session *session,
                               struct str namespace, bool *ret_may)
{
    struct error *err = reviewer_may_list(
        access->reviewer, object_path(session->review, "status.user"), GROUP, RESOURCE, namespace);
    *ret_may = !err;
    return error_ignore(err, ERROR_FORBIDDEN);
}

/* All namespaces at once, or each of those that there are. Suspends. */
static struct error *find_sight(struct web_access *access, const struct session *session,
                                const struct web_source *source, struct sight *sight)
{
    size_t kept = 0;
    take_namespaces(sight, &web_source_facts(source)->model);
    TRY(ask_about(access, session, STR(""), &sight->is_all));
    for (size_t i = 0; !sight->is_all && i < sight->count; i++) {
        bool may = false;
        TRY(ask_about(access, session, sight->namespaces[i], &may));
        if (may)
            sight->namespaces[kept++] = sight->namespaces[i];
    }
    sight->count = kept;
    return NULL;
}

/* Several requests of a session may ask at once; the last answer stays. Suspends. */
static struct error *review_sight(struct web_access *access, struct session *session,
                                  const struct web_source *source)
{
    struct sight sight = {0};
    struct error *err = find_sight(access, session, source, &sight);
    if (err) {
        sight_done(&sight);
        return err;
    }
    sight_done(&session->sight);
    session->sight = sight;
    session->reviewed_until = loop_now(access->loop) + REVIEWED_TIME;
    return NULL;
}

static struct web_scope copy_scope(struct http_request *request, const struct sight *sight)
{
    struct arena *arena = http_request_arena(request);
    struct str *names = arena_alloc_array(arena, sight->count + 1, sizeof(*names));
    for (size_t i = 0; i < sight->count; i++)
        names[i] = arena_str(arena, sight->namespaces[i]);
    return (struct web_scope){sight->is_all, names, sight->count};
}

/* While objects are still coming there is nothing to see, and nothing to ask about. Suspends. */
static struct error *admit(struct web_access *access, struct http_request *request,
                           struct session *session, const struct web_source *source,
                           struct web_entry *entry)
{
    entry->verdict = WEB_TOO_FAST;
    if (!rate_limit_try(&session->rate))
        return NULL;
    entry->verdict = WEB_ADMITTED;
    if (web_source_facts(source)->is_loading)
        return NULL;
    if (loop_now(access->loop) >= session->reviewed_until)
        TRY(review_sight(access, session, source));
    entry->scope = copy_scope(request, &session->sight);
    if (!entry->scope.is_all && !entry->scope.count)
        entry->verdict = WEB_FORBIDDEN;
    return NULL;
}

static struct error *enter_with_token(struct web_access *access, struct http_request *request,
                                      const struct web_source *source, struct web_entry *entry)
{
    const struct str token = reviewer_bearer_token(request);
    const struct str shown = token.len ? token : find_cookie(access, request);
    OWNED(session) session = shown.len ? find_session(access, shown) : NULL;
    entry->verdict = WEB_UNKNOWN;
    if (session)
        session->references++;
    if (!session && token.len) {
        struct object *review = NULL;
        TRY(review_token(access, request, token, &review, entry));
        if (!review)
            return NULL;
        session = keep_session(access, token, review, BEARER_TIME);
        session->references++;
    }
    return session ? admit(access, request, session, source, entry) : NULL;
}

struct error *web_access_enter(struct web_access *access, struct http_request *request,
                               struct str key, const struct web_source *source,
                               struct web_entry *ret_entry)
{
    *ret_entry = (struct web_entry){0};
    if (access->reviewer)
        return enter_with_token(access, request, source, ret_entry);
    *ret_entry = enter_locally(access, request, key);
    return NULL;
}

struct error *web_access_login(struct web_access *access, struct http_request *request,
                               struct str token, struct web_entry *ret_entry)
{
    struct object *review = NULL;
    struct secret unused;
    char cookie[WEB_KEY_LEN + 1];
    *ret_entry = (struct web_entry){.verdict = WEB_UNKNOWN};
    TRY(review_token(access, request, str_trim(token), &review, ret_entry));
    if (!review)
        return NULL;
    make_secret(&unused, cookie);
    keep_session(access, str_from(cookie, WEB_KEY_LEN), review, SESSION_TIME);
    ret_entry->verdict = WEB_ENTERED;
    ret_entry->cookie =
        arena_print(http_request_arena(request),
                    "%s=%s; HttpOnly; Secure; SameSite=Strict; Path=/; "
                    "Max-Age=%lld",
                    access->cookie_name, cookie, (long long)(SESSION_TIME / SECOND));
    mem_wipe(cookie, sizeof(cookie));
    return NULL;
}
