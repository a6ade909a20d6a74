/*
 * Certificates for tests: one authority, a server and a client, made anew for each test.
 */
#include "testing/certs.h"

#include "base/duration.h"
#include "net/pki.h"
#include "testing/test.h"

/*
 * The server's names cover the simulated network ("server.test") and the real one on this machine.
 */
void test_certs_init(struct test_certs *certs, int64_t now)
{
    *certs = (struct test_certs){0};
    const int64_t from = now - 24 * HOUR, to = now + 24 * HOUR;
    OWNED(pki_authority) authority = NULL;
    CHECK_OK(pki_authority_new(STR("test authority"), from, to, &authority));
    SCOPED(buf) authority_key = {.secret = true};
    CHECK_OK(pki_authority_write(authority, &certs->authority_pem, &authority_key));

    /* One of them twice: messages tell it once. */
    const struct str names[] = {STR("server.test"), STR("localhost"), STR("127.0.0.1"),
                                STR("localhost")};
    CHECK_OK(pki_issue(authority,
                       &(struct pki_request){.common_name = STR("server.test"),
                                             .names = names,
                                             .name_count = COUNT(names),
                                             .server = true,
                                             .not_before = from,
                                             .not_after = to},
                       &certs->server_pem, &certs->server_key));
    const struct str groups[] = {STR("test-group")};
    CHECK_OK(pki_issue(authority,
                       &(struct pki_request){.common_name = STR("test-client"),
                                             .organizations = groups,
                                             .organization_count = 1,
                                             .client = true,
                                             .not_before = from,
                                             .not_after = to},
                       &certs->client_pem, &certs->client_key));
    CHECK_OK(tls_trust_read(buf_str(&certs->authority_pem), &certs->trust));
    CHECK_OK(tls_identity_read(buf_str(&certs->server_pem), buf_str(&certs->server_key),
                               &certs->server));
    CHECK_OK(tls_identity_read(buf_str(&certs->client_pem), buf_str(&certs->client_key),
                               &certs->client));
}

void test_certs_done(struct test_certs *certs)
{
    tls_trust_free(certs->trust);
    tls_identity_free(certs->server);
    tls_identity_free(certs->client);
    buf_done(&certs->authority_pem);
    buf_done(&certs->server_pem);
    buf_done(&certs->server_key);
    buf_done(&certs->client_pem);
    buf_done(&certs->client_key);
}
