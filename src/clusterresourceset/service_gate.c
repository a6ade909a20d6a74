#include "clusterresourceset/service_gate.h"

#include "apimachinery/gvk.h"
#include "base/ascii.h"
#include "client/client.h"

/* The first version the gate does not apply to. */
#define MAJOR 1
#define MINOR 25

/* Takes the digits at the front; false without any. */
static bool take_number(struct str *text, int64_t *ret_number)
{
    size_t digits = 0;
    while (digits < text->len && ascii_is_digit(text->ptr[digits]))
        digits++;
    const struct str number = str_slice(*text, 0, digits);
    *text = str_skip(*text, digits);
    return str_to_int64(number, ret_number);
}

bool service_gate_applies_to(struct str version)
{
    int64_t major, minor;
    struct str rest = str_starts_with(version, STR("v")) ? str_skip(version, 1) : version;
    if (!take_number(&rest, &major) || !str_starts_with(rest, STR(".")))
        return false;
    rest = str_skip(rest, 1);
    if (!take_number(&rest, &minor))
        return false;
    return major < MAJOR || (major == MAJOR && minor < MINOR);
}

/* Whether the Service exists is all that counts: the answer is not read. */
struct error *service_gate_check(struct client *client, struct str version, struct key cluster)
{
    if (!service_gate_applies_to(version))
        return NULL;
    TRY(client_get(client, GVR("", "v1", "services"), KEY("default", "kubernetes"), NULL, NULL),
        "failed to retrieve the Service for Kubernetes API Server of the cluster %.*s/%.*s",
        STR_ARG(cluster.namespace), STR_ARG(cluster.name));
    return NULL;
}
