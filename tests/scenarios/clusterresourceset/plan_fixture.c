#include "scenarios/clusterresourceset/plan_fixture.h"

#include <string.h>

#include "client/client.h"
#include "clusterresourceset/types/content_resources.h"
#include "cmd/why_object.h"

void plan_fixture_done(struct plan_fixture *planned)
{
    preview_done(&planned->preview);
    preview_secrets_done(&planned->secrets);
    plan_source_done(&planned->source);
    client_free(planned->client);
    buf_done(&planned->table);
    buf_done(&planned->all);
}

void plan_fixture_add_file(struct plan_fixture *planned, const char *kind, const char *name,
                           const char *text)
{
    SCOPED(buf) file = {.limit = 0};
    const bool is_secret = strcmp(kind, "Secret") == 0;
    buf_print(&file, "{\"apiVersion\":\"v1\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\"},%s",
              kind, name,
              is_secret ? "\"type\":\"" CRS_FIXTURE_SECRET_TYPE "\",\"stringData\"" : "\"data\"");
    buf_add(&file, STR(":{\"data\":"));
    buf_add_json_string(&file, str_from_c(text));
    buf_add(&file, STR("}}"));
    CHECK_OK(content_resources_read(buf_str(&file), STR("file"), &planned->source.files, NULL));
}

void plan_fixture_add_policy(struct plan_fixture *planned, const char *spec)
{
    SCOPED(buf) file = {.limit = 0};
    buf_print(&file,
              "{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\","
              "\"metadata\":{\"name\":\"p\"},\"spec\":%s}",
              spec);
    CHECK_OK(content_resources_read(buf_str(&file), STR("file"), &planned->source.files,
                                    &planned->source.policies));
}

/* Reads what the source names, through the proxies, and forgets what they noted before. */
static struct preview_fleet read_fleet(struct plan_fixture *planned, struct crs_fixture *fixture,
                                       enum crs_reconcile_with way)
{
    planned->client =
        client_new(loop_current(), &(struct client_options){.config = &fixture->config,
                                                            .network = fixture->apiserver.network,
                                                            .qps = -1});
    planned->source.namespace = STR("ns");
    crs_fixture_forget(fixture);
    CHECK_OK(plan_source_read(&planned->source, planned->client));
    planned->preview.left_out = planned->source.left_out;
    return (struct preview_fleet){.management = planned->client,
                                  .network = fixture->apiserver.network,
                                  .tls = fixture->apiserver.tls,
                                  .user_agent = STR("plan"),
                                  .sets = planned->source.sets,
                                  .set_count = planned->source.set_count,
                                  .reconcile_with = way,
                                  .secrets = &planned->secrets,
                                  .timeout = PLAN_FIXTURE_TIMEOUT};
}

struct error *plan_fixture_why(struct plan_fixture *planned, struct crs_fixture *fixture,
                               const char *name, bool *ret_is_same)
{
    planned->source.set = STR("crs1");
    planned->source.cluster = STR("c1");
    const struct preview_fleet fleet = read_fleet(planned, fixture, CRS_SERVER_SIDE_APPLY);
    return why_object_show(&fleet, planned->source.clusters, str_from_c(name),
                           loop_wall(loop_current()), ret_is_same, &planned->table);
}

void plan_fixture_run(struct plan_fixture *planned, struct crs_fixture *fixture,
                      enum crs_reconcile_with way)
{
    const struct preview_fleet fleet = read_fleet(planned, fixture, way);
    CHECK_OK(preview_fleet_ask(&fleet, planned->source.clusters, planned->source.cluster_count,
                               &planned->preview));
    SCOPED(plan_render)
    render = {.preview = &planned->preview, .secrets = &planned->secrets};
    plan_render_table(&render, &planned->table);
    plan_render_table(&render, &planned->all);
    plan_render_diff(&render, &planned->all);
    CHECK_OK(plan_render_json(&render, &planned->all));
    buf_add(&planned->all, buf_str(&planned->source.notes));
    buf_add(&planned->all, buf_str(&fixture->log));
}

/* Whatever was asked is a read, or a dry run. */
static void check_no_write(const struct proxy *proxy)
{
    struct str rest = buf_str(&proxy->asked), line;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        if (!str_starts_with(line, STR("GET ")))
            CHECK_CONTAINS(line, STR("dryRun=All"));
    }
}

void plan_fixture_check_nothing_written(const struct crs_fixture *fixture)
{
    CHECK_EQ(fixture->management.writes, 0);
    for (size_t i = 0; i < CRS_FIXTURE_CLUSTERS; i++)
        check_no_write(&fixture->workloads[i]);
}
