/* DeliveryPolicies as the embedded server takes them, and as the program reads them. */
#include "clusterresourceset/types/delivery_policy.h"

#include "apimachinery/object.h"
#include "clusterresourceset/types/bundled_crds.h"
#include "clusterresourceset/types/policy_schema.h"
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "scenarios/clusterresourceset/crs_fixture.h"

#define POLICIES "/apis/corset.dev/v1alpha1/namespaces/ns/deliverypolicies"
#define REFUSED  "DeliveryPolicy.corset.dev \"p\" is invalid: "
#define UNCHECKED                                                                                  \
    ", <nil>: Invalid value: null: some validation rules were not checked because the object was " \
    "invalid; correct the existing errors to complete validation]"
#define WAVES(text)  "{\"rollout\":{\"waves\":[" text "]}}"
#define IGNORE(text) "{\"ignore\":[{" text "}]}"
#define LONG_RULE    "must be a duration from 0s to 720h, such as 1h30m"
#define STARS        "in body should match '^[^*]*\\*?$'"

/* A spec, and what both say of it. */
static const struct {
    const char *spec, *message;
} samples[] = {
    {"{\"conflicts\":\"Ask\"}",                                             "[spec.conflicts: Unsupported value: \"Ask\": supported values: "
                                "\"Force\", \"Fail\"" UNCHECKED                                 },
    {"{\"conflicts\":1}",
     "[spec.conflicts: Invalid value: \"integer\": spec.conflicts in body must "
     "be of type string: \"integer\", spec.conflicts: Unsupported value: 1: "
     "supported values: \"Force\", \"Fail\"" UNCHECKED                                                                         },
    {"{\"onImmutable\":\"x\"}",                                             "[spec.onImmutable: Unsupported value: \"x\": supported values: "
                                "\"Fail\", \"Recreate\"" UNCHECKED                              },
    {"{\"drift\":\"repair\"}",                                              "[spec.drift: Unsupported value: \"repair\": supported values: "
                               "\"Ignore\", \"Report\", \"Repair\"" UNCHECKED                    },
    {"{\"values\":\"All\"}",
     "[spec.values: Unsupported value: \"All\": supported values: \"Cluster\"" UNCHECKED                                       },
    {"{\"adopt\":[\"corset:ns/t\"]}",
     "spec.adopt[0]: Invalid value: \"corset:ns/t\": what another ClusterResourceSet owns cannot be "
     "adopted"                                                                                                                 },
    {"{\"adopt\":[\"a\",\"a\"]}",                                           "spec.adopt[1]: Duplicate value: \"a\""            },
    {"{\"adopt\":[\"\"]}",                                                  "spec.adopt[0]: Invalid value: \"\": spec.adopt[0] in body should be at "
                           "least 1 chars long"                                                      },
    {"{\"adopt\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}",
     "[spec.adopt: Too many: 9: must have at most 8 items" UNCHECKED                                                           },
    {IGNORE("\"kind\":\"Pod\""),                                            "[spec.ignore[0].paths: Required value" UNCHECKED  },
    {IGNORE("\"paths\":[]"),
     "spec.ignore[0].paths: Invalid value: 0: spec.ignore[0].paths in body should have at least 1 "
     "items"                                                                                                                   },
    {IGNORE("\"paths\":[\"spec.replicas\"]"),
     "spec.ignore[0].paths[0]: Invalid value: \"spec.replicas\": spec.ignore[0].paths[0] in body "
     "should match '^(/([^/~]|~[01])*)+$'"                                                                                     },
    {IGNORE("\"paths\":[\"/a\"],\"name\":\"*x\""),
     "spec.ignore[0].name: Invalid value: \"*x\": spec.ignore[0].name " STARS                                                  },
    {"{\"prune\":{\"when\":[\"Always\"]}}",
     "[spec.prune.when[0]: Unsupported value: \"Always\": supported values: \"Removed\", "
     "\"Unselected\", \"Deleted\"" UNCHECKED                                                                                   },
    {"{\"prune\":{\"when\":[\"Removed\",\"Removed\"]}}",
     "spec.prune.when[1]: Duplicate value: \"Removed\""                                                                        },
    {"{\"prune\":{\"kinds\":[\"Pod\"]}}",
     "[spec.prune.kinds[0]: Unsupported value: \"Pod\": supported values: \"Namespace\", "
     "\"CustomResourceDefinition\", \"PersistentVolume\", \"PersistentVolumeClaim\", "
     "\"StorageClass\"" UNCHECKED                                                                                              },
    {"{\"prune\":{\"maxObjects\":0}}",
     "spec.prune.maxObjects: Invalid value: 0: spec.prune.maxObjects in body should be greater than "
     "or equal to 1"                                                                                                           },
    {"{\"prune\":{\"maxObjects\":1001}}",
     "spec.prune.maxObjects: Invalid value: 1001: spec.prune.maxObjects in body should be less than "
     "or equal to 1000"                                                                                                        },
    {"{\"prune\":{\"maxClusters\":\"0%\"}}",
     "spec.prune.maxClusters: Invalid value: \"0%\": spec.prune.maxClusters in body should match "
     "'^(100|[1-9][0-9]?)%$'"                                                                                                  },
    {"{\"prune\":{\"maxClusters\":\"101%\"}}",
     "spec.prune.maxClusters: Invalid value: \"101%\": spec.prune.maxClusters in body should match "
     "'^(100|[1-9][0-9]?)%$'"                                                                                                  },
    {"{\"prune\":{\"maxClusters\":0}}",
     "spec.prune.maxClusters: Invalid value: 0: spec.prune.maxClusters in body should be greater "
     "than or equal to 1"                                                                                                      },
    {"{\"prune\":{\"abandonAfter\":\"721h\"}}",
     "spec.prune.abandonAfter: Invalid value: \"721h\": " LONG_RULE                                                            },
    {"{\"health\":{}}",                                                     "[spec.health.timeout: Required value" UNCHECKED   },
    {"{\"health\":{\"timeout\":\"9s\"}}",                                   "spec.health.timeout: Invalid value: \"9s\": must be a "
                                          "duration from 10s to 24h, such as 5m"      },
    {"{\"health\":{\"timeout\":\"soon\"}}",                                 "spec.health.timeout: Invalid value: \"soon\": must be "
                                            "a duration from 10s to 24h, such as 5m"},
    {"{\"rollout\":{}}",                                                    "[spec.rollout.waves: Required value" UNCHECKED    },
    {WAVES(""),                                                             "spec.rollout.waves: Invalid value: 0: spec.rollout.waves in body should have at "
                "least 1 items"                                                                                 },
    {WAVES("{\"name\":\"A\"}"),
     "spec.rollout.waves[0].name: Invalid value: \"A\": spec.rollout.waves[0].name in body should "
     "match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'"                                                                                 },
    {WAVES("{\"name\":\"a\"},{\"name\":\"a\"}"),
     "spec.rollout.waves[1]: Duplicate value: {\"name\":\"a\"}"                                                                },
    {WAVES("{\"name\":\"a\",\"soak\":\"1d\"}"),
     "spec.rollout.waves[0].soak: Invalid value: \"1d\": " LONG_RULE                                                           },
    {WAVES("{\"name\":\"a\",\"atATime\":0}"),
     "spec.rollout.waves[0].atATime: Invalid value: 0: spec.rollout.waves[0].atATime in body should "
     "be greater than or equal to 1"                                                                                           },
    {WAVES("{\"name\":\"a\",\"atATime\":\"half\"}"),
     "spec.rollout.waves[0].atATime: Invalid value: \"half\": spec.rollout.waves[0].atATime in body "
     "should match '^(100|[1-9][0-9]?)%$'"                                                                                     },
    {WAVES("{\"name\":\"a\",\"clusterSelector\":{\"matchExpressions\":[{\"key\":\"k\","
           "\"operator\":\"In\"}]}}"),
     "spec.rollout.waves[0].clusterSelector.matchExpressions[0]: Invalid value: In and NotIn need "
     "values, Exists and DoesNotExist take none"                                                                               },
    {WAVES("{\"name\":\"a\",\"clusterSelector\":{\"matchExpressions\":[{\"key\":\"k\","
           "\"operator\":\"Gt\",\"values\":[\"1\"]}]}}"),
     "[spec.rollout.waves[0].clusterSelector.matchExpressions[0].operator: Unsupported value: "
     "\"Gt\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\"" UNCHECKED                                     },
    {"{\"rollout\":{\"maxFailures\":-1,\"waves\":[{\"name\":\"a\"}]}}",
     "spec.rollout.maxFailures: Invalid value: -1: spec.rollout.maxFailures in body should be "
     "greater than or equal to 0"                                                                                              },
};

