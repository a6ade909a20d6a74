/* A cache transform for the page: trims Clusters to the fields that it shows. */
#pragma once

#include "controller/cache/cache.h"

/* Keeps names, labels, times, the pause, the endpoint, and the conditions that states come from. */
cache_transform_fn web_trim_cluster;
