#include "apiserver/registry/quota_resource.h"

#include "testing/test.h"

TEST(quota_resources_count_objects)
{
    const struct {
        const char *resource, *stored_as;
        bool depends;
    } cases[] = {
        {"pods",                            "pods",                      false},
        {"services",                        "services",                  false},
        {"configmaps",                      "configmaps",                false},
        {"secrets",                         "secrets",                   false},
        {"persistentvolumeclaims",          "persistentvolumeclaims",    false},
        {"replicationcontrollers",          "replicationcontrollers",    false},
        {"resourcequotas",                  "resourcequotas",            false},
        {"services.loadbalancers",          "services",                  true },
        {"services.nodeports",              "services",                  true },
        {"count/pods",                      "pods",                      false},
        {"count/deployments.apps",          "deployments.apps",          false},
        {"count/clusters.cluster.x-k8s.io", "clusters.cluster.x-k8s.io", false},
        {"cpu",                             "",                          false},
        {"requests.memory",                 "",                          false},
        {"requests.storage",                "",                          false},
        {"deployments.apps",                "",                          false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct str resource = str_from_c(cases[i].resource);
        TEST_CASE("%s", cases[i].resource);
        CHECK_EQ(quota_resource_stored_as(resource), str_from_c(cases[i].stored_as));
        CHECK_EQ(quota_resource_is_counted(resource), *cases[i].stored_as != '\0');
        CHECK_EQ(quota_resource_depends_on_object(resource), cases[i].depends);
        CHECK_EQ(quota_resource_usage(resource, NULL), (int64_t)0);
    }
}

TEST(quota_resources_look_into_services)
{
    const struct {
        const char *name, *spec;
        int64_t node_ports, load_balancers;
    } cases[] = {
        {"inside",       "{\"type\":\"ClusterIP\",\"ports\":[{\"port\":1}]}",                 0, 0},
        {"without type", "{\"ports\":[{\"port\":1}]}",                                        0, 0},
        {"node ports",   "{\"type\":\"NodePort\",\"ports\":[{\"port\":1},{\"port\":2}]}",     2, 0},
        {"balanced",     "{\"type\":\"LoadBalancer\",\"ports\":[{\"port\":1},{\"port\":2}]}", 2, 1},
        {"suppressed",
         "{\"type\":\"LoadBalancer\",\"allocateLoadBalancerNodePorts\":false,"
         "\"ports\":[{\"port\":1},{\"port\":2,\"nodePort\":30000}]}",                         1, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0};
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%s", cases[i].name);
        buf_print(&text, "{\"spec\":%s}", cases[i].spec);
        CHECK_OK(json_read(buf_str(&text), &doc));
        const struct json_value *service = json_doc_root(doc);
        CHECK_EQ(quota_resource_usage(STR("services"), service), (int64_t)1);
        CHECK_EQ(quota_resource_usage(STR("services.nodeports"), service), cases[i].node_ports);
        CHECK_EQ(quota_resource_usage(STR("services.loadbalancers"), service),
                 cases[i].load_balancers);
    }
}
