/*
 * Approval of definitions in groups that belong to Kubernetes (k8s.io, kubernetes.io and groups
 * below them): the annotation api-approved.kubernetes.io must be a URL, or a text that starts with
 * "unapproved". An update may leave the annotation as it is. See
 * https://github.com/kubernetes/enhancements/pull/1111.
 */
#include "apiserver/crd/definition_internal.h"
#include "json/path.h"

enum approval {
    APPROVAL_MISSING,
    APPROVAL_BYPASSED,
    APPROVAL_GIVEN,
    APPROVAL_INVALID,
};

#define APPROVED_ANNOTATION "api-approved.kubernetes.io"

static struct str approval_text(const struct json_value *definition)
{
    return json_to_str(
        json_get(json_path(definition, "metadata.annotations"), STR(APPROVED_ANNOTATION)));
}

/* Any URL with a scheme and a host counts as an approval. */
static enum approval approval_of(const struct json_value *definition)
{
    const struct str text = approval_text(definition);
    const size_t scheme = str_find(text, STR("://"));
    if (text.len == 0)
        return APPROVAL_MISSING;
    if (str_starts_with(text, STR("unapproved")))
        return APPROVAL_BYPASSED;
    const bool has_host =
        scheme != STR_NONE && scheme > 0 && text.len > scheme + 3 && text.ptr[scheme + 3] != '/';
    return has_host ? APPROVAL_GIVEN : APPROVAL_INVALID;
}

static bool is_protected(struct str group)
{
    return str_eq(group, STR("k8s.io")) || str_ends_with(group, STR(".k8s.io")) ||
           str_eq(group, STR("kubernetes.io")) || str_ends_with(group, STR(".kubernetes.io"));
}

void definition_check_approval(const struct json_value *definition, const struct json_value *old,
                               struct field_errors *errors)
{
    static const struct str field = STR_INIT("metadata.annotations[" APPROVED_ANNOTATION "]");
    const enum approval approval = approval_of(definition);
    if (!is_protected(json_path_str(definition, "spec.group")) ||
        (old && approval_of(old) == approval))
        return;
    if (approval == APPROVAL_MISSING)
        field_errors_add(errors, FIELD_REQUIRED, field,
                         STR("protected groups must have approval annotation "
                             "\"" APPROVED_ANNOTATION "\", see "
                             "https://github.com/kubernetes/enhancements/pull/1111"));
    if (approval == APPROVAL_INVALID)
        field_errors_add_str(errors, FIELD_INVALID, field, approval_text(definition),
                             STR("protected groups must have approval annotation "
                                 "\"" APPROVED_ANNOTATION "\" with either a URL or a reason "
                                 "starting with \"unapproved\", see "
                                 "https://github.com/kubernetes/enhancements/pull/1111"));
}
