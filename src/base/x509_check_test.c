#include "base/x509_check.h"

#include "base/buf.h"
#include "testing/test.h"

/* A request of CN=me in the organization dev, and a certificate. */
#define REQUEST                                                          \
    "-----BEGIN CERTIFICATE REQUEST-----\n"                              \
    "MIHVMH0CAQAwGzEMMAoGA1UECgwDZGV2MQswCQYDVQQDDAJtZTBZMBMGByqGSM49\n" \
    "AgEGCCqGSM49AwEHA0IABH3kz80aow8r5Gjg1gbZtBPWR7ddsyYOSAmUuQKEDG4a\n" \
    "IfvrjwEcsIz7lPgea2lo/w+/VLPwPfNYT4ApzIKVhr+gADAKBggqhkjOPQQDAgNI\n" \
    "ADBFAiEAnZ1bI0G/VgPyhuDwmW3q67QACk5K71VbO9fl8ESVoBICIC0MN8LD97ey\n" \
    "5MTJs6VQQ0TdyjqNRh3AjDdwnI9aFbGc\n"                                 \
    "-----END CERTIFICATE REQUEST-----\n"
#define CERTIFICATE                                                      \
    "-----BEGIN CERTIFICATE-----\n"                                      \
    "MIIBbzCCARWgAwIBAgIUX/8aONjQ4QABHn+FO3uKUig8ltcwCgYIKoZIzj0EAwIw\n" \
    "DTELMAkGA1UEAwwCbWUwHhcNMjYxMTE3MDAzNzI3WhcNMzYxMTE0MDAzNzI3WjAN\n" \
    "MQswCQYDVQQDDAJtZTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABH3kz80aow8r\n" \
    "5Gjg1gbZtBPWR7ddsyYOSAmUuQKEDG4aIfvrjwEcsIz7lPgea2lo/w+/VLPwPfNY\n" \
    "T4ApzIKVhr+jUzBRMB0GA1UdDgQWBBSZt/oPz6h9eYfarKtlZj96ieFI7jAfBgNV\n" \
    "HSMEGDAWgBSZt/oPz6h9eYfarKtlZj96ieFI7jAPBgNVHRMBAf8EBTADAQH/MAoG\n" \
    "CCqGSM49BAMCA0gAMEUCIQDW3mqqG/a0p09Yj0j7SIeVfLq/HjhQnkDr/K751OMw\n" \
    "UgIgZR/r8xHP1TAUTuXH2W/S1FF89UCR4xJle5Dwo0BhL/A=\n"                 \
    "-----END CERTIFICATE-----\n"

TEST(x509_requests_are_signed_with_their_own_key)
{
    bool is_member = true;
    SCOPED(buf) forged = {.limit = 0};
    CHECK_OK(x509_check_request(STR(REQUEST), STR("admins"), &is_member));
    CHECK(!is_member);
    CHECK_OK(x509_check_request(STR(REQUEST), STR("dev"), &is_member));
    CHECK(is_member);
    /* Another letter in the name, and one in the signature. */
    for (size_t at = 60; at < sizeof(REQUEST) - 40; at += 30) {
        buf_clear(&forged);
        buf_add(&forged, STR(REQUEST));
        forged.ptr[at] = forged.ptr[at] == 'A' ? 'B' : 'A';
        OWNED(error) err = x509_check_request(buf_str(&forged), STR("dev"), &is_member);
        CHECK(err != NULL);
    }
}

TEST(x509_refuses_what_is_no_request)
{
    static const struct {
        struct str pem;
        const char *message;
    } cases[] = {
        {STR_INIT(""),                                                                               "PEM block type must be CERTIFICATE REQUEST"},
        {STR_INIT("nonsense"),                                                                       "PEM block type must be CERTIFICATE REQUEST"},
        {STR_INIT(CERTIFICATE),                                                                      "PEM block type must be CERTIFICATE REQUEST"},
        {STR_INIT("-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"),
         "the request for a certificate is malformed"                                                                                            },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        bool is_member = true;
        OWNED(error) err = x509_check_request(cases[i].pem, STR("dev"), &is_member);
        CHECK(err != NULL);
        CHECK_EQ(str_from_c(err->message), str_from_c(cases[i].message));
        CHECK(!is_member);
    }
}

TEST(x509_certificates)
{
    static const struct {
        struct str pem;
        const char *message;
    } cases[] = {
        {STR_INIT(""),                                                               "must contain at least one CERTIFICATE PEM block"},
        {STR_INIT(CERTIFICATE REQUEST),
         "only CERTIFICATE PEM blocks are allowed, found \"CERTIFICATE REQUEST\""                                                     },
        {STR_INIT("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
         "x509: malformed certificate"                                                                                                },
    };
    CHECK_OK(x509_check_certificates(STR(CERTIFICATE CERTIFICATE)));
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(error) err = x509_check_certificates(cases[i].pem);
        CHECK(err != NULL);
        CHECK_EQ(str_from_c(err->message), str_from_c(cases[i].message));
    }
}
