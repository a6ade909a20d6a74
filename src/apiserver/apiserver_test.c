#include "apiserver/apiserver.h"

#include "apiserver/stage_test.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

static struct error *watch_to_the_end(void *data)
{
    struct http_response *response = data;
    struct str line;
    do
        TRY(http_response_read_line(response, &line));
    while (line.ptr);
    return NULL;
}

SIM_TEST(a_server_that_stops_ends_its_watches)
{
    SCOPED(stage) stage;
    SCOPED(scope) scope = {0};
    stage_init(&stage);
    CHECK_OK(stage_start(&stage));
    {
        OWNED(http_response) maps = stage_watch(&stage, MAPS "?watch=1");
        OWNED(http_response) nodes = stage_watch(&stage, "/api/v1/nodes?watch=1&resourceVersion=1");
        scope_start(&scope, "watch", watch_to_the_end, maps);
        scope_start(&scope, "watch", watch_to_the_end, nodes);
        CHECK_OK(fiber_sleep(SECOND));
        const int64_t before = loop_now(loop_current());
        {
            FIBER_TIMEOUT(10 * SECOND);
            CHECK_OK(apiserver_drain(stage.server));
        }
        CHECK(loop_now(loop_current()) - before < 5 * SECOND);
        CHECK_OK(scope_wait(&scope));
    }
}
