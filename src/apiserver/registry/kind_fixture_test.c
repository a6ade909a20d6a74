#include "apiserver/registry/kind_fixture_test.h"

#include "apiserver/types/go_types.h"
#include "base/duration.h"
#include "json/compare.h"
#include "json/edit.h"
#include "json/path.h"
#include "testing/test.h"

/* Noon, 14 November 2023. */
#define NOW ((timestamp)1699963200 * SECOND)

struct kind recorded_kind(struct gvk gvk, bool namespaced)
{
    return (struct kind){
        .gvk = gvk,
        .namespaced = namespaced,
        .type = go_type_find(gvk),
    };
}

static void run(recorded_fn *fn, struct str line)
{
    SCOPED(arena) arena = {.limit = 64 * MEGABYTE};
    OWNED(json_doc) doc = NULL;
    OWNED(json_doc) body = NULL;
    bool namespaced = false;
    CHECK_OK(json_read(line, &doc));
    const struct json_value *row = json_doc_root(doc);
    (void)json_to_bool(json_path(row, "namespaced"), &namespaced);
    body = json_doc_copy(json_path(row, "body"));
    const struct gvk gvk = {json_path_str(row, "group"), json_path_str(row, "version"),
                            json_path_str(row, "kind")};
    const struct recorded recorded = {
        .id = json_path_str(row, "id"),
        .is_again = str_ends_with(json_path_str(row, "id"), STR("-again")),
        .kind = recorded_kind(gvk, namespaced),
        .write = {.old = json_path(row, "old"),
                  .subresource = json_path_str(row, "subresource"),
                  .namespace = json_path_str(row, "namespace"),
                  .now = NOW,
                  .arena = &arena},
        .body = body,
        .row = row,
    };
    TEST_CASE("%.*s", STR_ARG(recorded.id));
    CHECK(recorded.kind.type != NULL);
    fn(&recorded);
}

void recorded_foreach(const char *file, recorded_fn *fn)
{
    struct str rest = test_data(file), line;
    while (rest.len > 0) {
        (void)str_cut(&rest, '\n', &line);
        run(fn, line);
    }
}

void recorded_compare(const struct json_value *seen, const struct json_value *expected)
{
    SCOPED(buf) a = {.limit = 0};
    SCOPED(buf) b = {.limit = 0};
    json_write_canonical(&a, seen);
    json_write_canonical(&b, expected);
    CHECK_EQ(buf_str(&a), buf_str(&b));
}

/* A server names an object before it is prepared. */
static struct json_doc *identified(const struct recorded *recorded, struct json_doc *doc)
{
    SCOPED(json_edit) edit;
    struct json_doc *ret = NULL;
    json_edit_init(&edit, json_doc_root(doc));
    if (!recorded->write.old && !json_path(json_doc_root(doc), "metadata.uid"))
        json_edit_set_str(&edit, JSON_PLACE("metadata.uid"), STR("u"));
    CHECK_OK(json_edit_finish(&edit, &ret));
    return ret;
}

struct json_doc *recorded_stored(const struct recorded *recorded)
{
    OWNED(json_doc) decoded = NULL;
    OWNED(json_doc) filled = NULL;
    struct json_doc *doc = NULL;
    CHECK_OK(kind_builtin_decode(&recorded->kind, recorded->body, NULL, &decoded));
    CHECK_OK(kind_builtin_default(&recorded->kind, decoded, &filled));
    OWNED(json_doc) named = identified(recorded, filled);
    CHECK_OK(kind_builtin_prepare(&recorded->kind, &recorded->write, named, &doc));
    return doc;
}

/* All types that the kinds with rules and defaults are made of, found one from another. */
static size_t collect_types(const struct go_type **known, size_t capacity)
{
    static const struct go_type *const roots[] = {
        &type_config_map,
        &type_secret,
        &type_namespace,
        &type_pod,
        &type_service,
        &type_endpoints,
        &type_node,
        &type_limit_range,
        &type_resource_quota,
        &type_replication_controller,
        &type_persistent_volume,
        &type_persistent_volume_claim,
        &type_event,
        &type_deployment,
        &type_replica_set,
        &type_daemon_set,
        &type_stateful_set,
        &type_controller_revision,
        &type_job,
        &type_cron_job,
        &type_role,
        &type_cluster_role,
        &type_role_binding,
        &type_cluster_role_binding,
        &type_lease,
        &type_storage_class,
        &type_csi_driver,
        &type_csi_node,
        &type_csi_storage_capacity,
        &type_volume_attachment,
        &type_volume_attributes_class,
        &type_network_policy,
        &type_ingress,
        &type_ingress_class,
        &type_priority_class,
        &type_runtime_class,
        &type_pod_disruption_budget,
        &type_validating_webhook_configuration,
        &type_mutating_webhook_configuration,
        &type_mutating_admission_policy,
        &type_mutating_admission_policy_binding,
        &type_validating_admission_policy,
        &type_validating_admission_policy_binding,
        &type_api_service,
        &type_endpoint_slice,
        &type_certificate_signing_request,
        &type_flow_schema,
        &type_priority_level_configuration,
        &type_autoscaling_v2_horizontal_pod_autoscaler,
    };
    size_t count = 0;
    for (size_t i = 0; i < COUNT(roots); i++)
        known[count++] = roots[i];
    for (size_t at = 0; at < count; at++) {
        for (size_t i = 0; i < known[at]->count; i++) {
            const struct go_type *type = known[at]->fields[i].type;
            bool is_known = !type;
            for (size_t k = 0; k < count; k++)
                is_known = is_known || known[k] == type;
            if (!is_known)
                known[count++] = type;
        }
        CHECK(count + 64 < capacity);
    }
    return count;
}

bool recorded_has_member(const char *type, const char *member)
{
    const struct go_type *known[1024];
    const size_t count = collect_types(known, COUNT(known));
    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i]->name, type) == 0 &&
            (!member || go_type_field(known[i], str_from_c(member))))
            return true;
    return false;
}
