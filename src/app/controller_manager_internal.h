/*
 * The parts of a controller process, for app/controller_manager.c, tests and measurements.
 */
#pragma once

#include "app/controller_manager.h"

/* Members are made in this order and released in the opposite order. */
struct controller_manager {
    struct loop *loop;
    struct controller_manager_options options;
    struct metrics *metrics;
    struct client *client;  /* reads, and writes the Lease: it does not need to lead */
    struct leader *leader;  /* NULL without an election, and once the manager owns it */
    struct client *guarded; /* writes only while this process leads */
    struct cache_set *caches;
    struct recorder *recorder;
    struct clustercache *clustercache;
    struct remote_connection_probe *probe;
    struct crs_controllers *crs_controllers;
    struct fleet_page *page;           /* NULL: none */
    struct fleet_server *fleet_server; /* NULL: none */
    struct manager *manager;
};
