/*
 * TokenRequest: issues a token for a ServiceAccount. Mirrors TokenREST of
 * pkg/registry/core/serviceaccount. The random id of the token comes from the system and not from
 * the loop's generator: tokens are credentials.
 */
#include "apimachinery/status.h"
#include "apiserver/auth/auth_internal.h"
#include "apiserver/auth/jwt.h"
#include "base/duration.h"
#include "base/quote.h"
#include "base/random.h"
#include "json/path.h"

#define GROUP "authentication.k8s.io"

#define EXPIRATION_DEFAULT ((int64_t)3600)
#define EXPIRATION_MIN     ((int64_t)600)
#define EXPIRATION_MAX     ((int64_t)1 << 32)

/* NULL when there are no errors. */
static struct error *invalid(struct str name, const struct field_errors *errors)
{
    return errors->count ? status_invalid(GVK(GROUP, "v1", "TokenRequest"), name, errors) : NULL;
}

/* Name and namespace in the body may be absent or have to be those of the URL. */
static struct error *check_names(struct arena *arena, const struct json_value *account,
                                 const struct json_value *body)
{
    struct field_errors errors = {.arena = arena};
    const struct str account_name = json_path_str(account, "metadata.name");
    const struct str name = json_path_str(body, "metadata.name");
    const struct str namespace = json_path_str(body, "metadata.namespace");
    if (name.len && !str_eq(name, account_name))
        field_errors_add_str(&errors, FIELD_INVALID, STR("metadata.name"), name,
                             STR("must match the service account name if specified"));
    else if (namespace.len && !str_eq(namespace, json_path_str(account, "metadata.namespace")))
        field_errors_add_str(&errors, FIELD_INVALID, STR("metadata.namespace"), namespace,
                             STR("must match the service account namespace if specified"));
    return invalid(account_name, &errors);
}

/* Between ten minutes and 2^32 seconds; an hour by default. Kubernetes' limits. */
static struct error *read_expiration(struct arena *arena, const struct json_value *body,
                                     int64_t *ret_seconds)
{
    struct field_errors errors = {.arena = arena};
    const struct str field = STR("spec.expirationSeconds");
    int64_t seconds = EXPIRATION_DEFAULT;
    json_to_int64(json_path(body, "spec.expirationSeconds"), &seconds);
    if (seconds < EXPIRATION_MIN)
        field_errors_add_int(&errors, FIELD_INVALID, field, seconds,
                             STR("may not specify a duration less than 10 minutes"));
    if (seconds > EXPIRATION_MAX)
        field_errors_add_int(&errors, FIELD_INVALID, field, seconds,
                             STR("may not specify a duration larger than 2^32 seconds"));
    *ret_seconds = seconds;
    return invalid(STR(""), &errors);
}

/* As --service-account-max-token-expiration of kube-apiserver. */
static int64_t shorten_expiration(const struct auth *auth, int64_t seconds,
                                  struct json_warnings *warnings)
{
    const int64_t max = auth->max_token_lifetime / SECOND;
    if (max == 0 || seconds <= max)
        return seconds;
    json_warn(warnings,
              arena_print(warnings->arena,
                          "requested expiration of %lld seconds shortened to %lld seconds",
                          (long long)seconds, (long long)max));
    return max;
}

/* 409: the name is that of another object by now. */
static struct error *uid_differs(struct str kind, struct str name, struct str uid)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "the UID in the bound object reference (%.*s) does not match the UID in record. The "
              "object might have been deleted and then recreated",
              STR_ARG(uid));
    return status_conflict((struct gvr){.resource = kind}, name, buf_str(&text));
}

/* A token bound to a Pod is for the account that the Pod runs as. */
static struct error *check_pod(const struct json_value *pod, struct str account)
{
    SCOPED(buf) quoted = {.limit = 0};
    if (str_eq(json_path_str(pod, "spec.serviceAccountName"), account))
        return NULL;
    str_quote_go(&quoted, account);
    return status_bad_request("cannot bind token for serviceaccount %.*s to pod running with "
                              "different serviceaccount name.",
                              STR_ARG(buf_str(&quoted)));
}

/*
 * The object a token is bound to: the token becomes invalid when the object is deleted. A Pod has
 * to run as the account.
 */
