#include "cmd/agent.h"

#if defined(__x86_64__)
#define ARCH "amd64"
#elif defined(__aarch64__)
#define ARCH "arm64"
#else
#define ARCH "unknown"
#endif

struct str agent_name(void)
{
    return STR("corset/" CORSET_VERSION " (linux/" ARCH ") " CORSET_COMMIT);
}
