/* A second process beside that of the fixture. */
#pragma once

#include "async/scope.h"

struct controller_manager;
struct controller_manager_options;
struct crs_fixture;

struct second_process {
    struct controller_manager *controllers;
    struct scope running;
};

/* Options as those of crs_fixture_start(). */
void second_process_start(struct second_process *process, struct crs_fixture *fixture,
                          const struct controller_manager_options *options);
void second_process_done(struct second_process *process);
