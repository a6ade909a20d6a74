/*
 * The public face of discovery: life cycle, lookups and their error texts.
 *
 * How the folder works together: discovery_lookup decides what a lookup has to fetch,
 * discovery_fetch sends the requests, discovery_read and discovery_resources parse the documents,
 * discovery_surface and discovery_table keep the result. The texts of "no matches" errors are those
 * of k8s.io/apimachinery's NoKindMatchError.
 */
#include "client/discovery/discovery.h"

#include <assert.h>

#include "base/memory.h"
#include "client/client.h"
#include "client/discovery/discovery_internal.h"
#include "client/discovery/discovery_lookup.h"
#include "client/discovery/discovery_read.h"
#include "client/discovery/discovery_surface.h"
#include "json/json.h"

#define RETRY_AFTER_DEFAULT  SECOND
#define DOCUMENT_MAX_DEFAULT (16 * MEGABYTE)
#define VERSION_BODY_MAX     (64 * KILOBYTE)

/* These details distinguish "no match" from a 404 of the server; see discovery_is_no_match(). */
#define NO_MATCH_DETAILS "{\"causes\":[{\"reason\":\"NoMatch\"}]}"

struct discovery *discovery_new(struct client *client, struct discovery_pool *pool,
                                const struct discovery_options *options)
{
    const struct discovery_options defaults = {0};
    const struct discovery_options *given = options ? options : &defaults;
    struct discovery *discovery = NEW(struct discovery);
    discovery->client = client;
    discovery->pool = pool;
    discovery->retry_after = given->retry_after ? given->retry_after : RETRY_AFTER_DEFAULT;
    discovery->document_max = given->document_max ? given->document_max : DOCUMENT_MAX_DEFAULT;
    discovery->lists.at = DISCOVERY_NEVER;
    discovery->marks.release = discovery_mark_release;
    rate_limit_init(&discovery->rate_limit, given->qps, given->burst);
    list_init(&discovery->running);
    return discovery;
}

void discovery_free(struct discovery *discovery)
{
    if (!discovery)
        return;
    assert(list_is_empty(&discovery->running));
    discovery_surface_free(discovery->surface);
    map_done(&discovery->marks);
    error_free(discovery->lists.err);
    mem_free(discovery);
}

static struct error *no_match(struct error *err)
{
    err->details = mem_dup(NO_MATCH_DETAILS, sizeof(NO_MATCH_DETAILS) - 1);
    return err;
}

bool discovery_is_no_match(const struct error *err)
{
    return error_is(err, ERROR_NOT_FOUND) && err->details &&
           strcmp(err->details, NO_MATCH_DETAILS) == 0;
}

struct error *discovery_find_kind(struct discovery *discovery, struct arena *arena, struct gvk gvk,
                                  struct discovery_mapping *ret_mapping)
{
    struct discovery_lookup lookup = {.kind = gvk.kind, .group = gvk.group, .version = gvk.version};
    bool found;
    if (gvk.version.len == 0)
        return discovery_find_group_kind(discovery, arena, gvk.group, gvk.kind, ret_mapping);
    TRY(discovery_lookup_run(discovery, arena, &lookup, ret_mapping, &found));
    if (found)
        return NULL;
    const struct str api_version = gvk_api_version(arena, gvk);
    return no_match(error_new(ERROR_NOT_FOUND, "no matches for kind \"%.*s\" in version \"%.*s\"",
                              STR_ARG(gvk.kind), STR_ARG(api_version)));
}

struct error *discovery_find_group_kind(struct discovery *discovery, struct arena *arena,
                                        struct str group, struct str kind,
                                        struct discovery_mapping *ret_mapping)
{
    struct discovery_lookup lookup = {.kind = kind, .group = group};
    bool found;
    TRY(discovery_lookup_run(discovery, arena, &lookup, ret_mapping, &found));
    if (found)
        return NULL;
    return no_match(error_new(ERROR_NOT_FOUND, "no matches for kind \"%.*s\" in group \"%.*s\"",
                              STR_ARG(kind), STR_ARG(group)));
}

/* Keeps the name of the group/version but none of its resources, so that the next lookup fetches.
 */
void discovery_forget(struct discovery *discovery, struct str group, struct str version)
{
    const struct discovery_version name = {.group = group, .version = version};
    if (!discovery->surface || !discovery_is_group(group) || !discovery_is_version(version))
        return;
    /* A name that is never looked up again would stay in the surface forever: bound their number.
     */
    if (!discovery_surface_find(discovery->surface, group, version) &&
        discovery->surface->count >= DISCOVERY_VERSIONS_MAX)
        return;
    discovery_unmark(discovery, group, version);
    discovery_set_surface(discovery,
                          discovery_surface_with(discovery->pool, discovery->surface, &name));
}

/* Aggregated discovery is new in Kubernetes 1.26. */
struct str discovery_least_version(const struct discovery *discovery)
{
    return discovery->is_aggregated ? STR("v1.26") : STR("");
}

struct error *discovery_server_version(struct client *client, struct arena *arena,
                                       struct str *ret_git_version)
{
    OWNED(json_doc) doc = NULL;
    struct client_raw_answer answer = {0};
    const struct client_raw_request request = {.path = STR("/version")};
    TRY(client_raw_json(client, &request, VERSION_BODY_MAX, arena, &answer, &doc),
        "read the server's version");
    const struct str version = json_to_str(json_get(json_doc_root(doc), STR("gitVersion")));
    if (version.len == 0)
        return error_new(ERROR_PROTOCOL, "read the server's version: the answer has no gitVersion");
    *ret_git_version = arena_str(arena, version);
    return NULL;
}
