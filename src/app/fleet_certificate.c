#include "app/fleet_certificate.h"

#include "apimachinery/object.h"
#include "apimachinery/wellknown.h"
#include "async/loop.h"
#include "base/base64.h"
#include "base/log.h"
#include "client/client.h"
#include "client/kubeconfig/file_text.h"
#include "json/builder.h"
#include "json/path.h"
#include "net/pki.h"

#define DAY            (24 * HOUR)
#define AUTHORITY_LIFE (3650 * DAY)
#define LIFE           (365 * DAY)
#define CLOCK_SKEW     HOUR
#define FILE_MAX       MEGABYTE
#define ATTEMPTS       5

void fleet_certificate_done(struct fleet_certificate *certificate)
{
    buf_done(&certificate->certificate);
    buf_done(&certificate->key);
    buf_done(&certificate->authority);
}

static void take_newer(struct fleet_certificate *certificate, struct fleet_certificate *newer)
{
    fleet_certificate_done(certificate);
    *certificate = *newer;
    *newer = (struct fleet_certificate){0};
}

static struct error *read_file(struct str folder, const char *name, struct buf *out)
{
    SCOPED(buf) path = {0};
    buf_print(&path, "%.*s/%s", STR_ARG(folder), name);
    const struct file_text_options options = {
        .path = buf_str(&path), .limit = FILE_MAX, .secret = true};
    return file_text_read(&options, out);
}

static struct error *read_files(struct str folder, struct fleet_certificate *certificate,
                                bool *ret_is_new)
{
    SCOPED(fleet_certificate) newer = {.key.secret = true};
    TRY(read_file(folder, "tls.crt", &newer.certificate));
    TRY(read_file(folder, "tls.key", &newer.key));
    *ret_is_new = !str_eq(buf_str(&newer.certificate), buf_str(&certificate->certificate)) ||
                  !str_eq(buf_str(&newer.key), buf_str(&certificate->key));
    if (*ret_is_new)
        take_newer(certificate, &newer);
    return NULL;
}

static struct error *make_authority(int64_t now, struct pki_authority **ret_authority)
{
    return pki_authority_new(STR("corset-fleet-ca"), now - CLOCK_SKEW, now + AUTHORITY_LIFE,
                             ret_authority);
}

/* NULL if the Secret has none, or one that is at its end. */
static struct pki_authority *find_authority(const struct object *secret, int64_t now)
{
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    OWNED(pki_authority) authority = NULL;
    int64_t not_before, not_after;
    const struct json_value *data = object_path(secret, "data");
    OWNED(error) wrong = base64_decode(&certificate, json_to_str(json_get(data, STR("ca.crt"))));
    if (!wrong)
        wrong = base64_decode(&key, json_to_str(json_get(data, STR("ca.key"))));
    if (!wrong)
        wrong = pki_authority_read(buf_str(&certificate), buf_str(&key), &authority);
    if (wrong)
        return NULL;
    pki_authority_validity(authority, &not_before, &not_after);
    return now < not_after - (not_after - not_before) / 3 ? TAKE(authority) : NULL;
}

/* With the version that was read: of processes that do this at a time, one succeeds. Suspends. */
static struct error *keep_authority(struct client *client, struct key secret,
                                    const struct object *found,
                                    const struct pki_authority *authority)
{
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {.secret = true};
    SCOPED(buf) body = {.secret = true};
    TRY(pki_authority_write(authority, &certificate, &key));
    buf_print(&body, "{\"metadata\":{\"resourceVersion\":\"%.*s\"},\"data\":{\"ca.crt\":\"",
              STR_ARG(json_path_str(object_path(found, "metadata"), "resourceVersion")));
    base64_encode(&body, buf_str(&certificate));
    buf_add(&body, STR("\",\"ca.key\":\""));
    base64_encode(&body, buf_str(&key));
    buf_add(&body, STR("\"}}"));
    TRY(buf_check(&body));
    return client_patch(client, GVR_SECRETS, secret, CLIENT_PATCH_MERGE, buf_str(&body), NULL,
                        NULL);
}

/* That of the Secret, which gets one if it has none. Suspends. */
static struct error *share_authority(struct client *client, struct key secret, int64_t now,
                                     struct pki_authority **ret_authority)
{
    for (int attempt = 1;; attempt++) {
        OWNED(object) found = NULL;
        OWNED(pki_authority) authority = NULL;
        TRY(client_get(client, GVR_SECRETS, secret, NULL, &found));
        *ret_authority = find_authority(found, now);
        if (*ret_authority)
            return NULL;
        TRY(make_authority(now, &authority));
        struct error *err = keep_authority(client, secret, found, authority);
        if (!err) {
            *ret_authority = TAKE(authority);
            return NULL;
        }
        if (!error_is(err, ERROR_CONFLICT) || attempt == ATTEMPTS)
            return err;
        error_free(err);
    }
}

static struct error *issue(const struct pki_authority *authority,
                           const struct fleet_certificate_options *options, int64_t now,
                           struct fleet_certificate *certificate)
{
    SCOPED(buf) service = {0};
    SCOPED(buf) unused = {.secret = true};
    buf_print(&service, "%.*s.%.*s.svc", STR_ARG(options->secret.name),
              STR_ARG(options->secret.namespace));
    const struct str names[] = {STR("localhost"), STR("127.0.0.1"), options->host,
                                buf_str(&service)};
    const struct pki_request request = {
        .common_name = STR("corset-fleet"),
        .names = names,
        .name_count = options->secret.name.len ? COUNT(names) : COUNT(names) - 1,
        .server = true,
        .not_before = now - CLOCK_SKEW,
        .not_after = now + LIFE,
    };
    certificate->renew_at = now + LIFE / 3 * 2;
    TRY(pki_issue(authority, &request, &certificate->certificate, &certificate->key));
    return pki_authority_write(authority, &certificate->authority, &unused);
}

static struct error *renew_issued(const struct fleet_certificate_options *options, int64_t now,
                                  struct fleet_certificate *certificate)
{
    OWNED(pki_authority) authority = NULL;
    SCOPED(fleet_certificate) newer = {.key.secret = true};
    const struct key secret = options->secret;
    if (secret.name.len)
        TRY(share_authority(options->client, secret, now, &authority),
            "authority in Secret %.*s/%.*s", STR_ARG(secret.namespace), STR_ARG(secret.name));
    else
        TRY(make_authority(now, &authority));
    TRY(issue(authority, options, now, &newer));
    take_newer(certificate, &newer);
    return NULL;
}

struct error *fleet_certificate_renew(struct loop *loop,
                                      const struct fleet_certificate_options *options,
                                      struct fleet_certificate *certificate, bool *ret_is_new)
{
    const int64_t now = loop_wall(loop);
    *ret_is_new = false;
    if (options->folder.len)
        return read_files(options->folder, certificate, ret_is_new);
    if (certificate->key.len && now < certificate->renew_at)
        return NULL;
    TRY(renew_issued(options, now, certificate));
    *ret_is_new = true;
    return NULL;
}
