#include "clusterresourceset/fault.h"

#include "testing/test.h"

TEST(faults_of_resources_are_the_same_on_every_cluster)
{
    static const bool expected[] = {
        [FAULT_MISSING] = true, [FAULT_UNREADABLE] = true, [FAULT_WRONG_TYPE] = true};
    for (enum fault_type type = FAULT_NONE; type <= FAULT_WRONG_TYPE; type++)
        CHECK_EQ(fault_is_of_resource(type), expected[type]);
}

TEST(the_first_of_the_gravest_faults_is_kept)
{
    for (enum fault_type a = FAULT_NONE; a <= FAULT_WRONG_TYPE; a++)
        for (enum fault_type b = FAULT_NONE; b <= FAULT_WRONG_TYPE; b++)
            CHECK_EQ(fault_is_graver(&(struct fault){.type = a}, &(struct fault){.type = b}),
                     a > b);
}

/* Each change is news once; the same fault again is not. */
TEST(a_fault_is_replaced_by_a_copy)
{
    static const struct fault steps[] = {
        {FAULT_NOT_APPLIED, STR_INIT("ConfigMap a"), STR_INIT("a"), STR_INIT("x")},
        {FAULT_NOT_APPLIED, STR_INIT("ConfigMap a"), STR_INIT("a"), STR_INIT("y")},
        {FAULT_NOT_APPLIED, STR_INIT("ConfigMap b"), STR_INIT("a"), STR_INIT("y")},
        {FAULT_NOT_APPLIED, STR_INIT("ConfigMap b"), STR_INIT("b"), STR_INIT("y")},
        {FAULT_NO_CLIENT,   STR_INIT(""),            STR_INIT(""),  STR_INIT("y")},
        {FAULT_NONE,        STR_INIT(""),            STR_INIT(""),  STR_INIT("") },
    };
    struct fault kept = {0};
    CHECK(!fault_replace(&kept, &(struct fault){0}));
    for (size_t i = 0; i < COUNT(steps); i++) {
        CHECK(fault_replace(&kept, &steps[i]));
        CHECK(!fault_replace(&kept, &steps[i]));
        CHECK_EQ(kept.type, steps[i].type);
        CHECK_EQ(kept.resource, steps[i].resource);
        CHECK_EQ(kept.name, steps[i].name);
        CHECK_EQ(kept.text, steps[i].text);
    }
    fault_done(&kept);
}
