#include "fleet/fleet_question.h"

#include "apimachinery/status.h"
#include "base/array.h"
#include "http/query.h"
#include "http/url.h"

/* The value of a parameter of a media type, such as "as"; empty if there is none. */
static struct str find_parameter(struct str parameters, struct str name)
{
    while (parameters.len) {
        struct str part, key;
        str_cut(&parameters, ';', &part);
        part = str_trim(part);
        str_cut(&part, '=', &key);
        if (str_eq_nocase(str_trim(key), name))
            return str_trim(part);
    }
    return (struct str){0};
}

/* False for a type that is not spoken here. */
static bool read_media_type(struct str text, enum fleet_form *ret_form)
{
    struct str type;
    str_cut(&text, ';', &type);
    type = str_trim(type);
    if (!str_eq_nocase(type, STR("application/json")) && !str_eq(type, STR("*/*")) &&
        !str_eq(type, STR("application/*")))
        return false;
    const struct str as = find_parameter(text, STR("as"));
    const struct str version = find_parameter(text, STR("v"));
    if (!as.len)
        *ret_form = FLEET_FORM_LIST;
    else if (str_eq(as, STR("Table")) && str_eq(version, STR("v1")))
        *ret_form = FLEET_FORM_TABLE;
    else if (str_starts_with(as, STR("PartialObjectMetadata")) && str_eq(version, STR("v1")))
        *ret_form = FLEET_FORM_METADATA;
    else
        return false;
    return true;
}

static struct error *read_form(struct str accept, enum fleet_form *ret_form)
{
    *ret_form = FLEET_FORM_LIST;
    if (!accept.len)
        return NULL;
    while (accept.len) {
        struct str type;
        str_cut(&accept, ',', &type);
        if (read_media_type(type, ret_form))
            return NULL;
    }
    return error_new(ERROR_NOT_ACCEPTABLE,
                     "only the following media types are accepted: application/json");
}

