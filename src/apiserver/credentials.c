/*
 * The folder holds ca.crt, ca.key and tokens.key, each mode 0600. They may be put there by an
 * administrator. They are never overwritten once they exist: clients trust the authority, and
 * tokens of ServiceAccounts have to stay valid. The certificates of the admin and of the server are
 * kept, too, and replaced when they are due.
 *
 * A first start may be interrupted between the files. The key is written before its certificate and
 * tokens.key last, so check_pair() can tell an interrupted first start from a lost file.
 */
#include "apiserver/credentials.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/credential_rotation.h"
#include "base/duration.h"
#include "base/memory.h"
#include "base/timestamp.h"
#include "net/pki.h"
#include "net/tls.h"

#define AUTHORITY_NAME STR("corset authority")
#define AUTHORITY_LIFE (3650 * (24 * HOUR))
#define CLOCK_SKEW     (3600 * SECOND)
#define CLOCK_MIN      (1577836800 * SECOND) /* 2020-01-01 */
#define ADMIN_NAME     STR("kubernetes-admin")
#define ADMIN_GROUP    STR("system:masters")

void credentials_free(struct credentials *credentials)
{
    if (!credentials)
        return;
    buf_done(&credentials->authority);
    kept_certificate_done(&credentials->admin);
    kept_certificate_done(&credentials->server);
    tls_server_free(credentials->tls);
    token_keys_free(credentials->keys);
    mem_free(credentials);
}

/* For messages. */
static const char *folder_name(const struct credentials_options *options)
{
    return options->files->folder ? options->files->folder : "memory";
}

/*
 * Clients refuse every certificate of an authority that is not valid now, so the server does not
 * start.
 */
static struct error *check_time(const struct credentials_options *options,
                                const struct pki_authority *authority)
{
    char at[TIMESTAMP_TEXT_MAX], now[TIMESTAMP_TEXT_MAX];
    int64_t not_before, not_after;
    pki_authority_validity(authority, &not_before, &not_after);
    const struct str today = timestamp_write(options->now, now);
    if (options->now < not_before) {
        const struct str from = timestamp_write(not_before, at);
        return error_new(ERROR_IO,
                         "the clock of this machine says %.*s, but the authority %s/ca.crt is "
                         "valid from %.*s on; set the clock",
                         STR_ARG(today), folder_name(options), STR_ARG(from));
    }
    if (options->now >= not_after) {
        const struct str until = timestamp_write(not_after, at);
        return error_new(ERROR_IO,
                         "the authority %s/ca.crt has expired on %.*s (the clock says %.*s); "
                         "run 'corset credentials rotate --authority' for a new one, and hand "
                         "out the new kubeconfig",
                         folder_name(options), STR_ARG(until), STR_ARG(today));
    }
    return NULL;
}

/* A clock before 2020 has not been set. Certificates issued now would be useless later. */
static struct error *check_clock(const struct credentials_options *options)
{
    char now[TIMESTAMP_TEXT_MAX];
    const struct str today = timestamp_write(options->now, now);
    if (!options->files->folder || options->now >= CLOCK_MIN)
        return NULL;
    return error_new(ERROR_IO, "the clock of this machine says %.*s; set the clock",
                     STR_ARG(today));
}

/*
 * Refuses a folder with only one of ca.crt and ca.key, unless it is the rest of an interrupted
 * first start.
 */
static struct error *check_pair(const struct credentials_options *options, bool has_certificate,
                                bool has_key)
{
    SCOPED(buf) tokens = {.secret = true};
    bool has_tokens = false;
    if (has_certificate == has_key)
        return NULL;
    TRY(credential_files_read(options->files, "tokens.key", &tokens, &has_tokens));
    if (has_key && !has_tokens)
        return NULL;
    return error_new(ERROR_IO,
                     "%s holds only one of ca.crt and ca.key; put the other one back, or remove "
                     "both to begin with a new authority",
                     folder_name(options));
}

struct error *credentials_new_authority(int64_t now, struct pki_authority **ret_authority)
{
    return pki_authority_new(AUTHORITY_NAME, now - CLOCK_SKEW, now + AUTHORITY_LIFE, ret_authority);
}

/*
 * A key without a certificate gets one and is not replaced: an administrator may have put it there.
 */
