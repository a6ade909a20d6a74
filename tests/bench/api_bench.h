/*
 * The parts of the measurement of the API server. Each has an empty folder, starts and stops
 * servers on it, and prints its rows. All Suspend.
 */
#pragma once

#include "api_fixture.h"

void api_bench_writes(struct api_fixture *fixture);
void api_bench_reads(struct api_fixture *fixture);
void api_bench_watches(struct api_fixture *fixture);
void api_bench_fan_out(struct api_fixture *fixture);
void api_bench_start(struct api_fixture *fixture);
void api_bench_clusters(struct api_fixture *fixture);