static struct error *read_bound(const struct auth *auth, struct arena *arena,
                                const struct json_value *ref, struct jwt_claims *claims)
{
    const struct str kind = json_path_str(ref, "kind"), name = json_path_str(ref, "name");
    const struct str uid = json_path_str(ref, "uid");
    const bool is_pod = str_eq(kind, STR("Pod"));
    struct gvk gvk;
    TRY(gvk_from_api_version(json_path_str(ref, "apiVersion"), kind, &gvk));
    if (!auth->find_bound || gvk.group.len || (!is_pod && !str_eq(kind, STR("Secret"))))
        return status_bad_request("cannot bind token to object of type %.*s/%.*s, Kind=%.*s",
                                  STR_ARG(gvk.group), STR_ARG(gvk.version), STR_ARG(kind));
    const struct json_value *object =
        auth->find_bound(auth->data, arena, kind, claims->namespace, name);
    if (!object)
        return status_not_found(is_pod ? GVR("", "v1", "pods") : GVR("", "v1", "secrets"), name);
    if (is_pod)
        TRY(check_pod(object, claims->account));
    claims->bound_kind = is_pod ? STR("pod") : STR("secret");
    claims->bound_name = name;
    claims->bound_uid = json_path_str(object, "metadata.uid");
    return uid.len && !str_eq(uid, claims->bound_uid) ? uid_differs(kind, name, uid) : NULL;
}

/* Without audiences a token is for this API. */
static struct rbac_strings read_audiences(struct arena *arena, const struct json_value *list,
                                          struct str own)
{
    struct str *items = arena_alloc_array(arena, json_count(list) + 1, sizeof(items[0]));
    const struct json_value *value;
    size_t count = 0;
    JSON_FOREACH (key, value, list)
        items[count++] = json_to_str(value);
    if (count == 0)
        items[count++] = own;
    return (struct rbac_strings){items, count};
}

static void write_metadata(struct json_builder *builder, const struct json_value *account,
                           timestamp now)
{
    char text[TIMESTAMP_TEXT_MAX];
    json_builder_add_object(builder, "metadata");
    json_builder_add_str(builder, "name", json_path_str(account, "metadata.name"));
    json_builder_add_str(builder, "namespace", json_path_str(account, "metadata.namespace"));
    json_builder_add_str(builder, "uid", json_path_str(account, "metadata.uid"));
    json_builder_add_str(builder, "creationTimestamp", timestamp_write(now, text));
    json_builder_end(builder);
}

/* The whole TokenRequest with the defaults filled in. */
static struct error *write_answer(const struct json_value *account, const struct json_value *body,
                                  const struct jwt_claims *claims, struct str token, timestamp now,
                                  struct json_doc **ret_doc)
{
    SCOPED(json_builder) builder = {.limit = 0};
    char text[TIMESTAMP_TEXT_MAX];
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("TokenRequest"));
    json_builder_add_str(&builder, "apiVersion", STR(GROUP "/v1"));
    write_metadata(&builder, account, now);
    json_builder_add_object(&builder, "spec");
    auth_write_strings(&builder, "audiences", &claims->audiences);
    json_builder_add_int(&builder, "expirationSeconds", claims->expires - claims->issued);
    json_builder_add_value(&builder, "boundObjectRef", json_path(body, "spec.boundObjectRef"));
    json_builder_end(&builder);
    json_builder_add_object(&builder, "status");
    json_builder_add_str(&builder, "token", token);
    json_builder_add_str(&builder, "expirationTimestamp",
                         timestamp_write(claims->expires * SECOND, text));
    json_builder_end(&builder);
    json_builder_end(&builder);
    return json_builder_finish(&builder, ret_doc);
}

struct error *token_request(const struct auth *auth, const struct json_value *account,
                            const struct json_value *body, timestamp now,
                            struct json_warnings *warnings, struct json_doc **ret_doc)
{
    struct arena *arena = warnings->arena;
    const struct json_value *bound = json_path(body, "spec.boundObjectRef");
    SCOPED(buf) token = {.secret = true};
    char id[RANDOM_UUID_LEN + 1];
    struct random random;
    int64_t seconds;
    TRY(check_names(arena, account, body));
    TRY(read_expiration(arena, body, &seconds));
    random_init_secure(&random);
    struct jwt_claims claims = {
        .issuer = token_issuer(auth, arena),
        .id = random_uuid(&random, id),
        .namespace = json_path_str(account, "metadata.namespace"),
        .account = json_path_str(account, "metadata.name"),
        .account_uid = json_path_str(account, "metadata.uid"),
        .issued = now / SECOND,
        .not_before = now / SECOND,
    };
    claims.audiences = read_audiences(arena, json_path(body, "spec.audiences"), claims.issuer);
    if (json_type(bound) == JSON_OBJECT)
        TRY(read_bound(auth, arena, bound, &claims));
    claims.expires = claims.issued + shorten_expiration(auth, seconds, warnings);
    TRY(jwt_write(auth->keys, &claims, &token));
    return write_answer(account, body, &claims, buf_str(&token), now, ret_doc);
}