static struct error *make_authority(const struct credentials_options *options, struct buf *key,
                                    struct buf *certificate, struct pki_authority **ret_authority)
{
    const int64_t from = options->now - CLOCK_SKEW, until = options->now + AUTHORITY_LIFE;
    const bool has_key = key->len;
    if (has_key)
        TRY(pki_authority_of_key(AUTHORITY_NAME, buf_str(key), from, until, ret_authority),
            "read ca.key in %s", folder_name(options));
    else
        TRY(credentials_new_authority(options->now, ret_authority));
    buf_clear(key);
    buf_clear(certificate);
    TRY(pki_authority_write(*ret_authority, certificate, key));
    if (!has_key)
        TRY(credential_files_write(options->files, "ca.key", buf_str(key)));
    return credential_files_write(options->files, "ca.crt", buf_str(certificate));
}

/* A certificate without its key cannot issue anything, so both files are read together. */
static struct error *open_authority(const struct credentials_options *options,
                                    struct credentials *credentials,
                                    struct pki_authority **ret_authority, bool *ret_has_one)
{
    SCOPED(buf) certificate = {.limit = 0};
    SCOPED(buf) key = {.secret = true};
    bool has_certificate = false, has_key = false;
    TRY(credential_files_read(options->files, "ca.crt", &certificate, &has_certificate));
    TRY(credential_files_read(options->files, "ca.key", &key, &has_key));
    TRY(check_pair(options, has_certificate, has_key));
    if (has_certificate) {
        TRY(pki_authority_read(buf_str(&certificate), buf_str(&key), ret_authority),
            "read ca.crt and ca.key in %s", folder_name(options));
        TRY(check_time(options, *ret_authority));
    } else {
        TRY(make_authority(options, &key, &certificate, ret_authority));
    }
    buf_add(&credentials->authority, buf_str(&certificate));
    *ret_has_one = has_certificate;
    return NULL;
}

/* Keys that exist are kept, because they verify the tokens that were issued before. */
static struct error *open_keys(const struct credentials_options *options, bool has_authority,
                               struct credentials *credentials)
{
    SCOPED(buf) pem = {.secret = true};
    bool is_there = false;
    credentials->keys_stamp = secret_file_stamp(options->files->folder, "tokens.key");
    TRY(credential_files_read(options->files, "tokens.key", &pem, &is_there));
    if (is_there)
        return error_wrap(token_keys_read(buf_str(&pem), &credentials->keys),
                          "read tokens.key in %s", folder_name(options));
    if (options->was_used && has_authority)
        return error_new(ERROR_IO,
                         "%s/tokens.key is missing, so that no token that was handed out is good; "
                         "put it back, or remove the folder to begin with new keys",
                         folder_name(options));
    TRY(token_keys_new(&credentials->keys));
    TRY(token_keys_write(credentials->keys, &pem));
    TRY(credential_files_write(options->files, "tokens.key", buf_str(&pem)));
    credentials->keys_stamp = secret_file_stamp(options->files->folder, "tokens.key");
    return NULL;
}

struct error *credentials_admin_generation(const struct credential_files *files,
                                           const struct pki_authority *authority,
                                           uint64_t *ret_generation)
{
    SCOPED(buf) certificate = {.limit = 0};
    SCOPED(buf) uri = {.limit = 0};
    const struct str prefix = STR(AUTH_GENERATION_URI);
    bool is_there = false;
    *ret_generation = 0;
    TRY(credential_files_read(files, "admin.crt", &certificate, &is_there));
    pki_issued_uri(authority, buf_str(&certificate), &uri);
    if (str_starts_with(buf_str(&uri), prefix) &&
        !str_to_uint64(str_skip(buf_str(&uri), prefix.len), ret_generation))
        *ret_generation = 0;
    return NULL;
}

/*
 * A rotation replaces tokens.key first, and the admin's certificate follows. A certificate of a
 * later generation tells that tokens.key alone went back, and with it the refusal of credentials.
 */
static struct error *check_generation(const struct credentials_options *options,
                                      const struct pki_authority *authority,
                                      const struct credentials *credentials)
{
    uint64_t newest;
    const uint64_t generation = token_keys_generation(credentials->keys);
    TRY(credentials_admin_generation(options->files, authority, &newest));
    if (generation >= newest)
        return NULL;
    return error_new(ERROR_IO,
                     "%s/tokens.key is of generation %llu, but admin.crt beside it of generation "
                     "%llu: tokens.key is from before a rotation, and what was refused since would "
                     "be good again; put the newer one back, or run 'corset credentials rotate'",
                     folder_name(options), (unsigned long long)generation,
                     (unsigned long long)newest);
}

