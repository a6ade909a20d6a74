#include "client/auth/exec_credential.h"

#include "testing/test.h"

#define V1 "client.authentication.k8s.io/v1"

/* What a plugin prints for a token and, unless it is empty, more of the status. */
#define PRINTED(token, more)                                                                \
    "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":{\"token\":\"" token \
    "\"" more "}}"

#define HEAD(kind, version) "{\"kind\":\"" kind "\",\"apiVersion\":\"" version "\""
#define CERTIFICATE(pem)    ",\"clientCertificateData\":\"" pem "\",\"clientKeyData\":\"planted\""

static void check_refused(const char *text, const char *message)
{
    TEST_CASE("%s", text);
    SCOPED(exec_credential) credential = {0};
    OWNED(error) err = exec_credential_read(str_from_c(text), STR(V1), &credential);
    CHECK(err != NULL);
    CHECK_CONTAINS(str_from_c(err->message), str_from_c(message));
    CHECK(!str_contains(str_from_c(err->message), STR("planted")));
}

TEST(exec_credential_refused)
{
    check_refused("", "line 1, column 1: ");
    check_refused("planted rubbish", "line 1, column 1: ");
    check_refused("[]", "expected an object, found an array");
    check_refused("{\"apiVersion\":\"" V1 "\",\"status\":{}}", "kind: required, but absent");
    check_refused(HEAD("Pod", V1) ",\"status\":{}}", "kind: expected \"ExecCredential\"");
    check_refused(HEAD("ExecCredential", V1 "beta1") ",\"status\":{}}",
                  "apiVersion: expected \"" V1 "\"");
    check_refused(HEAD("ExecCredential", V1) "}", "status: required, but absent");
    check_refused(HEAD("ExecCredential", V1) ",\"status\":{}}",
                  "status: neither a token nor a certificate");
    check_refused(HEAD("ExecCredential", V1) ",\"status\":{\"token\":7}}",
                  "status.token: expected a string, found a number");
    check_refused(PRINTED("planted\\r\\nX: y", ""),
                  "status.token: holds characters no header may have");
    check_refused(PRINTED("abc", ",\"clientKeyData\":\"planted\""),
                  "status: clientCertificateData and clientKeyData belong together");
    check_refused(PRINTED("abc", CERTIFICATE("x")),
                  "status.clientCertificateData: read certificate: no certificate in it");
    check_refused(PRINTED("abc", ",\"expirationTimestamp\":\"tomorrow\""),
                  "status.expirationTimestamp: not a time");
}

TEST(exec_credential_read)
{
    const char *const texts[] = {PRINTED("abc", ""), PRINTED("abc", ",\"x\":1},\"spec\":{")};
    for (size_t i = 0; i < COUNT(texts); i++) {
        TEST_CASE("%s", texts[i]);
        SCOPED(exec_credential) credential = {0};
        CHECK_OK(exec_credential_read(str_from_c(texts[i]), STR(V1), &credential));
        CHECK_EQ(buf_str(&credential.token), STR("abc"));
        CHECK_EQ(credential.expiration, TIMESTAMP_MAX);
    }
}

static void check_info(const struct rest_config *config, struct str spec)
{
    SCOPED(buf) info = {0};
    SCOPED(arena) arena = {0};
    CHECK_OK(exec_credential_write_info(&info, config));
    CHECK_EQ(buf_str(&info),
             arena_print(&arena,
                         "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"spec\":%.*s}",
                         STR_ARG(spec)));
}

TEST(exec_credential_info)
{
    TEST_CASE("nothing about the cluster");
    struct rest_config config = {.host = STR("https://h/p")};
    config.auth.exec.api_version = STR(V1);
    check_info(&config, STR("{\"interactive\":false}"));

    TEST_CASE("a server that is not verified");
    config.auth.exec.provide_cluster_info = true;
    config.tls.skip_verify = true;
    check_info(&config, STR("{\"cluster\":{\"server\":\"https://h/p\","
                            "\"insecure-skip-tls-verify\":true},\"interactive\":false}"));

    TEST_CASE("everything else");
    config.tls = (struct rest_tls){.server_name = STR("n"), .trust_pem = STR("PEM")};
    config.disable_compression = true;
    config.auth.exec.cluster_config = STR("{\"a\":1}");
    config.has_proxy = true;
    CHECK_OK(url_read_proxy(STR("http://p:1"), &config.proxy));
    check_info(&config,
               STR("{\"cluster\":{\"server\":\"https://h/p\",\"tls-server-name\":\"n\","
                   "\"certificate-authority-data\":\"UEVN\",\"proxy-url\":\"http://p:1\","
                   "\"disable-compression\":true,\"config\":{\"a\":1}},\"interactive\":false}"));
}

TEST(exec_credential_redact)
{
    SCOPED(buf) message = {0};
    buf_add(&message, STR("got hush-hush, really hush-hush"));
    exec_credential_redact(STR("no json"), &message);
    exec_credential_redact(STR("{\"status\":{\"token\":\"got\"}}"), &message);
    CHECK_EQ(buf_str(&message), STR("got hush-hush, really hush-hush"));
    exec_credential_redact(STR("{\"status\":{\"token\":\"hush-hush\"}}"), &message);
    CHECK_EQ(buf_str(&message), STR("got ***, really ***"));
}
