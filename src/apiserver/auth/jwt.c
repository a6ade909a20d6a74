/*
 * Writing: claims -> JSON -> "header.payload.signature", each part base64url without padding.
 * Reading goes the other way and refuses everything that jwt_write() would not produce: other
 * headers (thereby other algorithms), other encodings of the same bytes, unknown subjects. The
 * signature is verified before the payload is parsed.
 */
#include "apiserver/auth/jwt.h"

#include "apiserver/auth/token_keys.h"
#include "base/base64.h"
#include "json/builder.h"
#include "json/path.h"

/* A clock that is set back a little must not invalidate tokens that were just issued. */
#define CLOCK_LEEWAY 60

static void write_ref(struct json_builder *builder, const char *key, struct str name,
                      struct str uid)
{
    json_builder_add_object(builder, key);
    json_builder_add_str(builder, "name", name);
    json_builder_add_str(builder, "uid", uid);
    json_builder_end(builder);
}

/* The private claims of Kubernetes: namespace, ServiceAccount and bound object. */
static void write_kubernetes(struct json_builder *builder, const struct jwt_claims *claims)
{
    const bool is_pod = str_eq(claims->bound_kind, STR("pod"));
    json_builder_add_object(builder, "kubernetes.io");
    json_builder_add_str(builder, "namespace", claims->namespace);
    if (claims->bound_kind.len)
        write_ref(builder, is_pod ? "pod" : "secret", claims->bound_name, claims->bound_uid);
    write_ref(builder, "serviceaccount", claims->account, claims->account_uid);
    json_builder_end(builder);
}

/* The members are in the order in which Kubernetes writes them (sorted by name). */
static struct error *write_claims(const struct jwt_claims *claims, struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    SCOPED(buf) subject = {.limit = 0};
    json_builder_object(&builder);
    json_builder_add_array(&builder, "aud");
    for (size_t i = 0; i < claims->audiences.count; i++)
        json_builder_str(&builder, claims->audiences.items[i]);
    json_builder_end(&builder);
    json_builder_add_int(&builder, "exp", claims->expires);
    json_builder_add_int(&builder, "iat", claims->issued);
    json_builder_add_str(&builder, "iss", claims->issuer);
    json_builder_add_str(&builder, "jti", claims->id);
    write_kubernetes(&builder, claims);
    json_builder_add_int(&builder, "nbf", claims->not_before);
    buf_print(&subject, "system:serviceaccount:%.*s:%.*s", STR_ARG(claims->namespace),
              STR_ARG(claims->account));
    json_builder_add_str(&builder, "sub", buf_str(&subject));
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

/* The first part of every token. There is one key, so it is constant. */
static void write_header(const struct token_keys *keys, struct buf *out)
{
    SCOPED(buf) header = {.limit = 0};
    buf_print(&header, "{\"alg\":\"ES256\",\"kid\":\"%.*s\"}", STR_ARG(token_keys_id(keys)));
    base64_encode_url(out, buf_str(&header));
}

struct error *jwt_seal(const struct token_keys *keys, struct str payload, struct buf *token)
{
    uint8_t signature[TOKEN_SIGNATURE_LEN];
    const size_t start = token->len;
    token->secret = true;
    write_header(keys, token);
    buf_add_char(token, '.');
    base64_encode_url(token, payload);
    TRY(buf_check(token), "write token");
    TRY(token_keys_sign(keys, str_skip(buf_str(token), start), signature));
    buf_add_char(token, '.');
    base64_encode_url(token, str_from((const char *)signature, sizeof(signature)));
    return buf_check(token);
}

/*
 * Large claims (many long audiences) are refused here, so that every issued token can be read
 * again.
 */
struct error *jwt_write(const struct token_keys *keys, const struct jwt_claims *claims,
                        struct buf *token)
{
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) payload = {.limit = 0};
    TRY(write_claims(claims, &doc), "write token");
    json_write(&payload, json_doc_root(doc));
    if (payload.len > JWT_MAX / 2)
        return error_new(ERROR_TOO_LARGE, "the claims of a token are too large");
    return jwt_seal(keys, buf_str(&payload), token);
}

/* Base64url has several encodings of some byte strings; only the canonical one is accepted. */
static bool decode(struct buf *bytes, struct str text)
{
    SCOPED(buf) again = {.secret = true};
    OWNED(error) err = base64_decode_url(bytes, text);
    if (err)
        return false;
    base64_encode_url(&again, buf_str(bytes));
    return str_eq(buf_str(&again), text);
}

