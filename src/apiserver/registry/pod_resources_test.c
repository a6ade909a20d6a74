#include "apiserver/registry/pod_resources.h"

#include "testing/test.h"

#define CPU(amount)        "\"resources\":{\"requests\":{\"cpu\":\"" amount "\"}}"
#define CONTAINER(amount)  "{" CPU(amount) "}"
#define SIDECAR(amount)    "{\"restartPolicy\":\"Always\"," CPU(amount) "}"
#define CONTAINERS         "\"containers\":[" CONTAINER("300m") "," CONTAINER("0.2") "]"
#define INIT_CONTAINERS(x) "\"initContainers\":[" x "]"

TEST(pods_request_what_their_containers_need_at_once)
{
    const struct {
        const char *name, *spec, *cpu;
    } cases[] = {
        {"nothing",                            "{\"containers\":[{}]}",                                                   "0"    },
        {"containers",                         "{" CONTAINERS "}",                                                        "500m" },
        {"a small init container",             "{" CONTAINERS "," INIT_CONTAINERS(CONTAINER("400m")) "}",
         "500m"                                                                                                                  },
        {"a large one",                        "{" CONTAINERS "," INIT_CONTAINERS(CONTAINER("2") "," CONTAINER("1")) "}",
         "2"                                                                                                                     },
        {"a sidecar",                          "{" CONTAINERS "," INIT_CONTAINERS(SIDECAR("1")) "}",                      "1500m"},
        {"an init container beside a sidecar",
         "{" CONTAINERS "," INIT_CONTAINERS(SIDECAR("1") "," CONTAINER("900m")) "}",                                      "1900m"},
        {"one before it",
         "{" CONTAINERS "," INIT_CONTAINERS(CONTAINER("900m") "," SIDECAR("1")) "}",                                      "1500m"},
        {"overhead",                           "{" CONTAINERS ",\"overhead\":{\"cpu\":\"10m\"}}",                         "510m" },
        {"the Pod itself",                     "{" CONTAINERS "," CPU("3") "}",                                           "3"    },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {0}, cpu = {0};
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%s", cases[i].name);
        buf_print(&text, "{\"spec\":%s}", cases[i].spec);
        CHECK_OK(json_read(buf_str(&text), &doc));
        quota_amount_write(&cpu, pod_resources_request(json_doc_root(doc), STR("cpu")));
        CHECK_EQ(buf_str(&cpu), str_from_c(cases[i].cpu));
        CHECK_EQ(pod_resources_limit(json_doc_root(doc), STR("cpu")).milli, (int64_t)0);
    }
}
