/*
 * Verification of a server's certificate, and errors that say what is wrong with it.
 *
 * OpenSSL verifies the chain; this file chooses the trusted certificates and, after a refusal,
 * turns the reason into a message that names the certificate's names, dates or subject.
 */
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <time.h>

#include "base/buf.h"
#include "net/tls_internal.h"

#define NAMES_SHOWN 8

/* The first error of the queue is the cause; later ones are consequences. */
struct error *tls_error(const char *what)
{
    const unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    struct error *err = error_new(ERROR_TLS, "%s: %s", what, reason ? reason : "failed");
    ERR_clear_error();
    return err;
}

int64_t tls_wall(const ASN1_TIME *time, int64_t otherwise)
{
    struct tm parts = {0};
    if (ASN1_TIME_to_tm(time, &parts) != 1)
        return otherwise;
    const time_t seconds = timegm(&parts);
    const int64_t seconds_max = INT64_MAX / SECOND;
    return seconds > seconds_max    ? INT64_MAX
           : seconds < -seconds_max ? INT64_MIN
                                    : seconds * SECOND;
}

/* DNS names and addresses. IPv6 addresses are not abbreviated. Others are left out. */
static void write_name(struct buf *text, const GENERAL_NAME *name)
{
    int type;
    const ASN1_STRING *value = GENERAL_NAME_get0_value(name, &type);
    if (type != GEN_DNS && type != GEN_IPADD)
        return;
    const unsigned char *bytes = ASN1_STRING_get0_data(value);
    const int len = ASN1_STRING_length(value);
    if (type == GEN_DNS)
        buf_add(text, str_from((const char *)bytes, (size_t)len));
    else if (len == 4)
        buf_print(text, "%d.%d.%d.%d", bytes[0], bytes[1], bytes[2], bytes[3]);
    else
        for (int i = 0; i + 1 < len; i += 2)
            buf_print(text, "%s%x", i ? ":" : "", bytes[i] << 8 | bytes[i + 1]);
}

static bool has_name(struct str names, struct str name)
{
    struct str one;
    while (names.len) {
        str_cut(&names, ',', &one);
        if (str_eq(str_skip(one, one.len && one.ptr[0] == ' '), name))
            return true;
    }
    return false;
}

/* A name that the certificate has twice is told once. */
static void add_name(struct buf *text, const GENERAL_NAME *name)
{
    SCOPED(buf) one = {.limit = 4 * KILOBYTE};
    write_name(&one, name);
    if (!one.len || has_name(buf_str(text), buf_str(&one)))
        return;
    if (text->len)
        buf_add(text, STR(", "));
    buf_add(text, buf_str(&one));
}

/* The names that a certificate is for, up to NAMES_SHOWN. */
static void write_names(struct buf *text, X509 *certificate)
{
    GENERAL_NAMES *names = X509_get_ext_d2i(certificate, NID_subject_alt_name, NULL, NULL);
    const int count = sk_GENERAL_NAME_num(names);
    for (int i = 0; i < count && i < NAMES_SHOWN; i++)
        add_name(text, sk_GENERAL_NAME_value(names, i));
    if (count > NAMES_SHOWN)
        buf_add(text, STR(", …"));
    if (text->len == 0)
        buf_add(text, STR("no name at all"));
    GENERAL_NAMES_free(names);
}

static void write_date(struct buf *text, const ASN1_TIME *date)
{
    struct tm tm;
    if (ASN1_TIME_to_tm(date, &tm) == 1)
        buf_print(text, "%04d-%02d-%02dT%02d:%02d:%02dZ", tm.tm_year + 1900, tm.tm_mon + 1,
                  tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static void write_subject(struct buf *text, X509 *certificate)
{
    char subject[256] = "";
    X509_NAME_oneline(X509_get_subject_name(certificate), subject, sizeof(subject));
    buf_add(text, str_from_c(subject));
}

/* OpenSSL's current certificate is the one at fault, which may be an intermediate one. */
static struct error *explain_refusal(X509_STORE_CTX *store, struct str server_name)
{
    SCOPED(buf) text = {.limit = 4 * KILOBYTE};
    X509 *certificate = X509_STORE_CTX_get_current_cert(store);
    if (!certificate)
        certificate = X509_STORE_CTX_get0_cert(store);
    const int reason = X509_STORE_CTX_get_error(store);
    switch (reason) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        write_names(&text, X509_STORE_CTX_get0_cert(store));
        return error_new(ERROR_TLS, "the server's certificate is for %s, not for %.*s",
                         buf_c(&text), STR_ARG(server_name));
    case X509_V_ERR_CERT_HAS_EXPIRED:
        write_date(&text, X509_get0_notAfter(certificate));
        return error_new(ERROR_TLS, "the server's certificate has expired on %s", buf_c(&text));
    case X509_V_ERR_CERT_NOT_YET_VALID:
        write_date(&text, X509_get0_notBefore(certificate));
        return error_new(ERROR_TLS, "the server's certificate is not valid before %s",
                         buf_c(&text));
    default:
        write_subject(&text, certificate);
        return error_new(ERROR_TLS, "the server's certificate is not to be trusted: %s (%s)",
                         X509_verify_cert_error_string(reason), buf_c(&text));
    }
}

/* Refuses large keys before a signature is verified with one of them. */
static struct error *check_server_keys(X509_STORE_CTX *store)
{
    STACK_OF(X509) *shown = X509_STORE_CTX_get0_untrusted(store);
    for (int i = 0; i < sk_X509_num(shown); i++)
        TRY(tls_check_public_key(sk_X509_value(shown, i)), "the server shows");
    return NULL;
}

/*
 * Called by OpenSSL during the handshake. The system's authorities are used only when the options
 * have no trust of their own.
 */
int tls_verify(X509_STORE_CTX *store, void *arg)
{
    (void)arg;
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct tls *tls = tls_of(ssl);
    if (tls->options->skip_verify)
        return 1;
    tls->verify_err = check_server_keys(store);
    if (tls->verify_err) {
        X509_STORE_CTX_set_error(store, X509_V_ERR_UNSPECIFIED);
        return 0;
    }
    STACK_OF(X509) *trusted = NULL;
    if (tls->options->trust) {
        trusted = tls_trust_parse(tls->options->trust);
        X509_STORE_CTX_set0_trusted_stack(store, trusted);
    }
    const int ok = X509_verify_cert(store);
    if (ok != 1 && !tls->verify_err)
        tls->verify_err = explain_refusal(store, tls->options->server_name);
    X509_STORE_CTX_set0_trusted_stack(store, NULL);
    sk_X509_pop_free(trusted, X509_free);
    return ok == 1;
}
