/* Scenarios CRS-01 to CRS-06, CRS-75, CRS-76 and CRS-78: a set from its creation to its rest. */
#include "async/loop.h"
#include "resourceset/crs_rig.h"

SIM_TEST(crs_13_everything_is_applied)
{
    SCOPED(crs_rig) rig;
    crs_rig_init(&rig);
    crs_rig_ready(&rig, "ApplyOnce");
    CHECK_EQ(crs_rig_look(&rig, CRS_RIG_OBJECT("1", "a"), "data.k"), STR("1"));
    CHECK_EQ(crs_rig_look(&rig, CRS_RIG_OBJECT("1", "b"), "data.k"), STR("1"));
    CHECK_EQ(crs_rig_entry(&rig, "c1", "crs1"),
             STR("ConfigMap/cm1 true hash, Secret/s1 true hash"));
    CHECK_EQ(crs_rig_elements(&rig, CRS_RIG_BINDING, "spec.bindings"), 1);
    CHECK_EQ(crs_rig_look(&rig, CRS_RIG_BINDING, "spec.clusterName"), STR("c1"));
    CHECK_EQ(crs_rig_condition(&rig, "crs1", "ResourcesApplied"), STR("True/Applied/"));
    CHECK_EQ(crs_rig_look(&rig, CRS_RIG_SET, "status.observedGeneration"), STR("1"));
    crs_rig_check_quiet(&rig, 30 * MINUTE);
}
