/*
 * Lines whose text holds a number or an error, as the specification of the ClusterCache words them:
 * "Health probe failed (1/5): …". Everything else is logged with constant messages.
 */
#pragma once

#include "base/owned.h"

#define CLUSTERCACHE_LOG_TEXT_MAX 1024

void clustercache_log(int level, const char *format, ...) PRINTF_LIKE(2, 3);
