#include "apiserver/endpoints/parties.h"

#include "base/buf.h"
#include "base/metrics.h"
#include "testing/sim.h"

SIM_TEST(a_party_is_a_virtual_cluster_or_a_user)
{
    struct parties parties;
    parties_init(&parties, loop_current());
    const struct cpu_share *jane = parties_find(&parties, STR(""), STR("jane"), false);
    const struct cpu_share *cluster = parties_find(&parties, STR("vc-1"), STR("jane"), false);
    const struct cpu_share *admin = parties_find(&parties, STR(""), STR("root"), true);
    CHECK(parties_find(&parties, STR(""), STR("jane"), false) == jane);
    CHECK(parties_find(&parties, STR(""), STR("joe"), false) != jane);
    CHECK(parties_find(&parties, STR(""), STR("vc-1"), false) != cluster);
    CHECK(parties_find(&parties, STR("vc-1"), STR("joe"), false) == cluster);
    CHECK(parties_find(&parties, STR("vc-2"), STR("jane"), false) != cluster);
    CHECK(parties_find(&parties, STR(""), STR("another"), true) == admin);
    CHECK(admin->is_exempt && !jane->is_exempt && !cluster->is_exempt);
    parties_done(&parties);
}

SIM_TEST(parties_are_shown_by_class)
{
    struct parties parties;
    OWNED(metrics) metrics = metrics_new();
    SCOPED(buf) text = {0};
    parties_init(&parties, loop_current());
    parties_register(&parties, metrics);
    cpu_share_charge(parties_find(&parties, STR(""), STR("jane"), false), SECOND);
    cpu_share_charge(parties_find(&parties, STR(""), STR("joe"), false), 2 * SECOND);
    cpu_share_charge(parties_find(&parties, STR(""), STR("root"), true), 4 * SECOND);
    cpu_share_charge(parties_find(&parties, STR("vc"), STR("jane"), false), 8 * SECOND);
    metrics_write(metrics, &text);
    CHECK_CONTAINS(buf_str(&text),
                   STR("apiserver_party_cpu_seconds_total{party=\"administrators\"} 4\n"
                       "apiserver_party_cpu_seconds_total{party=\"users\"} 3\n"
                       "apiserver_party_cpu_seconds_total{party=\"virtual-clusters\"} 8\n"));
    parties_done(&parties);
}

/* Those in debt stay, and everybody else is forgotten: nobody grows the table without end. */
SIM_TEST(parties_without_a_debt_are_forgotten)
{
    struct parties parties;
    SCOPED(buf) name = {0};
    parties_init(&parties, loop_current());
    struct cpu_share *debtor = parties_find(&parties, STR(""), STR("debtor"), false);
    cpu_share_charge(debtor, SECOND);
    for (int i = 0; i < 10000; i++) {
        buf_clear(&name);
        buf_print(&name, "user-%d", i);
        CHECK(parties_find(&parties, STR(""), buf_str(&name), false));
        CHECK(map_count(&parties.shares) <= 1100);
    }
    CHECK(parties_find(&parties, STR(""), STR("debtor"), false) == debtor);
    parties_done(&parties);
}
