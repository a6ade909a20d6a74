#include "clusterresourceset/cluster_doubt.h"

/* The codes that are not named are answers about the object, or have nothing to do with a cluster.
 */
static const bool casts_doubt[ERROR_CODES] = {
    [ERROR_TOO_LARGE] = true,
    [ERROR_TOO_MANY_REQUESTS] = true,
    [ERROR_INTERNAL] = true,
    [ERROR_SERVER_TIMEOUT] = true,
    [ERROR_SERVICE_UNAVAILABLE] = true,
    [ERROR_TIMEOUT] = true,
    [ERROR_STORE_READ] = true,
    [ERROR_UNKNOWN] = true,
    [ERROR_DEADLINE] = true,
    [ERROR_UNREACHABLE] = true,
    [ERROR_CONNECTION] = true,
    [ERROR_TLS] = true,
    [ERROR_PROTOCOL] = true,
    [ERROR_PARSE] = true,
    [ERROR_NOT_CONNECTED] = true,
};

bool cluster_doubt_is_cast_by(enum error_code code)
{
    return casts_doubt[code];
}
