/*
 * Validation of spec.conversion: strategy, and the client configuration of a conversion webhook.
 *
 * What kube-apiserver refuses is refused here. Messages use the paths of the internal type:
 * spec.conversion.webhookClientConfig for spec.conversion.webhook.clientConfig. Upstream:
 * validateCustomResourceConversion() in
 * k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go and
 * k8s.io/apiserver/pkg/util/webhook/validation.go.
 */
#include "apimachinery/validation.h"
#include "apiserver/crd/definition_internal.h"
#include "json/path.h"

#define CONVERSION "spec.conversion"

/* The parts of a URL that have rules. Path and port have none. */
struct parts {
    struct str scheme, host, user, query, fragment;
};

/* A URL without "://" has neither scheme nor host, which check_url() reports. */
static struct parts split_url(struct str url)
{
    struct parts parts = {.scheme = STR("")};
    struct str rest, authority;
    str_cut(&url, '#', &rest);
    parts.fragment = url;
    url = rest;
    str_cut(&url, '?', &rest);
    parts.query = url;
    const size_t scheme = str_find(rest, STR("://"));
    if (scheme == STR_NONE)
        return parts;
    parts.scheme = str_slice(rest, 0, scheme);
    rest = str_skip(rest, scheme + 3);
    str_cut(&rest, '/', &authority);
    const size_t at = str_find_last_char(authority, '@');
    parts.user = at == STR_NONE ? STR("") : str_slice(authority, 0, at);
    parts.host = at == STR_NONE ? authority : str_skip(authority, at + 1);
    return parts;
}

static void check_url(struct str url, struct field_errors *errors)
{
    static const struct str field = STR_INIT(CONVERSION ".webhookClientConfig.url");
    const struct parts parts = split_url(url);
    if (!str_eq(parts.scheme, STR("https")))
        field_errors_add_str(errors, FIELD_INVALID, field, parts.scheme,
                             STR("'https' is the only allowed URL scheme; desired format: "
                                 "https://host[/path]"));
    if (parts.host.len == 0)
        field_errors_add_str(errors, FIELD_INVALID, field, parts.host,
                             STR("host must be specified; desired format: https://host[/path]"));
    if (parts.user.len > 0)
        field_errors_add_str(errors, FIELD_INVALID, field, parts.user,
                             STR("user information is not permitted in the URL"));
    if (parts.fragment.len > 0)
        field_errors_add_str(errors, FIELD_INVALID, field, parts.fragment,
                             STR("fragments are not permitted in the URL"));
    if (parts.query.len > 0)
        field_errors_add_str(errors, FIELD_INVALID, field, parts.query,
                             STR("query parameters are not permitted in the URL"));
}

/* Each segment of the path of a service must be a DNS subdomain; one slash at the end is fine. */
static void check_path(struct str path, struct field_errors *errors)
{
    static const struct str field = STR_INIT(CONVERSION ".webhookClientConfig.service.path");
    struct str rest = path, segment;
    if (path.len == 0 || str_eq(path, STR("/")))
        return;
    if (path.ptr[0] != '/')
        field_errors_add_str(errors, FIELD_INVALID, field, path, STR("must start with a '/'"));
    rest = str_skip(rest, 1);
    if (str_ends_with(rest, STR("/")) && rest.len > 1)
        rest = str_slice(rest, 0, rest.len - 1);
    bool more = true;
    for (size_t i = 0; more; i++) {
        more = str_cut(&rest, '/', &segment);
        if (segment.len == 0 || str_eq(segment, STR("/"))) {
            field_errors_add_str(errors, FIELD_INVALID, field, path,
                                 arena_print(errors->arena, "segment[%zu] may not be empty", i));
            continue;
        }
        const struct validation found = validation_dns1123_subdomain(segment);
        for (size_t k = 0; k < found.count; k++)
            field_errors_add_str(
                errors, FIELD_INVALID, field, path,
                arena_print(errors->arena, "segment[%zu]: %.*s", i, STR_ARG(found.messages[k])));
    }
}

static void check_service(const struct json_value *service, struct field_errors *errors)
{
    int64_t port = 443;
    json_to_int64(json_get(service, STR("port")), &port);
    if (json_path_str(service, "name").len == 0)
        field_errors_add(errors, FIELD_REQUIRED,
                         STR(CONVERSION ".webhookClientConfig.service.name"),
                         STR("service name is required"));
    if (json_path_str(service, "namespace").len == 0)
        field_errors_add(errors, FIELD_REQUIRED,
                         STR(CONVERSION ".webhookClientConfig.service.namespace"),
                         STR("service namespace is required"));
    if (port < 1 || port > 65535)
        field_errors_add_int(errors, FIELD_INVALID,
                             STR(CONVERSION ".webhookClientConfig.service.port"), port,
                             STR("port is not valid: must be between 1 and 65535, inclusive"));
    check_path(json_path_str(service, "path"), errors);
}

