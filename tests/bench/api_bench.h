/* The parts of the measurement of the API server; each Suspends and prints its rows. */
#pragma once

#include "api_rig.h"

void api_bench_writes(struct api_rig *rig);
void api_bench_reads(struct api_rig *rig);
void api_bench_watches(struct api_rig *rig);
void api_bench_fan_out(struct api_rig *rig);
void api_bench_start(struct api_rig *rig);    /* starts servers of its own */
void api_bench_clusters(struct api_rig *rig); /* and so does this */
