/* Objects that a client takes slowly, and more changes than a history keeps. */
#pragma once

#include "apiserver/apiserver_fixture_test.h"

#define LARGE_MAPS      60
#define LARGE_MAPS_PATH "/api/v1/namespaces/default/configmaps"

static inline void large_map_make(struct apiserver_fixture *fixture, int number)
{
    SCOPED(buf) body = {.limit = 0};
    buf_print(&body,
              "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m%d\"},"
              "\"data\":{\"text\":\"",
              number);
    for (size_t i = 0; i < 200 * KILOBYTE; i++)
        buf_add_char(&body, 'x');
    buf_add(&body, STR("\"}}"));
    apiserver_fixture_create(fixture, LARGE_MAPS_PATH, buf_c(&body));
}

/* The history has to keep an event for a second. */
static inline void large_maps_outrun_history(struct apiserver_fixture *fixture)
{
    for (int i = 0; i < 40; i++) {
        char patch[64];
        snprintf(patch, sizeof(patch), "{\"data\":{\"n\":\"%d\"}}", i);
        CHECK_EQ(apiserver_fixture_call(fixture, "PATCH", LARGE_MAPS_PATH "/m0", patch), 200);
        CHECK_OK(fiber_sleep(100 * MILLISECOND));
    }
}
