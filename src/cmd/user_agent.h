/*
 * How this program names itself: "corset/0.2.0 (linux/amd64) 0123456789ab". The value of the
 * header User-Agent and of corset version.
 */
#pragma once

#include "base/str.h"

#if defined(__x86_64__)
#define USER_AGENT_PLATFORM "linux/amd64"
#elif defined(__aarch64__)
#define USER_AGENT_PLATFORM "linux/arm64"
#else
#define USER_AGENT_PLATFORM "linux/unknown"
#endif

struct str user_agent_name(void);
