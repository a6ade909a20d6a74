/*
 * The proxy that the environment asks for: HTTPS_PROXY, HTTP_PROXY and NO_PROXY, as Go's
 * golang.org/x/net/http/httpproxy reads them, and with it client-go and kubectl.
 *
 *     const struct proxy_environment proxies = proxy_environment_read();
 *     TRY(proxy_environment_choose(&proxies, &server, &choice));
 *     if (choice.has_proxy)
 *         connect through choice.url;
 *
 * HTTPS_PROXY is for https servers, HTTP_PROXY for http servers. NO_PROXY lists servers that are
 * connected to directly, with commas between:
 *
 *     *                     every server
 *     10.0.0.1, ::1         an address; 10.0.0.1:6443 and [::1]:6443: on that port alone
 *     10.0.0.0/8            every address of the network
 *     example.com           the name and all names below it; example.com:6443: on that port alone
 *     .example.com          the names below it alone; *.example.com means the same
 *
 * Names are not looked up: an address in NO_PROXY does not match a server that is given by name.
 * "localhost" and loopback addresses never have a proxy. The proxy-url of a kubeconfig wins over
 * the environment and knows nothing of NO_PROXY.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/str.h"
#include "http/url.h"

/* Texts as in the environment. May hold a password: never log it. Empty texts mean none. */
struct proxy_environment {
    struct str http_proxy, https_proxy, no_proxy;
};

/* Of this process. An upper-case name wins over a lower-case one. Views of the environment. */
struct proxy_environment proxy_environment_read(void);

struct proxy_choice {
    bool has_proxy;
    const char *variable; /* that asks for the proxy */
    struct url url;       /* views of the environment */
};

/*
 * The proxy for a server. ERROR_INVALID if the variable that is in charge holds no URL of a proxy:
 * Go ignores it then, and connects to servers that are not meant to be reached directly.
 */
MUST_USE struct error *proxy_environment_choose(const struct proxy_environment *environment,
                                                const struct url *server,
                                                struct proxy_choice *ret_choice);
