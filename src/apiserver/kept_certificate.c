#include "apiserver/kept_certificate.h"

#include "base/duration.h"
#include "net/pki.h"

#define LIFE       (365 * (24 * HOUR))
#define CLOCK_SKEW HOUR

void kept_certificate_done(struct kept_certificate *kept)
{
    buf_done(&kept->certificate);
    buf_done(&kept->key);
}

int64_t kept_certificate_renewal(int64_t not_before, int64_t not_after, int64_t authority_end)
{
    return not_after >= authority_end ? INT64_MAX : not_after - (not_after - not_before) / 3;
}

/* Leaves renew_at as it is for a certificate that is of no use. */
static struct error *read_kept(const struct credential_files *files,
                               const struct kept_certificate_names *names,
                               const struct pki_authority *authority,
                               const struct pki_request *request, int64_t now,
                               struct kept_certificate *kept)
{
    bool has_certificate = false, has_key = false;
    int64_t not_before, not_after, authority_start, authority_end;
    TRY(credential_files_read(files, names->certificate, &kept->certificate, &has_certificate));
    TRY(credential_files_read(files, names->key, &kept->key, &has_key));
    pki_authority_validity(authority, &authority_start, &authority_end);
    if (!has_certificate || !has_key ||
        !pki_is_issued(authority, request, buf_str(&kept->certificate), buf_str(&kept->key),
                       &not_before, &not_after) ||
        now < not_before) /* the clock was set back */
        return NULL;
    kept->not_before = not_before;
    kept->not_after = not_after;
    kept->renew_at = kept_certificate_renewal(not_before, not_after, authority_end);
    return NULL;
}

/* The key is written first: without its certificate it is ignored and replaced. */
static struct error *issue_kept(struct credential_files *files,
                                const struct kept_certificate_names *names,
                                const struct pki_authority *authority, struct pki_request request,
                                int64_t now, struct kept_certificate *kept)
{
    int64_t authority_start, authority_end;
    pki_authority_validity(authority, &authority_start, &authority_end);
    request.not_before = now - CLOCK_SKEW;
    request.not_after = now + LIFE < authority_end ? now + LIFE : authority_end;
    buf_clear(&kept->certificate);
    buf_clear(&kept->key);
    TRY(pki_issue(authority, &request, &kept->certificate, &kept->key));
    kept->not_before = request.not_before;
    kept->not_after = request.not_after;
    kept->renew_at = kept_certificate_renewal(request.not_before, request.not_after, authority_end);
    TRY(credential_files_write(files, names->key, buf_str(&kept->key)));
    return credential_files_write(files, names->certificate, buf_str(&kept->certificate));
}

struct error *kept_certificate_open(struct credential_files *files,
                                    const struct kept_certificate_names *names,
                                    const struct pki_authority *authority,
                                    const struct pki_request *request, int64_t now,
                                    struct kept_certificate *ret_kept)
{
    ret_kept->key.secret = true;
    ret_kept->renew_at = INT64_MIN;
    TRY(read_kept(files, names, authority, request, now, ret_kept));
    if (now < ret_kept->renew_at)
        return NULL;
    return issue_kept(files, names, authority, *request, now, ret_kept);
}
