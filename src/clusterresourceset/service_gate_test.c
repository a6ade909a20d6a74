#include "clusterresourceset/service_gate.h"

#include "testing/test.h"

TEST(service_gate_applies_to)
{
    static const struct {
        const char *version;
        bool is_old;
    } cases[] = {
        {"v1.24.17",             true },
        {"v1.24.17+k3s1",        true },
        {"v1.24.0-alpha.1",      true },
        {"v1.9.0",               true },
        {"1.24",                 true },
        {"v1.24+",               true },
        {"v0.30.1",              true },
        {"v1.25.0",              false},
        {"v1.25.0-alpha.0",      false},
        {"v1.36.4",              false},
        {"v1.100.0",             false},
        {"v2.0.0",               false},
        {"",                     false},
        {"v",                    false},
        {"v1",                   false},
        {"v1.",                  false},
        {"v1.x",                 false},
        {"latest",               false},
        {"v1.99999999999999999", false},
        {"vv1.24.0",             false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].version);
        CHECK_EQ(service_gate_applies_to(str_from_c(cases[i].version)), cases[i].is_old);
    }
}
