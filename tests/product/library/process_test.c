/* What the process around a controller does: leader election, probes, metrics. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "json/path.h"
#include "product/library/library_fixture.h"
#include "testing/sim.h"

#define GVR_WEBS   GVR("example.corset.dev", "v1", "webs")
#define GVR_LEASES GVR("coordination.k8s.io", "v1", "leases")
#define WEB        KEY("default", "hello")
#define CONFIG     KEY("default", "hello-web-config")
#define LEASE      KEY("default", "web.corset.dev")

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

/* One that nobody uses now. */
static uint16_t free_port(void)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK_EQ(bind(fd, (struct sockaddr *)&address, size), 0);
    CHECK_EQ(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    close(fd);
    return ntohs(address.sin_port);
}

/* Blocks for a moment, which is well: who answers is another process. False: nobody listens. */
static bool ask(uint16_t port, const char *path, struct buf *answer)
{
    const struct sockaddr_in address = loopback(port);
    SCOPED(buf) request = {.limit = 0};
    char piece[4096];
    ssize_t count;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    buf_clear(answer);
    buf_print(&request, "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", path);
    const bool connected = connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0 &&
                           write(fd, buf_str(&request).ptr, request.len) == (ssize_t)request.len;
    while (connected && (count = read(fd, piece, sizeof(piece))) > 0)
        buf_add(answer, str_from(piece, (size_t)count));
    close(fd);
    return connected;
}

static void wait_answer(uint16_t port, const char *path, const char *part)
{
    SCOPED(buf) answer = {.limit = 0};
    FIBER_TIMEOUT(LIBRARY_FIXTURE_PATIENCE);
    while (!ask(port, path, &answer) || !str_contains(buf_str(&answer), str_from_c(part))) {
        TEST_CASE("%s: %s", path, buf_c(&answer));
        CHECK_OK(fiber_sleep(LIBRARY_FIXTURE_POLL));
    }
}

LOOP_TEST(a_process_has_probes_metrics_and_a_lease)
{
    SCOPED(library_fixture) fixture;
    SCOPED(arena) arena = {0};
    SCOPED(buf) crd = {.limit = 0};
    SCOPED(buf) web = {.limit = 0};
    const uint16_t health = free_port(), diagnostics = free_port();
    const struct str addresses[] = {arena_print(&arena, "127.0.0.1:%u", (unsigned)health),
                                    arena_print(&arena, "127.0.0.1:%u", (unsigned)diagnostics)};
    const char *const more[] = {"--leader-elect",
                                "--health-addr",
                                addresses[0].ptr,
                                "--diagnostics-address",
                                addresses[1].ptr,
                                "--insecure-diagnostics",
                                NULL};
    file_read(TEST_EXAMPLE "/crd.yaml", &crd);
    file_read(TEST_EXAMPLE "/web.yaml", &web);
    library_fixture_init(&fixture, TEST_WEB, more, buf_str(&crd), GVR_WEBS, WEB);
    wait_answer(health, "/healthz", "200 OK");
    wait_answer(health, "/readyz", "200 OK");
    library_fixture_apply(&fixture, GVR_WEBS, buf_str(&web));
    library_fixture_wait(&fixture, GVR_CONFIG_MAPS, CONFIG, "metadata.name", "hello-web-config");
    wait_answer(diagnostics, "/metrics", "controller_runtime_reconcile_total{controller=\"web\"");
    wait_answer(diagnostics, "/metrics", "leader_election_master_status");
    OWNED(object) held = library_fixture_get(&fixture, GVR_LEASES, LEASE);
    CHECK(held && json_path_str(object_root(held), "spec.holderIdentity").len > 0);
    CHECK_OK(child_stop(&fixture.controller));
    OWNED(object) released = library_fixture_get(&fixture, GVR_LEASES, LEASE);
    CHECK_EQ(json_path_str(object_root(released), "spec.holderIdentity"), STR(""));
}
