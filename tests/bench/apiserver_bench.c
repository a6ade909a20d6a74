/*
 * The API server as its users meet it: over TLS, in a process of its own, with its data on the disk
 * the build is on. The client runs on the same machine and takes its share of the processors.
 */
#include <stdio.h>
#include <sys/resource.h>

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
    void (*measure)(struct api_rig *rig);
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
    struct api_rig rig;
    const char *which;
};

static struct error *measure(void *data)
{
    struct measurement *measurement = data;
    struct api_rig *rig = &measurement->rig;
    rig->network = tcp_network_new(loop_current());
    rig->tls = tls_context_new();
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (measurement->which && strcmp(measurement->which, parts[i].name) != 0)
            continue;
        api_rig_make_folder(rig->folder, "bench-apiserver");
        parts[i].measure(rig);
        api_rig_remove_folder(rig->folder);
    }
    rest_config_done(&rig->config);
    error_free(fiber_sleep(200 * MILLISECOND)); /* connections tidy themselves up */
    tls_context_free(rig->tls);
    network_free(rig->network);
    return NULL;
}

void bench_apiserver(const char *which)
{
    struct measurement measurement = {.which = which};
    const struct rlimit limit = {.rlim_cur = FILES_MAX, .rlim_max = FILES_MAX};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        fprintf(stderr, "bench: cannot raise the limit of open files to %d\n", FILES_MAX);
    bench_heading("The API server (a process of its own, TLS; the client is on the same machine)");
    OWNED(loop) loop = loop_new();
    api_rig_must(loop_run(loop, measure, &measurement));
}
