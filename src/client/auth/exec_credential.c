/*
 * Reading and writing ExecCredential, as client-go's exec authenticator does it.
 *
 * The output of a plugin is a secret. It is parsed into a document whose texts are wiped before the
 * document is freed, and no error quotes it.
 */
#include "client/auth/exec_credential.h"

#include "base/base64.h"
#include "base/memory.h"
#include "client/auth/token_text.h"
#include "json/builder.h"
#include "json/fields.h"
#include "json/path.h"
#include "net/tls.h"

static const struct str modes[] = {
    [REST_EXEC_NEVER] = STR_INIT("Never"),
    [REST_EXEC_IF_AVAILABLE] = STR_INIT("IfAvailable"),
    [REST_EXEC_ALWAYS] = STR_INIT("Always"),
};

bool exec_credential_version_is_known(struct str api_version)
{
    return str_eq(api_version, STR(EXEC_CREDENTIAL_V1)) ||
           str_eq(api_version, STR(EXEC_CREDENTIAL_V1BETA1));
}

/* *ret_mode stays as it is for an unknown text, so the caller can set a default before. */
bool exec_credential_read_mode(struct str text, enum rest_exec_mode *ret_mode)
{
    for (size_t i = 0; i < COUNT(modes); i++) {
        if (str_eq(text, modes[i])) {
            *ret_mode = (enum rest_exec_mode)i;
            return true;
        }
    }
    return false;
}

struct str exec_credential_mode_name(enum rest_exec_mode mode)
{
    return modes[mode];
}

bool exec_credential_env_is_valid(const struct rest_exec_env *env)
{
    return env->name.len > 0 && str_find_char(env->name, '=') == STR_NONE &&
           str_find_char(env->name, '\0') == STR_NONE &&
           str_find_char(env->value, '\0') == STR_NONE;
}

void exec_credential_done(struct exec_credential *credential)
{
    buf_done(&credential->token);
    tls_identity_free(TAKE(credential->identity));
}

/* The fields of a printed ExecCredential. Texts are views of the document. */
struct status {
    struct str api_version, kind;
    struct str token, certificate, key, expiration;
    const struct json_value *value;
};

#define STATUS(member) offsetof(struct status, member)

static const struct json_field status_fields[] = {
    {"apiVersion",                   json_read_str,    STATUS(api_version), JSON_REQUIRED},
    {"kind",                         json_read_str,    STATUS(kind),        JSON_REQUIRED},
    {"status",                       json_read_object, STATUS(value),       JSON_REQUIRED},
    {"status.token",                 json_read_str,    STATUS(token),       JSON_OPTIONAL},
    {"status.clientCertificateData", json_read_str,    STATUS(certificate), JSON_OPTIONAL},
    {"status.clientKeyData",         json_read_str,    STATUS(key),         JSON_OPTIONAL},
    {"status.expirationTimestamp",   json_read_str,    STATUS(expiration),  JSON_OPTIONAL},
};

/* apiVersion must be the one that the kubeconfig asked for: a plugin must not answer in another. */
static struct error *check_status(const struct status *status, struct str api_version)
{
    if (!str_eq(status->kind, STR("ExecCredential")))
        return error_new(ERROR_INVALID, "kind: expected \"ExecCredential\"");
    if (!str_eq(status->api_version, api_version))
        return error_new(ERROR_INVALID, "apiVersion: expected \"%.*s\"", STR_ARG(api_version));
    if (str_is_empty(status->certificate) != str_is_empty(status->key))
        return error_new(ERROR_INVALID,
                         "status: clientCertificateData and clientKeyData belong together");
    if (str_is_empty(status->token) && str_is_empty(status->certificate))
        return error_new(ERROR_INVALID, "status: neither a token nor a certificate");
    if (!str_is_empty(status->token) && !token_text_is_sendable(status->token))
        return error_new(ERROR_INVALID, "status.token: holds characters no header may have");
    return NULL;
}

/* A credential without an expiration is valid until a server rejects it. */
static struct error *use_status(const struct status *status, struct exec_credential *credential)
{
    credential->expiration = TIMESTAMP_MAX;
    if (!str_is_empty(status->expiration) &&
        !timestamp_read(status->expiration, &credential->expiration))
        return error_new(ERROR_INVALID, "status.expirationTimestamp: not a time");
    if (!str_is_empty(status->certificate))
        TRY(tls_identity_read(status->certificate, status->key, &credential->identity),
            "status.clientCertificateData");
    credential->token.secret = true;
    buf_add(&credential->token, status->token);
    return NULL;
}

