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

/*
 * Whether the server has this format. A form of an unknown kind is skipped, not guessed at.
 * PartialObjectMetadataList is for collections and PartialObjectMetadata for single objects.
 */
static bool accept_media(const struct media *media, bool is_collection,
                         struct response_format *format)
{
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
        return str_eq(media->version, STR("v1")) || str_eq(media->version, STR("v1beta1"));
    }
    format->metadata_list = str_eq(media->as, STR("PartialObjectMetadataList"));
    if (!format->metadata_list && !str_eq(media->as, STR("PartialObjectMetadata")))
        return false;
    format->form = FORM_METADATA;
    return format->metadata_list == is_collection && str_eq(media->version, STR("v1"));
}

/* 406 in the words of kube-apiserver. */
static struct error *not_acceptable(bool is_stream)
{
    struct error *err =
        error_new(ERROR_NOT_ACCEPTABLE,
                  "406: Not Acceptable\n\nAvailable representations: application/json, "
                  "application/yaml, application/vnd.kubernetes.protobuf%s",
                  is_stream ? ", application/json;stream=watch, "
                              "application/vnd.kubernetes.protobuf;stream=watch"
                            : "");
    return status_without_details(err);
}

/*
 * PartialObjectMetadata was requested for a collection. The message names the Go type of the list.
 */
static struct error *not_for_lists(const struct request *request)
{
    struct str group = request->kind->gvk.group, package;
    str_cut(&group, '.', &package);
    const struct str type = request->kind->is_custom ? STR("unstructured") : package;
    return error_new(
        ERROR_NOT_ACCEPTABLE,
        "you requested PartialObjectMetadata, but the requested object is a list (*%.*s.%.*s)",
        STR_ARG(type.len ? type : STR("core")), STR_ARG(request->kind->list_kind));
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
    const bool is_list = request->verb == VERB_LIST || request->verb == VERB_DELETECOLLECTION;
    struct str accept = http_headers_find(http_request_headers(request->http), STR("accept"));
    *ret_format = (struct response_format){0};
    if (accept.len == 0)
        return NULL;
    bool single = false;
    while (accept.len) {
        struct str member;
        str_cut(&accept, ',', &member);
        const struct media media = read_media(member);
        single = single || (is_list && str_eq(media.as, STR("PartialObjectMetadata")));
        struct response_format format = {0};
        if (accept_media(&media, is_list, &format)) {
            *ret_format = format;
            return format.form == FORM_TABLE ? read_include(&request->query, &ret_format->include)
                                             : NULL;
        }
    }
    if (single)
        return not_for_lists(request);
    return not_acceptable(is_list || request->verb == VERB_WATCH);
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
