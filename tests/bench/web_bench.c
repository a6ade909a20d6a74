/*
 * How late probes are, and how long an apply takes, while 50 pages are loaded without pause. The
 * page is served by the process of the controllers.
 */
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app/controller_manager_internal.h"
#include "bench.h"
#include "beside.h"

#define CLUSTERS 300
#define READERS  50

static int dial_page(uint16_t port)
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0)
        _exit(1);
    return fd;
}

static void ask_page(int fd, const struct beside_orders *orders, const char *target,
                     const char *cookie)
{
    char text[400];
    const int len =
        snprintf(text, sizeof(text), "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nCookie: %s\r\n\r\n",
                 target, (unsigned)orders->port, cookie);
    if (send(fd, text, (size_t)len, MSG_NOSIGNAL) != len)
        _exit(1);
}

/* The key works once: later orders use the cookie of the first. */
static void enter_page(const struct beside_orders *orders, char *cookie, size_t size)
{
    char target[60], answer[4096];
    if (*cookie)
        return;
    const int fd = dial_page(orders->port);
    snprintf(target, sizeof(target), "/?key=%s", orders->key);
    ask_page(fd, orders, target, "");
    const ssize_t len = recv(fd, answer, sizeof(answer) - 1, 0);
    answer[len > 0 ? len : 0] = '\0';
    const char *found = strstr(answer, "set-cookie: ");
    if (!found)
        _exit(1);
    snprintf(cookie, size, "%.*s", (int)strcspn(found + 12, ";"), found + 12);
    close(fd);
}

/* A piece that ends an answer is followed by the next request. */
static void read_page(int fd, const struct beside_orders *orders, const char *cookie, size_t number)
{
    static char bytes[256 * 1024];
    const ssize_t len = recv(fd, bytes, sizeof(bytes), 0);
    if (len <= 0)
        _exit(1);
    const bool is_page = len >= 7 && memcmp(bytes + len - 7, "</html>", 7) == 0;
    if (is_page)
        ask_page(fd, orders, number % 2 ? "/clusters" : "/", cookie);
}

static void load_pages(const struct beside_orders *orders, const char *cookie)
{
    struct pollfd polls[READERS];
    const double end = bench_clock() + orders->seconds;
    for (size_t i = 0; i < READERS; i++) {
        polls[i] = (struct pollfd){.fd = dial_page(orders->port), .events = POLLIN};
        ask_page(polls[i].fd, orders, "/", cookie);
    }
    while (bench_clock() < end) {
        (void)poll(polls, READERS, 100);
        for (size_t i = 0; i < READERS; i++)
            if (polls[i].revents)
                read_page(polls[i].fd, orders, cookie, i);
    }
    for (size_t i = 0; i < READERS; i++)
        close(polls[i].fd);
}

static void ask_pages(void *data, const struct beside_orders *orders)
{
    static char cookie[100];
    (void)data;
    enter_page(orders, cookie, sizeof(cookie));
    load_pages(orders, cookie);
}

static void direct_to_page(void *data, const struct sets_fixture *fixture,
                           struct beside_orders *orders)
{
    const struct str address = controller_manager_page(fixture->controllers);
    const size_t colon = str_find_last_char(address, ':'), key = str_find(address, STR("key="));
    const struct str rest = str_skip(address, colon + 1);
    uint64_t port = 0;
    (void)data;
    (void)str_to_uint64(str_slice(rest, 0, str_find_char(rest, '/')), &port);
    orders->port = (uint16_t)port;
    snprintf(orders->key, sizeof(orders->key), "%.*s", STR_ARG(str_skip(address, key + 4)));
}

void bench_web(void)
{
    bench_heading("Probes and applies beside the fleet's page, 300 clusters");
    beside_measure(&(struct beside){.name = "beside 50 pages that reload without pause",
                                    .virtual_clusters = CLUSTERS,
                                    .options = {.has_page = true},
                                    .direct = direct_to_page,
                                    .ask = ask_pages});
}
