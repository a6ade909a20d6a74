#include "clusterresourceset/types/policy_schema.h"

#include <assert.h>

#include "base/memory.h"
#include "clusterresourceset/types/bundled_crds.h"
#include "clusterresourceset/types/delivery_policy.h"
#include "json/path.h"
#include "json/yaml/manifest.h"

struct policy_schema {
    struct schema *schema;
};

static struct str find_definition(void)
{
    for (size_t i = 0; i < bundled_crd_count(); i++)
        if (str_eq(bundled_crd(i).name, STR(DELIVERY_POLICY_DEFINITION)))
            return bundled_crd(i).text;
    return STR("");
}

/* The definition is a part of the program: that it compiles is tested. */
struct policy_schema *policy_schema_new(void)
{
    struct policy_schema *schema = NEW(struct policy_schema);
    SCOPED(arena) arena = {0};
    struct field_errors errors = {.arena = &arena};
    OWNED(json_doc) definition = NULL;
    OWNED(error) err = manifest_read_one(find_definition(), NULL, &definition, NULL);
    assert(!err);
    schema->schema = schema_compile(
        json_path(json_doc_root(definition), "spec.versions.0.schema.openAPIV3Schema"),
        STR("schema"), &errors);
    assert(schema->schema);
    return schema;
}

void policy_schema_free(struct policy_schema *schema)
{
    if (!schema)
        return;
    schema_free(schema->schema);
    mem_free(schema);
}

static void check_member(const struct json_value *policy, const char *name, const char *wanted,
                         struct field_errors *errors)
{
    const struct str found = json_path_str(policy, name);
    if (!str_eq(found, str_from_c(wanted)))
        field_errors_add_str(errors, FIELD_INVALID, str_from_c(name), found,
                             arena_print(errors->arena, "must be %s", wanted));
}

/* The order of an API server: prune, default, validate. */
struct error *policy_schema_check(const struct policy_schema *schema,
                                  const struct json_value *policy, struct schema_unknown *unknown,
                                  struct field_errors *errors, struct json_doc **ret_doc)
{
    OWNED(json_doc) given = json_doc_copy(policy);
    OWNED(json_doc) pruned = NULL;
    OWNED(json_doc) filled = NULL;
    check_member(policy, "kind", DELIVERY_POLICY_KIND, errors);
    check_member(policy, "apiVersion", DELIVERY_POLICY_API_VERSION, errors);
    TRY(schema_prune(schema->schema, given, unknown, &pruned));
    TRY(schema_default(schema->schema, pruned, &filled));
    if (!errors->count)
        schema_validate(schema->schema, json_doc_root(filled), SCHEMA_OBJECT, errors);
    if (!errors->count || !schema_blocks_rules(errors))
        delivery_policy_check_rules(json_doc_root(filled), errors);
    *ret_doc = TAKE(filled);
    return NULL;
}
