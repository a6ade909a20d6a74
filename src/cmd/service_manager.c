#include "cmd/service_manager.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "async/fiber.h"
#include "base/duration.h"
#include "base/str.h"

/* False if the variable is not set, or is no path and no name of an abstract socket. */
static bool read_address(struct sockaddr_un *address, socklen_t *ret_len)
{
    const char *path = getenv("NOTIFY_SOCKET"); /* NOLINT(concurrency-mt-unsafe) */
    if (!path || (path[0] != '/' && path[0] != '@') || strlen(path) >= sizeof(address->sun_path))
        return false;
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    memcpy(address->sun_path, path, strlen(path));
    if (path[0] == '@')
        address->sun_path[0] = '\0';
    *ret_len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    return true;
}

void service_manager_tell(const char *state)
{
    struct sockaddr_un address;
    socklen_t len;
    if (!read_address(&address, &len))
        return;
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address, len);
    close(fd);
}

/* Half of the time that the service manager waits; 0: it does not. */
static duration watchdog_interval(void)
{
    const char *text = getenv("WATCHDOG_USEC"); /* NOLINT(concurrency-mt-unsafe) */
    int64_t span;
    if (!text || !str_to_int64(str_from_c(text), &span) || span <= 0 || span > HOUR / MICROSECOND)
        return 0;
    return span * MICROSECOND / 2;
}

static struct error *feed_watchdog(void *data)
{
    (void)data;
    for (;;) {
        TRY(fiber_sleep(watchdog_interval()));
        service_manager_tell("WATCHDOG=1");
    }
}

void service_manager_serve(struct scope *scope)
{
    service_manager_tell("READY=1");
    if (watchdog_interval())
        scope_start(scope, "watchdog", feed_watchdog, NULL);
}
