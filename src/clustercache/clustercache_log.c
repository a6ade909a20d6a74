#include "clustercache/clustercache_log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/log.h"

void clustercache_log(int level, const char *format, ...)
{
    char text[CLUSTERCACHE_LOG_TEXT_MAX];
    if (!log_is_on(level))
        return;
    va_list args;
    va_start(args, format);
    /* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it is, right above */
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    log_write(level, text, NULL, 0);
}
