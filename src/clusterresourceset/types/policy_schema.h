/*
 * The schema of DeliveryPolicies, compiled from the bundled definition: what a server would say of
 * a policy, in its words, without a server.
 *
 *     OWNED(policy_schema) schema = policy_schema_new();
 *     TRY(policy_schema_check(schema, object_root(object), NULL, &errors, &filled));
 */
#pragma once

#include "apimachinery/field_error.h"
#include "apiserver/crd/schema/schema.h"
#include "base/error.h"
#include "base/owned.h"
#include "json/json.h"

struct policy_schema;

struct policy_schema *policy_schema_new(void);
void policy_schema_free(struct policy_schema *schema);
DEFINE_OWNED(policy_schema)

/*
 * Adds what is wrong with a policy, by schema and rules, and returns the policy with its defaults.
 * Unknown fields are left out; they go to unknown, if that is not NULL.
 */
MUST_USE struct error *policy_schema_check(const struct policy_schema *schema,
                                           const struct json_value *policy,
                                           struct schema_unknown *unknown,
                                           struct field_errors *errors, struct json_doc **ret_doc);