/* The group system:masters is what makes this user an administrator. */
static struct error *open_admin(const struct credentials_options *options,
                                const struct pki_authority *authority,
                                struct credentials *credentials)
{
    static const struct kept_certificate_names names = {"admin.crt", "admin.key"};
    const struct str group = ADMIN_GROUP;
    char uri[64];
    snprintf(uri, sizeof(uri), AUTH_GENERATION_URI "%llu",
             (unsigned long long)token_keys_generation(credentials->keys));
    const struct pki_request request = {
        .common_name = ADMIN_NAME,
        .organizations = &group,
        .organization_count = 1,
        .uri = str_from_c(uri),
        .client = true,
    };
    return kept_certificate_open(options->files, &names, authority, &request, options->now,
                                 &credentials->admin);
}

static struct error *open_server(const struct credentials_options *options,
                                 const struct pki_authority *authority,
                                 struct credentials *credentials)
{
    static const struct kept_certificate_names names = {"server.crt", "server.key"};
    OWNED(tls_identity) identity = NULL;
    OWNED(tls_trust) trust = NULL;
    struct kept_certificate *server = &credentials->server;
    const struct pki_request request = {
        .common_name = STR("corset"),
        .names = options->names,
        .name_count = options->name_count,
        .server = true,
    };
    TRY(kept_certificate_open(options->files, &names, authority, &request, options->now, server));
    TRY(tls_identity_read(buf_str(&server->certificate), buf_str(&server->key), &identity));
    TRY(tls_trust_read(buf_str(&credentials->authority), &trust));
    const struct tls_server_options tls = {
        .identity = identity, .client_trust = trust, .http2 = true};
    return tls_server_new(&tls, &credentials->tls);
}

/* tokens.key is the last file of a first start. */
bool credentials_exist(const char *folder)
{
    SCOPED(buf) path = {.limit = 0};
    buf_print(&path, "%s/tokens.key", folder);
    return access(buf_c(&path), F_OK) == 0;
}

/* Others have pointers to the TLS server and the keys, so these stay where they are. */
void credentials_become(struct credentials *credentials, struct credentials *newer)
{
    const struct credentials old = *credentials;
    tls_server_become(old.tls, TAKE(newer->tls));
    token_keys_become(old.keys, TAKE(newer->keys));
    *credentials = *newer;
    credentials->tls = old.tls;
    credentials->keys = old.keys;
    *newer =
        (struct credentials){.authority = old.authority, .admin = old.admin, .server = old.server};
    credentials_free(newer);
}

static int64_t earliest(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t latest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void set_times(struct credentials *credentials, const struct pki_authority *authority)
{
    const struct kept_certificate *admin = &credentials->admin, *server = &credentials->server;
    int64_t not_before, not_after;
    pki_authority_validity(authority, &not_before, &not_after);
    credentials->renew_at = earliest(admin->renew_at, server->renew_at);
    credentials->not_before = latest(not_before, latest(admin->not_before, server->not_before));
    credentials->not_after = earliest(not_after, earliest(admin->not_after, server->not_after));
}

bool credentials_are_due(const struct credentials *credentials, int64_t now)
{
    return now < credentials->not_before || now >= credentials->renew_at ||
           now >= credentials->not_after;
}

bool credentials_were_replaced(const struct credentials *credentials, const char *folder)
{
    const struct secret_file_stamp stamp = secret_file_stamp(folder, "tokens.key");
    return !secret_file_stamp_eq(&stamp, &credentials->keys_stamp);
}

struct error *credentials_open(const struct credentials_options *options,
                               struct credentials **ret_credentials)
{
    OWNED(credentials) credentials = NEW(struct credentials);
    OWNED(pki_authority) authority = NULL;
    TRY(check_clock(options));
    if (options->files->folder && mkdir(options->files->folder, 0700) != 0 && errno != EEXIST)
        return error_from_errno(errno, "make %s", options->files->folder);
    if (options->files->folder)
        TRY(credential_rotation_apply(options->files->folder));
    bool has_authority = false;
    TRY(open_authority(options, credentials, &authority, &has_authority));
    TRY(open_keys(options, has_authority, credentials));
    TRY(check_generation(options, authority, credentials));
    TRY(open_admin(options, authority, credentials), "issue the admin's certificate");
    TRY(open_server(options, authority, credentials), "issue the server's certificate");
    set_times(credentials, authority);
    *ret_credentials = TAKE(credentials);
    return NULL;
}
