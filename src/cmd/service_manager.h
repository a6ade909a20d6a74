/*
 * What a service manager such as systemd is told: that the process serves, that it still works, and
 * that it stops. The protocol is that of sd_notify(3): datagrams to the socket in $NOTIFY_SOCKET.
 * Without that variable nothing is sent.
 */
#pragma once

#include "async/scope.h"
#include "base/error.h"

/* "READY=1" and the like. Errors are ignored: the service manager misses the message and says so.
 */
void service_manager_tell(const char *state);

/*
 * READY=1, and then, if $WATCHDOG_USEC asks for it, WATCHDOG=1 in half of that time, from a fiber
 * of the scope: a loop that does not turn any more tells nothing, and the process is restarted.
 */
void service_manager_serve(struct scope *scope);
