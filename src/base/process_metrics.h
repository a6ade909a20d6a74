/*
 * The metrics that every process has under Prometheus: process_cpu_seconds_total, _open_fds,
 * _max_fds, _resident_memory_bytes, _virtual_memory_bytes, _start_time_seconds. They are read from
 * /proc when they are shown. What cannot be read is NaN.
 */
#pragma once

struct metrics;

void process_metrics_register(struct metrics *metrics);
