/*
 * From credentials to users. Tried in this order, as by kube-apiserver: the client certificate
 * (main API only), the bearer token, anonymous. The first that is valid counts. A certificate or a
 * token that is present but invalid is an error if no other is valid, and does not fall back to
 * anonymous.
 *
 * Tokens are the admin token of a virtual cluster (an HMAC of the cluster's name, so it need not be
 * stored) or a ServiceAccount token. The latter is valid while its account exists with the same uid
 * and, if the token is bound to a Pod or Secret, that object does.
 */
#include "apimachinery/status.h"
#include "apiserver/auth/auth_internal.h"
#include "apiserver/auth/jwt.h"
#include "apiserver/auth/token_keys.h"
#include "base/base64.h"
#include "base/duration.h"
#include "base/memory.h"
#include "http/headers.h"
#include "json/path.h"
#include "net/tls.h"

#define ISSUER      "https://kubernetes.default.svc"
#define EXTRA_START "authentication.kubernetes.io/"

struct str token_issuer(const struct auth *auth, struct arena *arena)
{
    if (auth->cluster.len == 0)
        return STR(ISSUER);
    return ARENA_JOIN(arena, STR(ISSUER "/clusters/"), auth->cluster);
}

void auth_admin_token(const struct token_keys *keys, struct str cluster, struct buf *out)
{
    uint8_t mac[SHA256_LEN];
    out->secret = true;
    token_keys_mac(keys, cluster, mac);
    base64_encode_url(out, str_from((const char *)mac, sizeof(mac)));
    mem_wipe(mac, sizeof(mac));
}

/* Compared in constant time. */
static bool is_admin_token(const struct auth *auth, struct str token)
{
    SCOPED(buf) expected = {.secret = true};
    if (auth->cluster.len == 0)
        return false;
    auth_admin_token(auth->keys, auth->cluster, &expected);
    return token_secret_eq(token, buf_str(&expected));
}

/* The same user as in the admin certificate of the main API. */
static struct user_info admin_user(struct arena *arena)
{
    struct user_info user = {.user.name = STR("kubernetes-admin")};
    user.user.groups = auth_add_string(arena, user.user.groups, STR(GROUP_MASTERS));
    auth_add_common_group(arena, &user.user);
    return user;
}

/* Whether the object that a token is bound to exists with the same uid. */
static bool bound_stands(const struct auth *auth, struct arena *arena,
                         const struct jwt_claims *claims)
{
    if (claims->bound_kind.len == 0)
        return true;
    if (!auth->find_bound)
        return false;
    const bool is_pod = str_eq(claims->bound_kind, STR("pod"));
    const struct json_value *object =
        auth->find_bound(auth->data, arena, is_pod ? STR("Pod") : STR("Secret"), claims->namespace,
                         claims->bound_name);
    return object && str_eq(json_path_str(object, "metadata.uid"), claims->bound_uid);
}

static void add_extra(struct arena *arena, struct user_info *user, struct str key, struct str value)
{
    user->extra[user->extra_count++] =
        (struct user_extra){key, auth_add_string(arena, (struct rbac_strings){NULL, 0}, value)};
}

/* Groups and extra as Kubernetes sets them for ServiceAccounts. */
static struct user_info account_user(struct arena *arena, const struct jwt_claims *claims)
{
    struct user_info user = {
        .user.name = arena_print(arena, "system:serviceaccount:%.*s:%.*s",
                                 STR_ARG(claims->namespace), STR_ARG(claims->account)),
        .user.groups = service_account_groups(arena, claims->namespace),
        .uid = claims->account_uid,
        .extra = arena_alloc_array(arena, 3, sizeof(struct user_extra)),
    };
    auth_add_common_group(arena, &user.user);
    add_extra(arena, &user, STR(EXTRA_START "credential-id"),
              arena_print(arena, "JTI=%.*s", STR_ARG(claims->id)));
    if (str_eq(claims->bound_kind, STR("pod"))) {
        add_extra(arena, &user, STR(EXTRA_START "pod-name"), claims->bound_name);
        add_extra(arena, &user, STR(EXTRA_START "pod-uid"), claims->bound_uid);
    }
    return user;
}

/* The audiences that are both wanted and in the token. */
static struct rbac_strings common_audiences(struct arena *arena, const struct rbac_strings *wanted,
                                            const struct rbac_strings *given)
{
    struct str *items = arena_alloc_array(arena, wanted->count, sizeof(items[0]));
    size_t count = 0;
    for (size_t i = 0; i < wanted->count; i++)
        if (rbac_strings_has(given, wanted->items[i]))
            items[count++] = wanted->items[i];
    return (struct rbac_strings){items, count};
}

