/* How much memory this process may use: that of the machine, or the limit of its control group. */
#pragma once

#include <stdint.h>

/* Bytes. A machine that does not tell has INT64_MAX. */
int64_t system_memory(void);

/*
 * The lowest limit of a control group and of those above it; INT64_MAX when there is none. The
 * mount is where control groups are mounted, usually /sys/fs/cgroup; the group is its path there,
 * as in /proc/self/cgroup, and is found at the mount itself from inside of most containers.
 */
int64_t system_memory_of_group(const char *mount, const char *group);
