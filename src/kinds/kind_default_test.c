#include "json/path.h"
#include "kinds/kind_default_internal.h"
#include "kinds/kind_rig_test.h"
#include "testing/test.h"

/* What a row of the table is about exists, or a name is misspelt. */
TEST(default_rows_name_members)
{
    static const struct strategic_type *const roots[] = {
        &type_pod,
        &type_secret,
        &type_namespace,
        &type_service,
        &type_endpoints,
        &type_node,
        &type_limit_range,
        &type_replication_controller,
        &type_persistent_volume,
        &type_persistent_volume_claim,
        &type_deployment,
        &type_replica_set,
        &type_daemon_set,
        &type_stateful_set,
        &type_job,
        &type_cron_job,
        &type_role_binding,
        &type_storage_class,
        &type_csi_driver,
        &type_network_policy,
        &type_ingress_class,
        &type_priority_class,
        &type_validating_webhook_configuration,
        &type_mutating_webhook_configuration,
        &type_validating_admission_policy,
        &type_api_service,
        &type_endpoint_slice,
        &type_autoscaling_v2_horizontal_pod_autoscaler,
    };
    const struct strategic_type *known[512];
    size_t known_count = 0, row_count;
    const struct default_row *rows = default_rows(&row_count);
    for (size_t i = 0; i < COUNT(roots); i++)
        known[known_count++] = roots[i];
    for (size_t at = 0; at < known_count; at++) {
        for (size_t i = 0; i < known[at]->count; i++) {
            const struct strategic_type *type = known[at]->fields[i].type;
            bool is_known = !type;
            for (size_t k = 0; k < known_count; k++)
                is_known = is_known || known[k] == type;
            if (!is_known)
                known[known_count++] = type;
        }
        CHECK(known_count < COUNT(known) - 64);
    }
    for (size_t row = 0; row < row_count; row++) {
        bool found = false;
        TEST_CASE("%s.%s", rows[row].type, rows[row].member);
        for (size_t k = 0; k < known_count; k++)
            found = found || (strcmp(known[k]->name, rows[row].type) == 0 &&
                              strategic_type_field(known[k], str_from_c(rows[row].member)));
        CHECK(found);
    }
}

static void default_filled(const struct recorded *recorded)
{
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) again = NULL;
    SCOPED(buf) path = {.limit = 0};
    buf_add(&path, json_path_str(recorded->row, "path"));
    CHECK_OK(kind_builtin_decode(&recorded->kind, recorded->body, NULL, &decoded));
    CHECK_OK(kind_builtin_default(&recorded->kind, decoded, &doc));
    recorded_compare(json_path(json_doc_root(doc), buf_c(&path)), json_path(recorded->row, "out"));
    CHECK_OK(kind_builtin_default(&recorded->kind, doc, &again));
    recorded_compare(json_doc_root(again), json_doc_root(doc));
}

TEST(default_fills_in)
{
    recorded_foreach("kinds/defaults.jsonl", default_filled);
}

static void default_again(const struct recorded *recorded)
{
    OWNED(json_doc) doc = NULL;
    if (!recorded->is_again)
        return;
    CHECK_OK(kind_builtin_default(&recorded->kind, recorded->body, &doc));
    recorded_compare(json_doc_root(doc), json_doc_root(recorded->body));
}

TEST(default_leaves_what_a_server_answered)
{
    recorded_foreach("kinds/strategy.jsonl", default_again);
}
