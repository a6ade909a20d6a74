#include "json/path.h"
#include "kinds/kind_rig_test.h"
#include "testing/test.h"

static bool has_text(const struct json_warnings *warnings, struct str text)
{
    for (size_t i = 0; i < warnings->count; i++)
        if (str_eq(warnings->items[i], text))
            return true;
    return false;
}

static void check_decoded(const struct recorded *recorded)
{
    struct json_warnings unknown = {.arena = recorded->write.arena};
    const struct json_value *expected = json_path(recorded->row, "unknown"), *text;
    OWNED(json_doc) doc = NULL;
    CHECK_OK(kind_builtin_decode(&recorded->kind, recorded->body, &unknown, &doc));
    CHECK_EQ(unknown.count, json_count(expected));
    JSON_FOREACH (key, text, expected)
        CHECK(has_text(&unknown, json_to_str(text)));
    if (recorded->is_again)
        recorded_compare(json_doc_root(doc), json_doc_root(recorded->body));
}

static void decode_one(const struct recorded *recorded)
{
    OWNED(json_doc) doc = NULL;
    const struct str text = json_path_str(recorded->row, "error");
    if (text.len == 0) {
        check_decoded(recorded);
        return;
    }
    OWNED(error) err = kind_builtin_decode(&recorded->kind, recorded->body, NULL, &doc);
    CHECK(error_is(err, ERROR_BAD_REQUEST));
    CHECK_EQ(str_from_c(err->message), text);
}

TEST(decode_takes_what_was_recorded)
{
    recorded_foreach(decode_one);
}

static const struct {
    const char *name;
    struct gvk gvk;
    const char *in, *out;
} passes[] = {
    {"nulls, empty maps and empty texts go",
     {STR_INIT(""), STR_INIT("v1"), STR_INIT("ConfigMap")},
     "{\"metadata\":{\"name\":\"a\",\"labels\":{},\"creationTimestamp\":null,\"namespace\":\"\"},"
     "\"data\":{},\"binaryData\":null}",                                                          "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}"},
    {"a false behind a pointer stays, a null in a map is empty",
     {STR_INIT(""), STR_INIT("v1"), STR_INIT("ConfigMap")},
     "{\"immutable\":false,\"data\":{\"a\":null,\"b\":\"\"},\"binaryData\":{\"c\":\"AA=\\n=\"}}", "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{},\"immutable\":false,"
     "\"data\":{\"a\":\"\",\"b\":\"\"},\"binaryData\":{\"c\":\"AA==\"}}"       },
    {"structs appear even if they are empty",
     {STR_INIT(""), STR_INIT("v1"), STR_INIT("Service")},
     "{}",                                                                                        "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{},\"spec\":{},"
     "\"status\":{\"loadBalancer\":{}}}"                                                                                                                              },
    {"what is required appears",
     {STR_INIT(""), STR_INIT("v1"), STR_INIT("Event")},
     "{\"firstTimestamp\":\"2020-01-01T02:00:00.5+01:00\"}",                                      "{\"kind\":\"Event\",\"apiVersion\":\"v1\",\"metadata\":{},\"involvedObject\":{},\"source\":{},"
     "\"firstTimestamp\":\"2020-01-01T01:00:00Z\",\"reportingComponent\":\"\","
     "\"reportingInstance\":\"\"}"                                                                                  },
    {"quantities are written canonically, numbers become texts",
     {STR_INIT(""), STR_INIT("v1"), STR_INIT("ResourceQuota")},
     "{\"spec\":{\"hard\":{\"cpu\":0.5,\"memory\":\"1024Ki\",\"pods\":10}}}",                     "{\"kind\":\"ResourceQuota\",\"apiVersion\":\"v1\",\"metadata\":{},"
     "\"spec\":{\"hard\":{\"cpu\":\"500m\",\"memory\":\"1Mi\",\"pods\":\"10\"}},\"status\":{}}"    },
    {"members of inlined types stand where they are",
     {STR_INIT(""), STR_INIT("v1"), STR_INIT("PodTemplate")},
     "{\"template\":{\"spec\":{\"containers\":[{\"name\":\"c\",\"readinessProbe\":{\"httpGet\":"
     "{\"port\":\"x\"}},\"envFrom\":[{\"configMapRef\":{\"name\":\"m\"}}]}],"
     "\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}]}}}",                                         "{\"kind\":\"PodTemplate\",\"apiVersion\":\"v1\",\"metadata\":{},\"template\":{\"metadata\":{},"
     "\"spec\":{\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}],\"containers\":[{\"name\":\"c\","
     "\"envFrom\":[{\"configMapRef\":{\"name\":\"m\"}}],\"resources\":{},\"readinessProbe\":"
     "{\"httpGet\":{\"port\":\"x\"}}}]}}}"                                                                             },
};

TEST(decode_writes_what_go_writes)
{
    for (size_t i = 0; i < COUNT(passes); i++) {
        OWNED(json_doc) in = NULL;
        OWNED(json_doc) out = NULL;
        OWNED(json_doc) expected = NULL;
        const struct kind kind = recorded_kind(passes[i].gvk, true);
        TEST_CASE("%s", passes[i].name);
        CHECK_OK(json_read(str_from_c(passes[i].in), &in));
        CHECK_OK(json_read(str_from_c(passes[i].out), &expected));
        CHECK_OK(kind_builtin_decode(&kind, in, NULL, &out));
        recorded_compare(json_doc_root(out), json_doc_root(expected));
    }
}

TEST(decode_refuses_in_the_words_of_go)
{
    static const struct {
        const char *name, *in, *text;
    } cases[] = {
        {"a text for a number",           "{\"spec\":{\"replicas\":\"3\"}}",
         "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type "
         "int32"                                                                                                                                                              },
        {"a fraction for a whole number", "{\"spec\":{\"replicas\":1.5}}",
         "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of "
         "type int32"                                                                                                                                                         },
        {"an object for a list",          "{\"spec\":{\"template\":{\"spec\":{\"containers\":{}}}}}",
         "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers "
         "of type []v1.Container"                                                                                                                                             },
        {"a text for a struct",           "{\"spec\":\"x\"}",
         "json: cannot unmarshal string into Go struct field Deployment.spec of type "
         "v1.DeploymentSpec"                                                                                                                                                  },
        {"deep inside of a list",
         "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"ports\":[{\"name\":1}]}]}}}}",        "json: cannot unmarshal number into Go struct field "
         "ContainerPort.spec.template.spec.containers.ports.name of type string"},
        {"an array",                      "[]",                                                       "json: cannot unmarshal array into Go value of type v1.Deployment"      },
        {"a time that is none",           "{\"metadata\":{\"creationTimestamp\":\"now\"}}",
         "parsing time \"now\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"now\" as \"2006\""                                                                            },
    };
    const struct kind kind = recorded_kind(GVK("apps", "v1", "Deployment"), true);
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) in = NULL;
        OWNED(json_doc) out = NULL;
        TEST_CASE("%s", cases[i].name);
        CHECK_OK(json_read(str_from_c(cases[i].in), &in));
        OWNED(error) err = kind_builtin_decode(&kind, in, NULL, &out);
        CHECK(error_is(err, ERROR_BAD_REQUEST));
        CHECK_EQ(str_from_c(err->message), str_from_c(cases[i].text));
    }
}
