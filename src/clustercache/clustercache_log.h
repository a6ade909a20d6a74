/*
 * Log lines with numbers or errors in their message, which Cluster API has and operators look for:
 * "Health probe failed (1/5): …". All other lines have constant messages and fields (base/log.h).
 */
#pragma once

#include "base/owned.h"

#define CLUSTERCACHE_LOG_TEXT_MAX 1024

void clustercache_log(int level, const char *format, ...) PRINTF_LIKE(2, 3);
