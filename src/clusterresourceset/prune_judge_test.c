#include "clusterresourceset/prune_judge.h"

#include "testing/test.h"

#define OWN    "{\"manager\":\"corset:ns/s\",\"operation\":\"Apply\",\"fieldsV1\":{}}"
#define OTHER  "{\"manager\":\"corset:ns/t\",\"operation\":\"Apply\",\"fieldsV1\":{}}"
#define UPDATE "{\"manager\":\"corset:ns/s\",\"operation\":\"Update\",\"fieldsV1\":{}}"
#define PERSON "{\"manager\":\"kubectl\",\"operation\":\"Apply\",\"fieldsV1\":{}}"
#define STATUS                                                                         \
    "{\"manager\":\"corset:ns/s\",\"operation\":\"Apply\",\"subresource\":\"status\"," \
    "\"fieldsV1\":{}}"

TEST(what_becomes_of_an_object)
{
    struct str kinds[] = {STR("Namespace")};
    const struct delivery_policy strict =
                                     {
                                         0
    },
                                 loose = {.prune_kinds = {kinds, 1}};
    const struct {
        const char *entries, *annotations;
        struct str group, kind;
        bool is_wanted;
        const struct delivery_policy *policy;
        enum prune_verdict verdict;
    } cases[] = {
        {OWN,            "",                             STR(""),     STR("ConfigMap"),             false, &strict, PRUNE_DOOMED },
        {OWN "," PERSON, "",                             STR("apps"), STR("Deployment"),            false, &strict, PRUNE_DOOMED },
        {OWN,            "",                             STR(""),     STR("ConfigMap"),             true,  &strict, PRUNE_WANTED },
        {OWN "," OTHER,  "",                             STR(""),     STR("ConfigMap"),             true,  &strict, PRUNE_WANTED },
        {"",             "",                             STR(""),     STR("ConfigMap"),             false, &strict, PRUNE_FOREIGN},
        {UPDATE,         "",                             STR(""),     STR("ConfigMap"),             false, &strict, PRUNE_FOREIGN},
        {STATUS,         "",                             STR(""),     STR("ConfigMap"),             false, &strict, PRUNE_FOREIGN},
        {OTHER,          "",                             STR(""),     STR("ConfigMap"),             false, &strict, PRUNE_FOREIGN},
        {PERSON,         "",                             STR(""),     STR("ConfigMap"),             true,  &strict, PRUNE_FOREIGN},
        {OTHER "," OWN,  "",                             STR(""),     STR("ConfigMap"),             false, &strict, PRUNE_SHARED },
        {OTHER "," OWN,  "",                             STR(""),     STR("Namespace"),             false, &loose,  PRUNE_SHARED },
        {OWN,            "\"corset.dev/keep\":\"true\"", STR(""),     STR("ConfigMap"),             false, &strict,
         PRUNE_KEPT                                                                                                              },
        {OWN,            "\"corset.dev/keep\":\"\"",     STR(""),     STR("ConfigMap"),             false, &strict, PRUNE_KEPT   },
        {OWN,            "",                             STR(""),     STR("Namespace"),             false, &strict, PRUNE_KEPT   },
        {OWN,            "",                             STR(""),     STR("Namespace"),             false, &loose,  PRUNE_DOOMED },
        {OWN,            "\"corset.dev/keep\":\"true\"", STR(""),     STR("Namespace"),             false, &loose,  PRUNE_KEPT   },
        {OWN,            "",                             STR(""),     STR("PersistentVolumeClaim"), false, &loose,  PRUNE_KEPT   },
        {OWN,            "",                             STR("x.io"), STR("Namespace"),             false, &strict, PRUNE_DOOMED },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        SCOPED(buf) text = {.limit = 0};
        OWNED(object) live = NULL;
        TEST_CASE("%zu", i);
        buf_print(&text,
                  "{\"apiVersion\":\"v1\",\"kind\":\"X\",\"metadata\":{\"name\":\"a\",\"labels\":{"
                  "\"corset.dev/managed\":\"true\"},\"annotations\":{%s},\"managedFields\":[%s]}}",
                  cases[i].annotations, cases[i].entries);
        CHECK_OK(object_read(buf_str(&text), &live));
        CHECK_EQ(prune_judge(live, cases[i].group, cases[i].kind, STR("corset:ns/s"),
                             cases[i].is_wanted, cases[i].policy),
                 cases[i].verdict);
    }
}
