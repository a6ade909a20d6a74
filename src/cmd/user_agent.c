#include "cmd/user_agent.h"

struct str user_agent_name(void)
{
    return STR("corset/" CORSET_VERSION " (" USER_AGENT_PLATFORM ") " CORSET_COMMIT);
}
