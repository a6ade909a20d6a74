/*
 * How this program names itself: "corset/0.1.0 (linux/amd64) 0123456789ab".
 */
#pragma once

#include "base/str.h"

struct str agent_name(void);
