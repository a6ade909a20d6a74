#include "apiserver/registry/quota_resource.h"

#include "base/duration.h"
#include "testing/test.h"

TEST(quota_resources_are_those_of_objects)
{
    const struct {
        const char *name, *stored_as;
        bool is_counted, depends, limits_changes;
    } cases[] = {
        {"pods",                                                    "pods",                      true,  true,  false},
        {"services",                                                "services",                  true,  false, false},
        {"configmaps",                                              "configmaps",                true,  false, false},
        {"secrets",                                                 "secrets",                   true,  false, false},
        {"persistentvolumeclaims",                                  "persistentvolumeclaims",    true,  false, false},
        {"replicationcontrollers",                                  "replicationcontrollers",    true,  false, false},
        {"resourcequotas",                                          "resourcequotas",            true,  false, false},
        {"services.loadbalancers",                                  "services",                  true,  true,  true },
        {"services.nodeports",                                      "services",                  true,  true,  true },
        {"count/pods",                                              "pods",                      true,  false, false},
        {"count/deployments.apps",                                  "deployments.apps",          true,  false, false},
        {"count/clusters.cluster.x-k8s.io",                         "clusters.cluster.x-k8s.io", true,  false, false},
        {"cpu",                                                     "pods",                      false, true,  false},
        {"requests.memory",                                         "pods",                      false, true,  false},
        {"limits.ephemeral-storage",                                "pods",                      false, true,  false},
        {"requests.hugepages-2Mi",                                  "pods",                      false, true,  false},
        {"requests.example.com/dongle",                             "pods",                      false, true,  false},
        {"requests.storage",                                        "persistentvolumeclaims",    false, true,  true },
        {"gold.storageclass.storage.k8s.io/requests.storage",       "persistentvolumeclaims",    false, true,
         true                                                                                                       },
        {"gold.storageclass.storage.k8s.io/persistentvolumeclaims", "persistentvolumeclaims",    false,
         true,                                                                                                 true },
        {"limits.example.com/dongle",                               "",                          false, false, false},
        {"gpu.deviceclass.resource.k8s.io/devices",                 "",                          false, false, false},
        {"deployments.apps",                                        "",                          false, false, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct quota_resource resource = quota_resource_find(str_from_c(cases[i].name));
        TEST_CASE("%s", cases[i].name);
        CHECK_EQ(resource.stored_as, str_from_c(cases[i].stored_as));
        CHECK_EQ(quota_resource_is_counted(str_from_c(cases[i].name)), cases[i].is_counted);
        CHECK_EQ(quota_resource_depends_on_object(&resource), cases[i].depends);
        CHECK_EQ(quota_resource_limits_changes(&resource), cases[i].limits_changes);
        CHECK_EQ(quota_resource_usage(&resource, NULL, 0).milli, (int64_t)0);
    }
}

/* How much an object uses, as it is shown. */
static void check_usage(const char *resource, const char *object, timestamp now, const char *usage)
{
    SCOPED(buf) text = {0};
    OWNED(json_doc) doc = NULL;
    const struct quota_resource found = quota_resource_find(str_from_c(resource));
    CHECK_OK(json_read(str_from_c(object), &doc));
    quota_amount_write(&text, quota_resource_usage(&found, json_doc_root(doc), now));
    CHECK_EQ(buf_str(&text), str_from_c(usage));
}

#define RESOURCES                                                                          \
    "\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"500m\",\"memory\":" \
    "\"252Mi\",\"example.com/dongle\":\"2\"},\"limits\":{\"cpu\":\"1\"}}}]}"

TEST(quota_resources_add_up_what_pods_ask_for)
{
    const char *const running = "{" RESOURCES ",\"status\":{\"phase\":\"Running\"}}";
    const char *const ended = "{" RESOURCES ",\"status\":{\"phase\":\"Succeeded\"}}";
    const char *const deleted =
        "{" RESOURCES ",\"metadata\":{\"deletionTimestamp\":\"1970-01-01T00:01:00Z\","
        "\"deletionGracePeriodSeconds\":30}}";
    const struct {
        const char *resource, *usage;
    } cases[] = {
        {"cpu",                         "500m" },
        {"requests.cpu",                "500m" },
        {"limits.cpu",                  "1"    },
        {"memory",                      "252Mi"},
        {"requests.example.com/dongle", "2"    },
        {"pods",                        "1"    },
        {"limits.memory",               "0"    },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].resource);
        check_usage(cases[i].resource, running, 0, cases[i].usage);
        check_usage(cases[i].resource, ended, 0, "0");
        check_usage(cases[i].resource, deleted, 89 * SECOND, cases[i].usage);
        check_usage(cases[i].resource, deleted, 91 * SECOND, "0");
    }
    check_usage("count/pods", ended, 0, "1");
}

TEST(quota_resources_add_up_what_claims_ask_for)
{
    const char *const gold = "{\"spec\":{\"storageClassName\":\"gold\",\"resources\":{\"requests\":"
                             "{\"storage\":\"1Gi\"}}}}";
    const char *const shrunk =
        "{\"metadata\":{\"annotations\":{\"volume.beta.kubernetes.io/storage-class\":\"tin\"}},"
        "\"spec\":{\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}},"
        "\"status\":{\"allocatedResources\":{\"storage\":\"3Gi\"}}}";
    check_usage("requests.storage", gold, 0, "1Gi");
    check_usage("requests.storage", shrunk, 0, "3Gi");
    check_usage("gold.storageclass.storage.k8s.io/requests.storage", gold, 0, "1Gi");
    check_usage("gold.storageclass.storage.k8s.io/requests.storage", shrunk, 0, "0");
    check_usage("tin.storageclass.storage.k8s.io/persistentvolumeclaims", shrunk, 0, "1");
    check_usage("tin.storageclass.storage.k8s.io/persistentvolumeclaims", gold, 0, "0");
}

TEST(quota_resources_look_into_services)
{
    const struct {
        const char *name, *spec;
        const char *node_ports, *load_balancers;
    } cases[] = {
        {"inside",       "{\"type\":\"ClusterIP\",\"ports\":[{\"port\":1}]}",                 "0", "0"},
        {"without type", "{\"ports\":[{\"port\":1}]}",                                        "0", "0"},
        {"node ports",   "{\"type\":\"NodePort\",\"ports\":[{\"port\":1},{\"port\":2}]}",     "2", "0"},
        {"balanced",     "{\"type\":\"LoadBalancer\",\"ports\":[{\"port\":1},{\"port\":2}]}", "2", "1"},
        {"suppressed",
         "{\"type\":\"LoadBalancer\",\"allocateLoadBalancerNodePorts\":false,"
         "\"ports\":[{\"port\":1},{\"port\":2,\"nodePort\":30000}]}",                         "1", "1"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        TEST_CASE("%s", cases[i].name);
        buf_print(&text, "{\"spec\":%s}", cases[i].spec);
        check_usage("services", buf_c(&text), 0, "1");
        check_usage("services.nodeports", buf_c(&text), 0, cases[i].node_ports);
        check_usage("services.loadbalancers", buf_c(&text), 0, cases[i].load_balancers);
    }
}