static void check_client(const struct json_value *client, struct field_errors *errors)
{
    static const struct str field = STR_INIT(CONVERSION ".webhookClientConfig");
    const struct json_value *url = json_get(client, STR("url"));
    const struct json_value *service = json_get(client, STR("service"));
    const bool has_url = json_type(url) == JSON_STRING;
    const bool has_service = json_type(service) == JSON_OBJECT;
    if (json_type(client) != JSON_OBJECT)
        field_errors_add(errors, FIELD_REQUIRED, field,
                         STR("required when strategy is set to Webhook"));
    else if (has_url == has_service)
        field_errors_add(errors, FIELD_REQUIRED, field,
                         STR("exactly one of url or service is required"));
    else if (has_url)
        check_url(json_to_str(url), errors);
    else
        check_service(service, errors);
}

/* Whether one of the first `index` elements is the same text. */
static bool is_repeated(const struct json_value *list, size_t index, struct str text)
{
    const struct json_value *value;
    size_t i = 0;
    JSON_FOREACH (key, value, list)
        if (i++ < index && str_eq(json_to_str(value), text))
            return true;
    return false;
}

/*
 * At least one version of ConversionReview must be one that Kubernetes sends. The limit keeps the
 * search for duplicates short.
 */
static void check_review_versions(const struct json_value *versions, struct field_errors *errors)
{
    static const struct str field = STR_INIT(CONVERSION ".conversionReviewVersions");
    const struct json_value *value;
    bool is_known = false;
    size_t index = 0;
    if (json_count(versions) == 0) {
        field_errors_add(errors, FIELD_REQUIRED, field, STR(""));
        return;
    }
    if (json_count(versions) > FIELD_ERRORS_MAX) {
        field_errors_add_too_many(errors, field, json_count(versions), FIELD_ERRORS_MAX);
        return;
    }
    JSON_FOREACH (key, value, versions) {
        const struct str text = json_to_str(value);
        const struct str place = arena_print(errors->arena, "%.*s[%zu]", STR_ARG(field), index);
        if (is_repeated(versions, index++, text)) {
            field_errors_add_str(errors, FIELD_INVALID, place, text, STR("duplicate version"));
            continue;
        }
        const struct validation found = validation_dns1035_label(text);
        for (size_t i = 0; i < found.count; i++)
            field_errors_add_str(errors, FIELD_INVALID, place, text, found.messages[i]);
        is_known = is_known || str_eq(text, STR("v1")) || str_eq(text, STR("v1beta1"));
    }
    if (!is_known)
        field_errors_add_value(errors, FIELD_INVALID, field, versions,
                               STR("must include at least one of v1, v1beta1"));
}

void definition_check_conversion(const struct json_value *conversion, struct field_errors *errors)
{
    static const struct str strategies[] = {STR_INIT("None"), STR_INIT("Webhook")};
    const struct str strategy = json_path_str(conversion, "strategy");
    const struct json_value *client = json_path(conversion, "webhook.clientConfig");
    const struct json_value *versions = json_path(conversion, "webhook.conversionReviewVersions");
    if (json_type(conversion) != JSON_OBJECT)
        return;
    if (strategy.len == 0)
        field_errors_add(errors, FIELD_REQUIRED, STR(CONVERSION ".strategy"), STR(""));
    else if (!str_eq(strategy, strategies[0]) && !str_eq(strategy, strategies[1]))
        field_errors_add_not_supported(errors, STR(CONVERSION ".strategy"), strategy, strategies,
                                       COUNT(strategies));
    if (str_eq(strategy, strategies[1])) {
        check_client(client, errors);
        check_review_versions(versions, errors);
        return;
    }
    if (json_type(client) == JSON_OBJECT)
        field_errors_add(errors, FIELD_FORBIDDEN, STR(CONVERSION ".webhookClientConfig"),
                         STR("should not be set when strategy is not set to Webhook"));
    if (json_count(versions) > 0)
        field_errors_add(errors, FIELD_FORBIDDEN, STR(CONVERSION ".conversionReviewVersions"),
                         STR("should not be set when strategy is not set to Webhook"));
}