/* Overwrites a text inside a document. Allowed only if no one else has a reference to it. */
static void wipe_text(struct str secret)
{
    mem_wipe((char *)(uintptr_t)secret.ptr, secret.len);
}

/* Secrets inside the document are wiped on every path, before the document is freed. */
struct error *exec_credential_read(struct str text, struct str api_version,
                                   struct exec_credential *ret_credential)
{
    SCOPED(arena) arena = {0};
    SCOPED(exec_credential) credential = {0};
    OWNED(json_doc) doc = NULL;
    struct status status = {0};
    TRY(json_read(text, &doc));
    struct error *err =
        json_read_fields(&arena, json_doc_root(doc), status_fields, COUNT(status_fields), &status);
    if (!err)
        err = check_status(&status, api_version);
    if (!err)
        err = use_status(&status, &credential);
    wipe_text(status.token);
    wipe_text(status.key);
    if (err)
        return err;
    *ret_credential = credential;
    credential = (struct exec_credential){0};
    return NULL;
}

/* A shorter token would be found in ordinary words of the message. */
#define REDACT_MIN 4

/* A plugin may print its credential and fail nevertheless, with the token in its error message. */
void exec_credential_redact(struct str text, struct buf *message)
{
    OWNED(json_doc) doc = NULL;
    OWNED(error) err = json_read(text, &doc);
    const struct str token = err ? STR("") : json_path_str(json_doc_root(doc), "status.token");
    if (token.len < REDACT_MIN)
        return;
    SCOPED(buf) clean = {.secret = true, .limit = message->limit};
    struct str rest = buf_str(message);
    for (size_t at = str_find(rest, token); at != STR_NONE; at = str_find(rest, token)) {
        buf_add(&clean, str_slice(rest, 0, at));
        buf_add(&clean, STR("***"));
        rest = str_skip(rest, at + token.len);
    }
    buf_add(&clean, rest);
    wipe_text(token);
    buf_clear(message);
    buf_add(message, buf_str(&clean));
}

static void add_unless_empty(struct json_builder *builder, const char *key, struct str text)
{
    if (!str_is_empty(text))
        json_builder_add_str(builder, key, text);
}

/* spec.cluster, for plugins with provideClusterInfo. */
static struct error *add_cluster(struct json_builder *builder, const struct rest_config *config)
{
    OWNED(json_doc) extension = NULL;
    SCOPED(buf) authorities = {0};
    SCOPED(buf) proxy = {.secret = true};
    base64_encode(&authorities, config->tls.trust_pem);
    if (config->has_proxy)
        url_write(&config->proxy, &proxy);
    if (!str_is_empty(config->auth.exec.cluster_config))
        TRY(json_read(config->auth.exec.cluster_config, &extension), "config of the cluster");
    json_builder_add_object(builder, "cluster");
    json_builder_add_str(builder, "server", config->host);
    add_unless_empty(builder, "tls-server-name", config->tls.server_name);
    if (config->tls.skip_verify)
        json_builder_add_bool(builder, "insecure-skip-tls-verify", true);
    add_unless_empty(builder, "certificate-authority-data", buf_str(&authorities));
    add_unless_empty(builder, "proxy-url", buf_str(&proxy));
    if (config->disable_compression)
        json_builder_add_bool(builder, "disable-compression", true);
    if (extension)
        json_builder_add_value(builder, "config", json_doc_root(extension));
    json_builder_end(builder);
    return NULL;
}

/* spec.interactive is always false, since plugins run without a terminal. */
struct error *exec_credential_write_info(struct buf *out, const struct rest_config *config)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "kind", STR("ExecCredential"));
    json_builder_add_str(&builder, "apiVersion", config->auth.exec.api_version);
    json_builder_add_object(&builder, "spec");
    if (config->auth.exec.provide_cluster_info)
        TRY(add_cluster(&builder, config));
    json_builder_add_bool(&builder, "interactive", false);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    json_write(out, json_doc_root(doc));
    return buf_check(out);
}
