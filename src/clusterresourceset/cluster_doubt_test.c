#include "clusterresourceset/cluster_doubt.h"

#include "testing/test.h"

TEST(a_refused_object_casts_no_doubt_on_its_cluster)
{
    static const enum error_code refusals[] = {ERROR_FORBIDDEN, ERROR_INVALID, ERROR_NOT_FOUND,
                                               ERROR_CONFLICT, ERROR_CANCELED};
    static const enum error_code troubles[] = {ERROR_DEADLINE, ERROR_PROTOCOL, ERROR_TOO_LARGE,
                                               ERROR_INTERNAL, ERROR_CONNECTION};
    for (size_t i = 0; i < COUNT(refusals); i++)
        CHECK(!cluster_doubt_is_cast_by(refusals[i]));
    for (size_t i = 0; i < COUNT(troubles); i++)
        CHECK(cluster_doubt_is_cast_by(troubles[i]));
}
