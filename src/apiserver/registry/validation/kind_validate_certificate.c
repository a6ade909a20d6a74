/*
 * Validation of CertificateSigningRequests.
 *
 * Upstream: k8s.io/kubernetes/pkg/apis/certificates/validation/validation.go. What an object has
 * wrong already, it may keep. Messages about malformed requests and certificates come from another
 * parser than upstream's.
 */
#include "apiserver/registry/validation/kind_validate_internal.h"
#include "base/base64.h"
#include "base/x509_check.h"
#include "json/compare.h"

#define EXPIRATION_MIN 600
#define DOMAIN_MAX     253
#define SIGNER_MAX     (DOMAIN_MAX + 253 + 63 + 2)

#define USAGES                                                                              \
    "any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|" \
    "decipher only|digital signature|email protection|encipher only|ipsec end system|"      \
    "ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|"    \
    "ocsp signing|s/mime|server auth|signing|timestamping"

static const struct str approved = STR_INIT("Approved");
static const struct str denied = STR_INIT("Denied");
static const struct str failed = STR_INIT("Failed");

static void validate_request(struct kind_validator *v, const struct json_value *spec,
                             struct str path)
{
    const struct json_value *request = json_path(spec, "request");
    SCOPED(buf) pem = {.limit = 0};
    bool is_member;
    struct error *err = base64_decode(&pem, json_to_str(request));
    if (!err)
        err = x509_check_request(buf_str(&pem), STR(""), &is_member);
    if (err)
        field_invalid(v, path, "request", request, err->message);
    error_free(err);
}

/* Whether a list of the old object has a fault that the new one may have, too. */
static bool has_unknown_usage(const struct json_value *usages)
{
    const struct json_value *usage;
    JSON_FOREACH (key, usage, usages)
        if (!field_is_one_of(json_to_str(usage), USAGES))
            return true;
    return false;
}

static void validate_usages(struct kind_validator *v, const struct json_value *spec,
                            struct str path)
{
    const struct json_value *usages = json_path(spec, "usages"), *usage;
    const struct json_value *old = json_path(v->old, "spec.usages");
    const struct str at = field_path(v, path, "usages");
    SCOPED(map) seen = {.release = NULL};
    size_t index = 0;
    if (json_count(usages) == 0)
        field_required(v, path, "usages", "");
    if (v->old && json_equal(usages, old))
        return;
    if (!has_unknown_usage(old))
        JSON_FOREACH (key, usage, usages)
            field_one_of(v, field_path_index(v, at, index++), NULL, json_to_str(usage), USAGES);
    index = 0;
    JSON_FOREACH (key, usage, usages)
        (void)field_unique(v, &seen, field_path_index(v, at, index++), NULL, json_to_str(usage));
}

/* The parts of a domain or of a path, which dots separate. Only the first fault is told. */
static size_t validate_signer_labels(struct kind_validator *v, struct str path, struct str segment,
                                     name_check_fn *check)
{
    struct str rest = segment, label;
    size_t count = 0;
    bool more = true, is_right = true;
    while (more) {
        more = str_cut(&rest, '.', &label);
        count++;
        const struct validation found = is_right ? check(label) : (struct validation){.count = 0};
        for (size_t i = 0; i < found.count; i++)
            field_errors_add_str(v->errors, FIELD_INVALID, path, segment,
                                 arena_print(v->arena, "validating label \"%.*s\": %.*s",
                                             STR_ARG(label), STR_ARG(found.messages[i])));
        is_right = is_right && found.count == 0;
    }
    return count;
}

static void validate_signer(struct kind_validator *v, const struct json_value *spec,
                            struct str path)
{
    const struct str name = json_path_str(spec, "signerName"),
                     at = field_path(v, path, "signerName");
    struct str rest = name, domain;
    if (name.len == 0) {
        field_required(v, at, NULL, "");
        return;
    }
    if (str_eq(name, STR("kubernetes.io/legacy-unknown"))) {
        if (!str_eq(json_path_str(v->old, "spec.signerName"), name))
            field_errors_add_str(v->errors, FIELD_INVALID, at, name,
                                 STR("the legacy signerName is not allowed via this API version"));
        return;
    }
    if (!str_cut(&rest, '/', &domain) || str_find_char(rest, '/') != STR_NONE) {
        field_errors_add_str(v->errors, FIELD_INVALID, at, name,
                             STR("must be a fully qualified domain and path of the form "
                                 "'example.com/signer-name'"));
        return;
    }
    if (domain.len > DOMAIN_MAX)
        field_errors_add_too_long(v->errors, at, DOMAIN_MAX);
    if (validate_signer_labels(v, at, domain, validation_dns1123_label) < 2)
        field_errors_add_str(v->errors, FIELD_INVALID, at, domain,
                             STR("should be a domain with at least two segments separated by "
                                 "dots"));
    (void)validate_signer_labels(v, at, rest, validation_dns1123_subdomain);
    if (name.len > SIGNER_MAX)
        field_errors_add_too_long(v->errors, at, SIGNER_MAX);
}