static void write_policy(struct buf *out, const char *spec)
{
    buf_print(out,
              "{\"apiVersion\":\"corset.dev/v1alpha1\",\"kind\":\"DeliveryPolicy\",\"metadata\":"
              "{\"name\":\"p\"},\"spec\":%s}",
              spec);
}

SIM_TEST(what_is_no_policy_is_refused_by_server_and_program_in_the_same_words)
{
    SCOPED(crs_fixture) fixture;
    crs_fixture_init(&fixture);
    OWNED(policy_schema) schema = policy_schema_new();
    for (size_t i = 0; i < COUNT(samples); i++) {
        SCOPED(buf) text = {.limit = 0};
        SCOPED(buf) refusal = {.limit = 0};
        OWNED(object) object = NULL;
        OWNED(delivery_policy) policy = NULL;
        TEST_CASE("%s", samples[i].spec);
        write_policy(&text, samples[i].spec);
        CHECK_OK(object_read(buf_str(&text), &object));
        OWNED(error) err = delivery_policy_read(schema, object, &policy);
        CHECK(err);
        CHECK_EQ(str_from_c(err->message), str_from_c(samples[i].message));
        CHECK_EQ(crs_fixture_call(&fixture, "POST", POLICIES, buf_c(&text)), 422);
        buf_print(&refusal, REFUSED "%s", samples[i].message);
        CHECK_EQ(json_path_str(json_doc_root(fixture.apiserver.doc), "message"), buf_str(&refusal));
    }
}

