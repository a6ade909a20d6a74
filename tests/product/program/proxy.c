/*
 * A proxy between corset and its clusters: proxy MODE [USER:PASSWORD]. Every name leads to this
 * machine. Prints its port, then "CONNECT host:port" for every request, until it is killed.
 */
#include <stdio.h>

#include "async/fiber.h"
#include "async/loop.h"
#include "net/network.h"
#include "net/tcp.h"
#include "support/proxy/connect_proxy.h"

static void print_request(struct str target)
{
    printf("CONNECT %.*s\n", STR_ARG(target));
    fflush(stdout);
}

static struct error *serve_proxy(void *data)
{
    char **argv = data;
    OWNED(network) network = tcp_network_new(loop_current());
    SCOPED(connect_proxy)
    proxy = {
        .network = network,
        .mode = connect_proxy_mode_read(argv[1]),
        .wants = argv[2],
        .leads_to = "127.0.0.1",
        .on_request = print_request,
    };
    TRY(connect_proxy_open(&proxy, STR("127.0.0.1"), 0));
    printf("%u\n", connect_proxy_port(&proxy));
    fflush(stdout);
    return fiber_sleep(HOUR);
}

int main(int argc, char **argv)
{
    if (argc < 2 || connect_proxy_mode_read(argv[1]) == CONNECT_PROXY_MODES)
        return 2;
    struct loop *loop = loop_new();
    struct error *err = loop_run(loop, serve_proxy, argv);
    if (err)
        fprintf(stderr, "proxy: %s\n", err->message);
    error_free(err);
    loop_free(loop);
    return err != NULL;
}