struct str fleet_form_accept(enum fleet_form form, bool is_named)
{
    switch (form) {
    case FLEET_FORM_TABLE:
        return STR("application/json;as=Table;v=v1;g=meta.k8s.io");
    case FLEET_FORM_METADATA:
        return is_named ? STR("application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io")
                        : STR("application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
    case FLEET_FORM_LIST:
        break;
    }
    return STR("application/json");
}

/* What goes to every cluster; everything else is for this process or dropped. */
static struct str forward_query(struct arena *arena, const struct query *query)
{
    static const struct str names[] = {
        STR_INIT("labelSelector"),  STR_INIT("fieldSelector"), STR_INIT("fieldValidation"),
        STR_INIT("timeoutSeconds"), STR_INIT("includeObject"),
    };
    SCOPED(buf) out = {.limit = 64 * KILOBYTE};
    for (size_t i = 0; i < COUNT(names); i++) {
        struct str value;
        if (!query_find(query, names[i], &value))
            continue;
        BUF_ADD_ALL(&out, out.len ? STR("&") : STR(""), names[i], STR("="));
        url_escape_query(&out, value);
    }
    return arena_str(arena, buf_str(&out));
}

static struct error *read_selector(struct arena *arena, const struct query *query,
                                   struct fleet_question *question)
{
    struct str text;
    if (!query_find(query, STR("clusterSelector"), &text) || !text.len)
        return NULL;
    struct selector *selector = ARENA_NEW(arena, struct selector);
    TRY(selector_read(arena, text, selector), "clusterSelector");
    question->selector = selector;
    return NULL;
}

static struct error *read_clusters(struct arena *arena, const struct query *query,
                                   struct fleet_question *question)
{
    struct str rest = query_get(query, STR("clusters"));
    size_t capacity = 0;
    while (rest.len) {
        struct str part;
        struct key key;
        str_cut(&rest, ',', &part);
        OWNED(error) err = key_read(str_trim(part), &key);
        if (err || !key.namespace.len || !key.name.len)
            return status_bad_request("clusters: \"%.*s\" is not NAMESPACE/NAME", STR_ARG(part));
        if (question->cluster_count == FLEET_QUESTION_CLUSTERS_MAX)
            return status_bad_request("clusters: at most %d may be named",
                                      FLEET_QUESTION_CLUSTERS_MAX);
        ARENA_ARRAY_PUSH(arena, question->clusters, question->cluster_count, capacity, key);
    }
    return NULL;
}

/* A number from 1 to max; 0 if there is none. */
static struct error *read_number(const struct query *query, struct str name, int64_t max,
                                 int64_t *ret_number)
{
    struct str text;
    *ret_number = 0;
    if (!query_find(query, name, &text) || !text.len || str_eq(text, STR("0")))
        return NULL;
    if (!str_to_int64(text, ret_number) || *ret_number < 1 || *ret_number > max)
        return status_bad_request("%.*s: a number from 1 to %lld is needed", STR_ARG(name),
                                  (long long)max);
    return NULL;
}

static struct error *read_options(struct arena *arena, const struct query *query,
                                  struct fleet_question *question)
{
    int64_t seconds;
    const struct str partial = query_get(query, STR("partial"));
    if (query_is_true(query, STR("watch")))
        return error_new(ERROR_METHOD_NOT_ALLOWED,
                         "all clusters cannot be watched at once; use a cache or informer for each "
                         "cluster instead");
    if (partial.len && !str_eq(partial, STR("forbid")) && !str_eq(partial, STR("allow")))
        return status_bad_request("partial: \"forbid\" or \"allow\" is needed");
    question->forbids_partial = str_eq(partial, STR("forbid"));
    question->names_empty = query_is_true(query, STR("emptyClusters"));
    question->namespace = query_get(query, STR("clusterNamespace"));
    question->continue_token = query_get(query, STR("continue"));
    TRY(read_number(query, STR("limit"), FLEET_QUESTION_LIMIT_MAX, &question->limit));
    TRY(read_number(query, STR("timeoutSeconds"), FLEET_QUESTION_TIMEOUT_MAX / SECOND, &seconds));
    question->timeout = seconds * SECOND;
    if (question->continue_token.len && !question->limit)
        question->limit = FLEET_QUESTION_LIMIT_MAX;
    TRY(read_selector(arena, query, question));
    return read_clusters(arena, query, question);
}

/* "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1". */
static bool is_discovery(const struct fleet_path *path)
{
    const size_t count = path->segment_count;
    if (count == 0)
        return false;
    return (str_eq(path->segments[0], STR("api")) && count <= 2) ||
           (str_eq(path->segments[0], STR("apis")) && count <= 3);
}

static struct error *read_resource(struct arena *arena, struct fleet_question *question)
{
    if (!resource_path_read(arena, question->path, &question->resource))
        return status_no_such_resource();
    if (str_eq(question->resource.gvr.resource, STR("watch")))
        return error_new(ERROR_METHOD_NOT_ALLOWED, "all clusters cannot be watched at once");
    if (question->resource.subresource.len)
        return status_bad_request("only lists and single objects can be asked of all clusters, not "
                                  "\"%.*s\"",
                                  STR_ARG(question->resource.subresource));
    return NULL;
}

struct error *fleet_question_read(struct arena *arena, const struct fleet_path *path,
                                  struct str accept, struct fleet_question *ret_question)
{
    struct query query;
    *ret_question = (struct fleet_question){.path = path->rest};
    if (ret_question->path.len > 1 && str_ends_with(path->rest, STR("/")))
        ret_question->path.len--;
    TRY(query_read(arena, path->query, &query));
    TRY(read_options(arena, &query, ret_question));
    ret_question->is_discovery = is_discovery(path);
    if (ret_question->is_discovery)
        return NULL;
    TRY(read_form(accept, &ret_question->form));
    TRY(read_resource(arena, ret_question));
    ret_question->forwarded = forward_query(arena, &query);
    ret_question->origin = arena_print(
        arena, "%.*s\n%.*s\n%.*s\n%.*s\n%.*s\n%d", STR_ARG(ret_question->path),
        STR_ARG(ret_question->forwarded), STR_ARG(query_get(&query, STR("clusterSelector"))),
        STR_ARG(ret_question->namespace), STR_ARG(query_get(&query, STR("clusters"))),
        (int)ret_question->form);
    return NULL;
}