/* Every rule below a schema. The definition is ours: its depth is known. */
static void check_rules(const struct json_value *node)
{
    const struct json_value *rule, *member;
    JSON_FOREACH (key, rule, json_get(node, STR("x-kubernetes-validations"))) {
        const struct str message = json_path_str(rule, "message");
        bool is_shown = false;
        TEST_CASE("%.*s", STR_ARG(message));
        for (size_t i = 0; i < COUNT(samples); i++)
            is_shown |= message.len && str_ends_with(str_from_c(samples[i].message), message);
        CHECK(is_shown);
    }
    if (json_get(node, STR("items")))
        check_rules(json_get(node, STR("items")));
    JSON_FOREACH (key, member, json_get(node, STR("properties")))
        check_rules(member);
}

TEST(every_rule_of_the_policy_definition_has_a_sample)
{
    OWNED(json_doc) doc = NULL;
    for (size_t i = 0; i < bundled_crd_count(); i++)
        if (str_eq(bundled_crd(i).name, STR(DELIVERY_POLICY_DEFINITION)))
            CHECK_OK(manifest_read_one(bundled_crd(i).text, NULL, &doc, NULL));
    CHECK(doc);
    check_rules(json_path(json_doc_root(doc), "spec.versions.0.schema.openAPIV3Schema"));
}

SIM_TEST(a_policy_is_served_with_its_defaults)
{
    SCOPED(crs_fixture) fixture;
    SCOPED(buf) text = {.limit = 0};
    crs_fixture_init(&fixture);
    write_policy(&text, "{\"prune\":{},\"rollout\":{\"waves\":[{\"name\":\"a\"}]}}");
    crs_fixture_do(&fixture, "POST", POLICIES, buf_c(&text));
    CHECK_EQ(crs_fixture_look(&fixture, POLICIES "/p", "spec"),
             STR("{\"prune\":{\"abandonAfter\":\"1h\",\"maxClusters\":\"10%\",\"maxObjects\":20},"
                 "\"rollout\":{\"waves\":[{\"name\":\"a\",\"approval\":false,\"atATime\":\"100%\","
                 "\"soak\":\"0s\"}],\"maxFailures\":0},\"adopt\":[\"corset\"],\"conflicts\":"
                 "\"Force\",\"drift\":\"Report\",\"onImmutable\":\"Fail\"}"));
}
