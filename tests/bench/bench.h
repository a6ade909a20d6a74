/*
 * Measurements that are run by hand; each prints lines to stdout.
 */
#pragma once

void bench_json(void);
