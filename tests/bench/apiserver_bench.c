/*
 * The API server as its users meet it: over TLS, in a process of its own, with its data on the disk
 * the build is on. The client runs on the same machine and takes its share of the processors.
 */
#include <stdio.h>

#include "api_bench.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "bench.h"
#include "net/network.h"
#include "net/tcp.h"
#include "net/tls.h"

#define FILES_MAX 20000

struct part {
    const char *name;
    void (*measure)(struct api_fixture *fixture);
};

static const struct part parts[] = {
    {"writes",   api_bench_writes  },
    {"reads",    api_bench_reads   },
    {"fan-out",  api_bench_fan_out },
    {"watches",  api_bench_watches },
    {"start",    api_bench_start   },
    {"clusters", api_bench_clusters},
};

struct measurement {
    struct api_fixture fixture;
    const char *which;
};

static struct error *measure(void *data)
{
    struct measurement *measurement = data;
    struct api_fixture *fixture = &measurement->fixture;
    fixture->network = tcp_network_new(loop_current());
    fixture->tls = tls_context_new();
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (measurement->which && strcmp(measurement->which, parts[i].name) != 0)
            continue;
        api_fixture_make_folder(fixture->folder, "bench-apiserver");
        parts[i].measure(fixture);
        api_fixture_remove_folder(fixture->folder);
    }
    rest_config_done(&fixture->config);
    error_free(fiber_sleep(200 * MILLISECOND)); /* connections tidy themselves up */
    tls_context_free(fixture->tls);
    network_free(fixture->network);
    return NULL;
}

void bench_apiserver(const char *which)
{
    struct measurement measurement = {.which = which};
    bench_raise_files(FILES_MAX);
    bench_heading("The API server (a process of its own, TLS; the client is on the same machine)");
    OWNED(loop) loop = loop_new();
    api_fixture_must(loop_run(loop, measure, &measurement));
}