/* False unless it is a list of strings with at least one element. */
static bool read_audiences(struct arena *arena, const struct json_value *list,
                           struct rbac_strings *ret_strings)
{
    const struct json_value *value;
    if (json_type(list) != JSON_ARRAY || json_count(list) == 0)
        return false;
    struct str *items = arena_alloc_array(arena, json_count(list), sizeof(items[0]));
    size_t count = 0;
    JSON_FOREACH (key, value, list) {
        if (json_type(value) != JSON_STRING)
            return false;
        items[count++] = arena_str(arena, json_to_str(value));
    }
    *ret_strings = (struct rbac_strings){items, count};
    return true;
}

/* False when the string is absent or empty. */
static bool read_str(struct arena *arena, const struct json_value *value, struct str *ret_str)
{
    *ret_str = arena_str(arena, json_to_str(value));
    return ret_str->len > 0;
}

/* A token is bound to a Pod, to a Secret or to nothing. */
static bool read_bound(struct arena *arena, const struct json_value *kubernetes,
                       struct jwt_claims *claims)
{
    const struct json_value *pod = json_get(kubernetes, STR("pod"));
    const struct json_value *secret = json_get(kubernetes, STR("secret"));
    const struct json_value *ref = pod ? pod : secret;
    if (pod && secret)
        return false;
    if (!ref)
        return true;
    claims->bound_kind = pod ? STR("pod") : STR("secret");
    return read_str(arena, json_get(ref, STR("name")), &claims->bound_name) &&
           read_str(arena, json_get(ref, STR("uid")), &claims->bound_uid);
}

/* "sub" repeats namespace and name and has to agree with them. */
static bool is_subject(struct str subject, const struct jwt_claims *claims)
{
    SCOPED(buf) expected = {.limit = 0};
    buf_print(&expected, "system:serviceaccount:%.*s:%.*s", STR_ARG(claims->namespace),
              STR_ARG(claims->account));
    return str_eq(subject, buf_str(&expected));
}

/* Every claim is required. What is unknown is ignored. */
bool jwt_claims_read(struct arena *arena, struct str payload, struct jwt_claims *ret_claims)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(payload, &doc);
    const struct json_value *root = json_doc_root(doc);
    const struct json_value *kubernetes = json_get(root, STR("kubernetes.io"));
    struct jwt_claims claims = {.issued = 0};
    const bool ok =
        !err && read_str(arena, json_get(root, STR("iss")), &claims.issuer) &&
        read_str(arena, json_get(root, STR("jti")), &claims.id) &&
        json_to_int64(json_get(root, STR("iat")), &claims.issued) &&
        json_to_int64(json_get(root, STR("nbf")), &claims.not_before) &&
        json_to_int64(json_get(root, STR("exp")), &claims.expires) &&
        read_audiences(arena, json_get(root, STR("aud")), &claims.audiences) &&
        read_str(arena, json_get(kubernetes, STR("namespace")), &claims.namespace) &&
        read_str(arena, json_path(kubernetes, "serviceaccount.name"), &claims.account) &&
        read_str(arena, json_path(kubernetes, "serviceaccount.uid"), &claims.account_uid) &&
        read_bound(arena, kubernetes, &claims) && is_subject(json_path_str(root, "sub"), &claims);
    if (ok)
        *ret_claims = claims;
    return ok;
}

/* The order matters: length, header, signature, and only then the payload. */
bool jwt_read(const struct token_keys *keys, struct arena *arena, struct str token,
              struct jwt_claims *ret_claims)
{
    SCOPED(buf) header = {.limit = 0};
    SCOPED(buf) signature = {.limit = 0};
    SCOPED(buf) payload = {.limit = 0};
    struct str rest = token, first, second;
    if (token.len > JWT_MAX || !str_cut(&rest, '.', &first) || !str_cut(&rest, '.', &second))
        return false;
    write_header(keys, &header);
    if (!str_eq(first, buf_str(&header)))
        return false;
    if (!decode(&signature, rest) || signature.len != TOKEN_SIGNATURE_LEN)
        return false;
    const struct str message = str_slice(token, 0, first.len + 1 + second.len);
    if (!token_keys_verify(keys, message, (const uint8_t *)signature.ptr))
        return false;
    return decode(&payload, second) && jwt_claims_read(arena, buf_str(&payload), ret_claims);
}

/* Expiry is exact; "not before" and "issued at" tolerate CLOCK_LEEWAY seconds. */
bool jwt_claims_are_current(const struct jwt_claims *claims, int64_t now)
{
    const int64_t latest = now + CLOCK_LEEWAY;
    return now < claims->expires && claims->not_before <= latest && claims->issued <= latest;
}