void validate_certificate_spec(struct kind_validator *v, const struct json_value *spec,
                               struct str path)
{
    const struct json_value *expiration = json_path(spec, "expirationSeconds");
    int64_t seconds = 0;
    validate_request(v, spec, path);
    validate_usages(v, spec, path);
    validate_signer(v, spec, path);
    if (json_to_int64(expiration, &seconds) && seconds < EXPIRATION_MIN)
        field_invalid(v, path, "expirationSeconds", expiration,
                      "may not specify a duration less than 600 seconds (10 minutes)");
}

static size_t count_conditions(const struct json_value *object, struct str type)
{
    const struct json_value *condition;
    size_t count = 0;
    JSON_FOREACH (key, condition, json_path(object, "status.conditions"))
        count += str_eq(json_path_str(condition, "type"), type);
    return count;
}

static void validate_condition(struct kind_validator *v, const struct json_value *condition,
                               struct str at)
{
    const struct str type = json_path_str(condition, "type");
    const struct str status = json_path_str(condition, "status");
    const bool is_true = str_eq(type, approved) || str_eq(type, denied) || str_eq(type, failed);
    if (type.len == 0 && count_conditions(v->old, STR("")) == 0)
        field_required(v, at, "type", "");
    if (status.len == 0)
        field_required(v, at, "status", "");
    else
        field_one_of(v, at, "status", status, is_true ? "True" : "False|True|Unknown");
}

/* A request is approved or denied, and a condition is there once. */
void validate_certificate_status(struct kind_validator *v, const struct json_value *status,
                                 struct str path)
{
    const struct json_value *condition;
    const struct str at = field_path(v, path, "conditions");
    const bool may_be_both = count_conditions(v->old, approved) && count_conditions(v->old, denied);
    bool is_approved = false, is_denied = false;
    SCOPED(map) seen = {.release = NULL};
    size_t index = 0;
    JSON_FOREACH (key, condition, json_path(status, "conditions")) {
        const struct str here = field_path_index(v, at, index++);
        const struct str type = json_path_str(condition, "type");
        validate_condition(v, condition, here);
        is_approved = is_approved || str_eq(type, approved);
        is_denied = is_denied || str_eq(type, denied);
        if (!may_be_both && is_approved && is_denied &&
            (str_eq(type, approved) || str_eq(type, denied)))
            field_errors_add_str(v->errors, FIELD_INVALID, at, type,
                                 STR("Approved and Denied conditions are mutually exclusive"));
        (void)field_unique(v, &seen, here, "type", type);
    }
}

/* Takes nothing back: what was decided or issued stays. */
static void validate_kept_conditions(struct kind_validator *v)
{
    const struct str types[] = {approved, denied, failed};
    for (size_t i = 0; i < COUNT(types); i++)
        if (count_conditions(v->object, types[i]) < count_conditions(v->old, types[i]))
            field_forbidden(v, STR(""), "status.conditions",
                            arena_print(v->arena,
                                        "updates may not remove a condition of type \"%.*s\"",
                                        STR_ARG(types[i]))
                                .ptr);
    if (str_eq(v->write->subresource, STR("approval")))
        return;
    for (size_t i = 0; i < 2; i++)
        if (count_conditions(v->object, types[i]) > count_conditions(v->old, types[i]))
            field_forbidden(v, STR(""), "status.conditions",
                            arena_print(v->arena,
                                        "updates may not add a condition of type \"%.*s\"",
                                        STR_ARG(types[i]))
                                .ptr);
}

static void validate_certificate_text(struct kind_validator *v,
                                      const struct json_value *certificate)
{
    SCOPED(buf) pem = {.limit = 0};
    if (json_to_str(certificate).len == 0)
        return;
    struct error *err = base64_decode(&pem, json_to_str(certificate));
    if (!err)
        err = x509_check_certificates(buf_str(&pem));
    if (err)
        field_errors_add_str(v->errors, FIELD_INVALID, STR("status.certificate"),
                             STR("<certificate data>"), str_from_c(err->message));
    error_free(err);
}

/* Runs on every update, of subresources too. */
void validate_certificate_update(struct kind_validator *v, const struct json_value *object,
                                 struct str path)
{
    const struct json_value *certificate = json_path(object, "status.certificate");
    const struct json_value *old = json_path(v->old, "status.certificate");
    (void)path;
    const bool is_changed = !json_equal(certificate, old);
    if (is_changed)
        validate_certificate_text(v, certificate);
    validate_kept_conditions(v);
    if (!is_changed)
        return;
    if (!str_eq(v->write->subresource, STR("status")))
        field_forbidden(v, STR(""), "status.certificate",
                        "updates may not set certificate content");
    else if (json_to_str(old).len > 0)
        field_forbidden(v, STR(""), "status.certificate",
                        "updates may not modify existing certificate content");
}
