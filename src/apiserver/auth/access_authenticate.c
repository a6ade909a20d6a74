/* From credentials to users: certificates first, then bearer tokens, then nobody in particular. */
#include "apimachinery/status.h"
#include "apiserver/auth/access_internal.h"
#include "apiserver/auth/access_keys.h"
#include "apiserver/auth/access_token.h"
#include "base/base64.h"
#include "base/duration.h"
#include "base/memory.h"
#include "http/headers.h"
#include "json/path.h"
#include "net/tls.h"

#define ISSUER      "https://kubernetes.default.svc"
#define EXTRA_START "authentication.kubernetes.io/"

struct str access_issuer(const struct access *access, struct arena *arena)
{
    if (access->cluster.len == 0)
        return STR(ISSUER);
    return arena_print(arena, ISSUER "/clusters/%.*s", STR_ARG(access->cluster));
}

void access_admin_token(const struct access_keys *keys, struct str cluster, struct buf *out)
{
    uint8_t mac[SHA256_LEN];
    out->secret = true;
    access_keys_mac(keys, cluster, mac);
    base64_encode_url(out, str_from((const char *)mac, sizeof(mac)));
    mem_wipe(mac, sizeof(mac));
}

static bool is_admin_token(const struct access *access, struct str token)
{
    SCOPED(buf) expected = {.secret = true};
    if (access->cluster.len == 0)
        return false;
    access_admin_token(access->keys, access->cluster, &expected);
    return access_secret_eq(token, buf_str(&expected));
}

static struct access_user admin_user(struct arena *arena)
{
    struct access_user user = {.user.name = STR("kubernetes-admin")};
    user.user.groups = access_add_string(arena, user.user.groups, STR(ACCESS_MASTERS));
    access_add_common_group(arena, &user.user);
    return user;
}

/* The object a token is bound to is the one it was bound to. */
static bool bound_stands(const struct access *access, struct arena *arena,
                         const struct access_claims *claims)
{
    if (claims->bound_kind.len == 0)
        return true;
    if (!access->find_bound)
        return false;
    const bool is_pod = str_eq(claims->bound_kind, STR("pod"));
    const struct json_value *object =
        access->find_bound(access->data, arena, is_pod ? STR("Pod") : STR("Secret"),
                           claims->namespace, claims->bound_name);
    return object && str_eq(json_path_str(object, "metadata.uid"), claims->bound_uid);
}

static void add_extra(struct arena *arena, struct access_user *user, struct str key,
                      struct str value)
{
    user->extra[user->extra_count++] =
        (struct access_extra){key, access_add_string(arena, (struct rbac_strings){NULL, 0}, value)};
}

static struct access_user account_user(struct arena *arena, const struct access_claims *claims)
{
    struct access_user user = {
        .user.name = arena_print(arena, "system:serviceaccount:%.*s:%.*s",
                                 STR_ARG(claims->namespace), STR_ARG(claims->account)),
        .user.groups = access_account_groups(arena, claims->namespace),
        .uid = claims->account_uid,
        .extra = arena_alloc_array(arena, 3, sizeof(struct access_extra)),
    };
    access_add_common_group(arena, &user.user);
    add_extra(arena, &user, STR(EXTRA_START "credential-id"),
              arena_print(arena, "JTI=%.*s", STR_ARG(claims->id)));
    if (str_eq(claims->bound_kind, STR("pod"))) {
        add_extra(arena, &user, STR(EXTRA_START "pod-name"), claims->bound_name);
        add_extra(arena, &user, STR(EXTRA_START "pod-uid"), claims->bound_uid);
    }
    return user;
}

/* Those that are wanted and in the token. */
static struct rbac_strings common_audiences(struct arena *arena, const struct rbac_strings *wanted,
                                            const struct rbac_strings *given)
{
    struct str *items = arena_alloc_array(arena, wanted->count, sizeof(items[0]));
    size_t count = 0;
    for (size_t i = 0; i < wanted->count; i++)
        if (access_has_string(given, wanted->items[i]))
            items[count++] = wanted->items[i];
    return (struct rbac_strings){items, count};
}

bool access_token_user(const struct access *access, struct arena *arena, struct str token,
                       const struct rbac_strings *audiences, timestamp now,
                       struct access_bearer *ret_bearer)
{
    struct access_claims claims;
    struct str issuer = access_issuer(access, arena);
    const struct rbac_strings own = {&issuer, 1};
    const struct rbac_strings *wanted = audiences && audiences->count ? audiences : &own;
    if (is_admin_token(access, token)) {
        *ret_bearer = (struct access_bearer){.user = admin_user(arena),
                                             .audiences = common_audiences(arena, wanted, &own)};
        return ret_bearer->audiences.count > 0;
    }
    if (!access_token_read(access->keys, arena, token, &claims) || !str_eq(claims.issuer, issuer) ||
        !access_claims_are_current(&claims, now / SECOND))
        return false;
    if (!access->find_account(access->data, claims.namespace, claims.account, claims.account_uid) ||
        !bound_stands(access, arena, &claims))
        return false;
    *ret_bearer =
        (struct access_bearer){.user = account_user(arena, &claims),
                               .audiences = common_audiences(arena, wanted, &claims.audiences)};
    return ret_bearer->audiences.count > 0;
}

static struct access_user certificate_user(struct arena *arena, const struct tls_peer *peer)
{
    const size_t count = peer->organization_count;
    struct str *groups = arena_alloc_array(arena, count, sizeof(groups[0]));
    for (size_t i = 0; i < count; i++)
        groups[i] = arena_str(arena, peer->organizations[i]);
    struct access_user user = {
        .user = {arena_str(arena, peer->common_name), {groups, count}},
    };
    access_add_common_group(arena, &user.user);
    user.is_anonymous = str_eq(user.user.name, STR(ACCESS_ANONYMOUS));
    return user;
}

static struct access_user anonymous_user(struct arena *arena)
{
    struct access_user user = {.user.name = STR(ACCESS_ANONYMOUS), .is_anonymous = true};
    access_add_common_group(arena, &user.user);
    return user;
}

/* The token behind "Bearer"; other schemes are no credentials of ours. */
static struct str bearer_token(const struct http_headers *headers)
{
    struct str rest = str_trim(http_headers_find(headers, STR("authorization"))), scheme, token;
    if (!str_cut(&rest, ' ', &scheme) || !str_eq_nocase(scheme, STR("bearer")))
        return STR("");
    str_cut(&rest, ' ', &token);
    return token;
}

struct error *access_authenticate(const struct access *access, struct arena *arena,
                                  const struct tls_peer *peer, const struct http_headers *headers,
                                  timestamp now, struct access_user *ret_user)
{
    struct access_bearer bearer;
    if (access->cluster.len == 0 && peer && peer->verified && peer->common_name.len) {
        *ret_user = certificate_user(arena, peer);
        return NULL;
    }
    const struct str token = bearer_token(headers);
    if (token.len == 0) {
        *ret_user = anonymous_user(arena);
        return NULL;
    }
    if (!access_token_user(access, arena, token, NULL, now, &bearer))
        return status_unauthorized();
    *ret_user = bearer.user;
    return NULL;
}
