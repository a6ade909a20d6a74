#include "cmd/server_flags.h"

#include "async/loop.h"
#include "net/network.h"
#include "net/transport.h"
#include "testing/sim.h"

struct settings {
    bool before;
    struct server_settings server;
};

static const struct flag_group groups[] = {
    SERVER_GROUP(struct settings),
};
static const struct command command = {
    .name = "test", .groups = groups, .group_count = COUNT(groups)};

TEST(server_flags_become_options)
{
    static const char *const words[] = {"--data-dir=/d",
                                        "--listen=[::1]:7000",
                                        "--inject=error=0.5",
                                        "--virtual-clusters=3",
                                        "--max-token-lifetime=48h",
                                        "--storage-limit=64Mi",
                                        "--write-kubeconfig",
                                        "k",
                                        "--write-cluster-kubeconfigs",
                                        "c"};
    struct settings settings = {.server = SERVER_DEFAULT};
    CHECK(flags_read(&command, COUNT(words), (char **)words, &settings));
    CHECK_EQ(server_flags_use(&settings.server, &command), COMMAND_DONE);
    const struct apiserver_options options = server_flags_options(&settings.server);
    CHECK_EQ(options.host, STR("::1"));
    CHECK_EQ(options.port, 7000);
    CHECK_EQ(options.folder, "/d");
    CHECK_EQ(options.virtual_clusters, (size_t)3);
    CHECK_EQ(options.max_token_lifetime, 48 * HOUR);
    CHECK_EQ(options.storage, (int64_t)64 << 20);
    CHECK(options.faults.error == 0.5);
    CHECK_EQ(settings.server.files.kubeconfig, "k");
    CHECK_EQ(settings.server.files.clusters, "c");
}

TEST(server_flags_have_defaults)
{
    struct settings settings = {.server = SERVER_DEFAULT};
    CHECK_EQ(server_flags_use(&settings.server, &command), COMMAND_DONE);
    const struct apiserver_options options = server_flags_options(&settings.server);
    CHECK_EQ(options.host, STR("127.0.0.1"));
    CHECK_EQ(options.port, 7443);
    CHECK(!options.folder);
    CHECK_EQ(options.virtual_clusters, (size_t)0);
    CHECK_EQ(options.max_token_lifetime, 24 * HOUR);
    CHECK_EQ(options.storage, (int64_t)0);
}

TEST(server_flags_that_are_wrong_are_refused)
{
    struct server_settings settings = SERVER_DEFAULT;
    settings.listen = "nowhere";
    CHECK_EQ(server_flags_use(&settings, &command), COMMAND_USAGE);
    settings = (struct server_settings)SERVER_DEFAULT;
    settings.inject = "error=lots";
    CHECK_EQ(server_flags_use(&settings, &command), COMMAND_USAGE);
    settings = (struct server_settings)SERVER_DEFAULT;
    settings.max_token_lifetime = 59 * MINUTE;
    CHECK_EQ(server_flags_use(&settings, &command), COMMAND_USAGE);
    settings.max_token_lifetime = (((int64_t)1 << 32) + 1) * SECOND;
    CHECK_EQ(server_flags_use(&settings, &command), COMMAND_USAGE);
    const char *const sizes[] = {"much", "-1", "0", "15Mi", "1e30"};
    for (size_t i = 0; i < COUNT(sizes); i++) {
        TEST_CASE("%s", sizes[i]);
        settings = (struct server_settings)SERVER_DEFAULT;
        settings.storage_limit = sizes[i];
        CHECK_EQ(server_flags_use(&settings, &command), COMMAND_USAGE);
    }
}

/* Webhooks of virtual clusters are bounded unless a flag says otherwise, those of the main API are
 * bounded if it does. */
LOOP_TEST(webhooks_of_virtual_clusters_do_not_reach_this_machine)
{
    static const struct {
        const char *denied;
        bool of_clusters, is_denied;
    } cases[] = {
        {NULL,          true,  true },
        {NULL,          false, false},
        {"none",        true,  false},
        {"10.0.0.0/8",  true,  false},
        {"127.0.0.0/8", false, true },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct server_settings settings = SERVER_DEFAULT;
        settings.denied = cases[i].denied;
        CHECK_EQ(server_flags_use(&settings, &command), COMMAND_DONE);
        OWNED(network)
        network = server_flags_webhook_network(&settings, loop_current(), cases[i].of_clusters);
        OWNED(listener) listener = NULL;
        OWNED(transport) transport = NULL;
        CHECK_OK(network_listen(network, STR("127.0.0.1"), 0, &listener));
        OWNED(error)
        err = network_connect(network, STR("127.0.0.1"), listener_port(listener), &transport);
        CHECK_EQ(err != NULL, cases[i].is_denied);
        if (err)
            CHECK_CONTAINS(str_from_c(err->message), STR("--deny-webhook-addresses"));
    }
    struct server_settings settings = SERVER_DEFAULT;
    settings.denied = "nothing";
    CHECK_EQ(server_flags_use(&settings, &command), COMMAND_USAGE);
}
