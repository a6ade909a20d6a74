#include "apiserver/managedfields/field_type.h"

#include "json/path.h"
#include "testing/test.h"

/* The type at a dotted path; elements and values of maps are "*". */
static struct field_type type_at(struct field_type type, const char *path)
{
    for (struct str name; json_path_next(&path, &name);) {
        struct field_member member;
        if (str_eq(name, STR("*")) && (field_type_shape(type).forms & FIELD_LIST)) {
            type = field_type_element(type);
            continue;
        }
        CHECK(field_type_member(type, name, &member));
        type = member.type;
    }
    return type;
}

static void write_shape(struct buf *out, struct field_type type)
{
    static const char *const scalars[] = {"any", "string", "number", "bool"};
    const struct field_shape shape = field_type_shape(type);
    if (shape.forms & FIELD_MAP)
        buf_add(out, shape.atomic_map ? STR("atomic object ") : STR("object "));
    if (shape.forms & FIELD_SCALAR)
        buf_print(out, "%s ", scalars[shape.scalar]);
    if (shape.forms & FIELD_LIST)
        buf_add(out, shape.list == SCHEMA_LIST_ATOMIC ? STR("atomic list ")
                     : shape.list == SCHEMA_LIST_SET  ? STR("set ")
                                                      : STR("map "));
    const bool is_keyed = (shape.forms & FIELD_LIST) && shape.list == SCHEMA_LIST_MAP;
    for (size_t i = 0; is_keyed && i < field_type_key_count(type); i++) {
        const struct str key = field_type_key(type, i);
        buf_print(out, "%.*s=", STR_ARG(key));
        if (!field_type_key_default(type, key, out))
            buf_add_char(out, '?');
        buf_add_char(out, ' ');
    }
}

TEST(field_types_of_built_in_kinds)
{
    static const struct {
        const char *api_version, *kind, *path, *shape;
    } cases[] = {
        {"v1",                              "ConfigMap",                 "data",                                                            "object "                              },
        {"v1",                              "ConfigMap",                 "data.x",                                                          "string "                              },
        {"v1",                              "ConfigMap",                 "metadata.finalizers",                                             "set "                                 },
        {"v1",                              "ConfigMap",                 "metadata.ownerReferences",                                        "map uid=\"\" "                        },
        {"v1",                              "ConfigMap",                 "metadata.ownerReferences.*",                                      "atomic object "                       },
        {"v1",                              "ConfigMap",                 "metadata.creationTimestamp",                                      "any "                                 },
        {"v1",                              "Service",                   "spec.ports",                                                      "map port=0 protocol=\"TCP\" "         },
        {"v1",                              "Service",                   "spec.selector",                                                   "atomic object "                       },
        {"v1",                              "Pod",                       "spec.containers",                                                 "map name=\"\" "                       },
        {"v1",                              "Pod",                       "spec.containers.*.ports",                                         "map containerPort=0 protocol=\"TCP\" "},
        {"v1",                              "Pod",                       "spec.containers.*.env",                                           "map name=\"\" "                       },
        {"v1",                              "Pod",                       "spec.containers.*.args",                                          "atomic list "                         },
        {"v1",                              "Pod",                       "spec.containers.*.volumeMounts",                                  "map mountPath=\"\" "                  },
        {"v1",                              "Pod",                       "spec.containers.*.resources.claims",                              "map name=\"\" "                       },
        {"v1",                              "Pod",                       "spec.containers.*.resources.limits.cpu",                          "any "                                 },
        {"v1",                              "Pod",                       "spec.containers.*.env.*.valueFrom.secretKeyRef",                  "atomic object "                       },
        {"v1",                              "Pod",                       "spec.imagePullSecrets",                                           "map name=\"\" "                       },
        {"v1",                              "Pod",                       "spec.nodeSelector",                                               "atomic object "                       },
        {"v1",                              "Pod",                       "spec.hostAliases",                                                "map ip=\"\" "                         },
        {"v1",                              "Pod",                       "spec.tolerations",                                                "atomic list "                         },
        {"v1",                              "Pod",                       "spec.topologySpreadConstraints",
         "map topologyKey=\"\" whenUnsatisfiable=\"\" "                                                                                                                            },
        {"v1",                              "Pod",                       "status.conditions",                                               "map type=\"\" "                       },
        {"v1",                              "Pod",                       "status.hostIPs",                                                  "atomic list "                         },
        {"apps/v1",                         "Deployment",                "spec.selector",                                                   "atomic object "                       },
        {"apps/v1",                         "Deployment",                "spec.template.spec.volumes",                                      "map name=\"\" "                       },
        {"apps/v1",                         "Deployment",                "spec.strategy.rollingUpdate.maxSurge",                            "any "                                 },
        {"batch/v1",                        "Job",                       "status.conditions",                                               "atomic list "                         },
        {"v1",                              "PersistentVolume",          "spec.claimRef",                                                   "object "                              },
        {"v1",                              "Pod",                       "status.containerStatuses.*.allocatedResourcesStatus.*.resources",
         "map resourceID=\"\" "                                                                                                                                                    },
        {"rbac.authorization.k8s.io/v1",    "RoleBinding",               "subjects.*",                                                      "atomic object "                       },
        {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema",                "spec.rules.*.subjects.*",                                         "object "                              },
        {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema",                "spec.rules.*.resourceRules.*.verbs",
         "set "                                                                                                                                                                    },
        {"flowcontrol.apiserver.k8s.io/v1", "FlowSchema",
         "spec.rules.*.nonResourceRules.*.nonResourceURLs",                                                                                 "set "                                 },
        {"admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "spec.variables.*",
         "atomic object "                                                                                                                                                          },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct field_type type;
        SCOPED(buf) seen = {.limit = 0};
        struct gvk gvk;
        TEST_CASE("%s %s", cases[i].kind, cases[i].path);
        CHECK_OK(gvk_from_api_version(str_from_c(cases[i].api_version), str_from_c(cases[i].kind),
                                      &gvk));
        CHECK(field_type_of_builtin(gvk, &type));
        write_shape(&seen, type_at(type, cases[i].path));
        CHECK_EQ(buf_str(&seen), str_from_c(cases[i].shape));
    }
    struct field_type none;
    CHECK(!field_type_of_builtin(GVK("example.com", "v1", "Thing"), &none));
}

TEST(field_types_of_nothing_known)
{
    SCOPED(buf) seen = {.limit = 0};
    write_shape(&seen, (struct field_type){.ops = NULL});
    CHECK_EQ(buf_str(&seen), STR("object any atomic list "));
    buf_clear(&seen);
    write_shape(&seen, type_at(field_type_of_schema(NULL), "metadata.finalizers"));
    CHECK_EQ(buf_str(&seen), STR("set "));
}
