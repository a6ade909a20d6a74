/*
 * An Accept header is a list of media types with parameters:
 * application/json;as=Table;v=v1;g=meta.k8s.io. The first one that the server has is taken; quality
 * values are ignored, as kube-apiserver does. Protobuf is not offered for responses: clients that
 * ask for it name JSON as their second choice.
 */
#include "apiserver/endpoints/negotiate.h"

#include "apimachinery/status.h"
#include "apiserver/registry/kind.h"
#include "base/quote.h"
#include "http/headers.h"
#include "http/server.h"

/* One member of an Accept header. */
struct media {
    struct str type;
    struct str as, group, version;
};

/* One media type with the parameters that matter: as, v and g. */
static struct media read_media(struct str text)
{
    struct media media = {0};
    str_cut(&text, ';', &media.type);
    media.type = str_trim(media.type);
    while (text.len) {
        struct str parameter, name;
        str_cut(&text, ';', &parameter);
        parameter = str_trim(parameter);
        str_cut(&parameter, '=', &name);
        if (str_eq(name, STR("as")))
            media.as = parameter;
        else if (str_eq(name, STR("g")))
            media.group = parameter;
        else if (str_eq(name, STR("v")))
            media.version = parameter;
    }
    return media;
}

static bool is_json(struct str type)
{
    return str_eq(type, STR("application/json")) || str_eq(type, STR("*/*")) ||
           str_eq(type, STR("application/*"));
}

/* What cannot be listed has no table, nor have subresources that are not read. */
static bool has_table(const struct request *request)
{
    static const char *const without[] = {"approval", "finalize", "token"};
    for (size_t i = 0; i < COUNT(without); i++)
        if (str_eq(request->subresource, str_from_c(without[i])))
            return false;
    return request->kind->verbs & KIND_LIST;
}

/*
 * Whether the server has this format. A form of an unknown kind is skipped, not guessed at.
 * PartialObjectMetadataList is for collections and PartialObjectMetadata for single objects.
 */
static bool accept_media(const struct request *request, const struct media *media,
                         struct response_format *format)
{
    const bool is_collection = request->verb == VERB_LIST || request->verb == VERB_DELETECOLLECTION;
    const bool is_yaml = str_eq(media->type, STR("application/yaml"));
    if (!is_json(media->type) && !is_yaml)
        return false;
    format->is_yaml = is_yaml;
    if (media->as.len == 0)
        return true;
    if (!str_eq(media->group, STR("meta.k8s.io")))
        return false;
    if (str_eq(media->as, STR("Table"))) {
        format->form = FORM_TABLE;
        format->table_version = media->version;
        return has_table(request) &&
               (str_eq(media->version, STR("v1")) || str_eq(media->version, STR("v1beta1")));
    }
    format->metadata_list = str_eq(media->as, STR("PartialObjectMetadataList"));
    if (!format->metadata_list && !str_eq(media->as, STR("PartialObjectMetadata")))
        return false;
    format->form = FORM_METADATA;
    format->is_misfit = format->metadata_list != is_collection;
    return str_eq(media->version, STR("v1"));
}

/*
 * 406 in the words of kube-apiserver, which has others for a known type in a form that it does not
 * know.
 */
static struct error *not_acceptable(bool is_known_type, bool is_stream)
{
    const struct str types =
        STR("application/json, application/yaml, application/vnd.kubernetes.protobuf");
    if (is_known_type)
        return error_new(ERROR_NOT_ACCEPTABLE, "only the following media types are accepted: %.*s",
                         STR_ARG(types));
    struct error *err = error_new(
        ERROR_NOT_ACCEPTABLE, "406: Not Acceptable\n\nAvailable representations: %.*s%s",
        STR_ARG(types),
        is_stream
            ? ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"
            : "");
    return status_without_details(err);
}

/* The message names the Go type of what was found. */
struct error *negotiate_check(const struct request *request, const struct response_format *format)
{
    const struct kind *kind = request->kind;
    struct str group = kind->gvk.group, package;
    if (!format->is_misfit)
        return NULL;
    str_cut(&group, '.', &package);
    if (kind->is_custom)
        package = STR("unstructured");
    else if (package.len == 0 || kind->has_two_groups)
        package = STR("core");
    if (format->metadata_list)
        return error_new(ERROR_NOT_ACCEPTABLE,
                         "you requested PartialObjectMetadataList, but the requested object is not "
                         "a list (*%.*s.%.*s)",
                         STR_ARG(package),
                         STR_ARG(kind->is_custom ? STR("Unstructured") : kind->gvk.kind));
    return error_new(
        ERROR_NOT_ACCEPTABLE,
        "you requested PartialObjectMetadata, but the requested object is a list (*%.*s.%.*s)",
        STR_ARG(package), STR_ARG(kind->is_custom ? STR("UnstructuredList") : kind->list_kind));
}

static struct error *read_include(const struct query *query, enum include_object *ret_include)
{
    const struct str value = query_get(query, STR("includeObject"));
    SCOPED(buf) quoted = {.limit = 0};
    *ret_include = str_eq(value, STR("None"))     ? INCLUDE_NONE
                   : str_eq(value, STR("Object")) ? INCLUDE_OBJECT
                                                  : INCLUDE_METADATA;
    if (value.len == 0 || *ret_include != INCLUDE_METADATA || str_eq(value, STR("Metadata")))
        return NULL;
    str_quote_go(&quoted, value);
    return status_bad_request(
        "Unable to convert to Table as requested: includeObject: Invalid value: %.*s: must be "
        "'Metadata', 'Object', 'None', or empty",
        STR_ARG(buf_str(&quoted)));
}

struct error *negotiate(const struct request *request, struct response_format *ret_format)
{
    struct str accept = http_headers_find(http_request_headers(request->http), STR("accept"));
    *ret_format = (struct response_format){0};
    if (accept.len == 0)
        return NULL;
    bool is_known = false;
    while (accept.len) {
        struct str member;
        str_cut(&accept, ',', &member);
        const struct media media = read_media(member);
        is_known = is_known || (media.as.len && is_json(media.type));
        struct response_format format = {0};
        if (accept_media(request, &media, &format)) {
            *ret_format = format;
            return format.form == FORM_TABLE ? read_include(&request->query, &ret_format->include)
                                             : NULL;
        }
    }
    /* Requests for custom resources do not pass the router that has the other words. */
    return not_acceptable(is_known || request->kind->is_custom,
                          request->verb == VERB_LIST || request->verb == VERB_WATCH);
}

bool negotiate_wants_aggregated(struct str accept)
{
    while (accept.len) {
        struct str member;
        str_cut(&accept, ',', &member);
        const struct media media = read_media(member);
        if (!is_json(media.type))
            continue;
        if (media.as.len == 0)
            return false;
        if (str_eq(media.as, STR("APIGroupDiscoveryList")) && str_eq(media.version, STR("v2")) &&
            str_eq(media.group, STR("apidiscovery.k8s.io")))
            return true;
    }
    return false;
}