bool authenticate_token(const struct auth *auth, struct arena *arena, struct str token,
                        const struct rbac_strings *audiences, timestamp now,
                        struct bearer *ret_bearer)
{
    struct jwt_claims claims;
    struct str issuer = token_issuer(auth, arena);
    const struct rbac_strings own = {&issuer, 1};
    const struct rbac_strings *wanted = audiences && audiences->count ? audiences : &own;
    if (is_admin_token(auth, token)) {
        *ret_bearer = (struct bearer){.user = admin_user(arena),
                                      .audiences = common_audiences(arena, wanted, &own)};
        return ret_bearer->audiences.count > 0;
    }
    if (!jwt_read(auth->keys, arena, token, &claims) || !str_eq(claims.issuer, issuer) ||
        !jwt_claims_are_current(&claims, now / SECOND))
        return false;
    if (!auth->find_account(auth->data, claims.namespace, claims.account, claims.account_uid) ||
        !bound_stands(auth, arena, &claims))
        return false;
    *ret_bearer = (struct bearer){.user = account_user(arena, &claims),
                                  .audiences = common_audiences(arena, wanted, &claims.audiences)};
    return ret_bearer->audiences.count > 0;
}

/* A certificate may name system:anonymous; that user is treated as anonymous. */
static struct user_info certificate_user(struct arena *arena, const struct tls_peer *peer)
{
    const size_t count = peer->organization_count;
    struct str *groups = arena_alloc_array(arena, count, sizeof(groups[0]));
    for (size_t i = 0; i < count; i++)
        groups[i] = arena_str(arena, peer->organizations[i]);
    struct user_info user = {
        .user = {arena_str(arena, peer->common_name), {groups, count}},
    };
    auth_add_common_group(arena, &user.user);
    user.is_anonymous = str_eq(user.user.name, STR(USER_ANONYMOUS));
    if (peer->fingerprint.len) {
        user.extra = arena_alloc_array(arena, 1, sizeof(struct user_extra));
        add_extra(arena, &user, STR(EXTRA_START "credential-id"),
                  ARENA_JOIN(arena, STR("X509SHA256="), peer->fingerprint));
    }
    return user;
}

/* A rotation makes the certificates of all generations before useless. */
static bool is_current(const struct auth *auth, const struct tls_peer *peer)
{
    const struct str prefix = STR(AUTH_GENERATION_URI);
    const uint64_t current = token_keys_generation(auth->keys);
    bool names_none = true;
    for (size_t i = 0; i < peer->uri_count; i++) {
        uint64_t generation;
        if (!str_starts_with(peer->uris[i], prefix))
            continue;
        names_none = false;
        if (!str_to_uint64(str_skip(peer->uris[i], prefix.len), &generation) ||
            generation != current)
            return false;
    }
    return !names_none || current == 1;
}

static struct user_info anonymous_user(struct arena *arena)
{
    struct user_info user = {.user.name = STR(USER_ANONYMOUS), .is_anonymous = true};
    auth_add_common_group(arena, &user.user);
    return user;
}

/* The token of an Authorization header with the scheme Bearer; empty for other schemes. */
static struct str bearer_token(const struct http_headers *headers)
{
    struct str rest = str_trim(http_headers_find(headers, STR("authorization"))), scheme, token;
    if (!str_cut(&rest, ' ', &scheme) || !str_eq_nocase(scheme, STR("bearer")))
        return STR("");
    str_cut(&rest, ' ', &token);
    return token;
}

struct error *authenticate(const struct auth *auth, struct arena *arena,
                           const struct auth_evidence *evidence, timestamp now,
                           struct user_info *ret_user)
{
    struct bearer bearer;
    const struct tls_peer *peer = evidence->peer;
    const bool shows_certificate = auth->cluster.len == 0 && peer && peer->shown;
    const bool is_valid = shows_certificate && peer->verified && is_current(auth, peer);
    if (is_valid && peer->common_name.len) {
        *ret_user = certificate_user(arena, peer);
        return NULL;
    }
    struct str token = bearer_token(evidence->headers);
    if (token.len == 0 && evidence->is_websocket)
        TRY(auth_websocket_token(arena, evidence->headers, &token));
    if (token.len == 0 && shows_certificate && !is_valid)
        return status_unauthorized();
    if (token.len == 0) {
        *ret_user = anonymous_user(arena);
        return NULL;
    }
    if (!authenticate_token(auth, arena, token, NULL, now, &bearer))
        return status_unauthorized();
    *ret_user = bearer.user;
    return NULL;
}
