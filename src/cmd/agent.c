#include "cmd/agent.h"

struct str agent_name(void)
{
    return STR("corset/" CORSET_VERSION " (" AGENT_PLATFORM ") " CORSET_COMMIT);
}
