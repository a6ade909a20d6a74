#include "cmd/server_files.h"

#include "app/standalone.h"
#include "async/loop.h"
#include "client/kubeconfig/kubeconfig.h"
#include "net/network.h"
#include "net/tcp.h"
#include "testing/folder_fixture.h"
#include "testing/sim.h"

/* Fails the test unless it is a kubeconfig that nobody else can read. */
static void check_kubeconfig(const struct folder_fixture *folder, const char *name)
{
    SCOPED(rest_config) config = {0};
    const struct kubeconfig_paths paths = {.file = str_from_c(folder_fixture_file(folder, name))};
    TEST_CASE("%s", name);
    CHECK_EQ(folder_fixture_mode(folder, name), 0600);
    CHECK_OK(kubeconfig_load(&paths, NULL, &config));
    CHECK(config.host.len > 0);
}

LOOP_TEST(server_files_are_written_and_old_ones_go)
{
    struct folder_fixture folder;
    OWNED(network) network = tcp_network_new(loop_current());
    OWNED(standalone) standalone = NULL;
    folder_fixture_init(&folder);
    CHECK_OK(standalone_new(loop_current(),
                            &(struct apiserver_options){.network = network,
                                                        .host = STR("127.0.0.1"),
                                                        .virtual_clusters = 2},
                            &standalone));
    CHECK_EQ(mkdir(folder_fixture_file(&folder, "clusters"), 0700), 0);
    folder_fixture_write(&folder, "clusters/vc-0002.kubeconfig", "old", 0644);
    folder_fixture_write(&folder, "clusters/vc-0003.kubeconfig", "old", 0600);
    folder_fixture_write(&folder, "clusters/mine", "kept", 0600);
    const struct server_files files = {
        .data_dir = folder.path,
        .kubeconfig = folder_fixture_file(&folder, "admin"),
        .clusters = folder_fixture_file(&folder, "more"),
    };
    CHECK_OK(server_files_write(&files, standalone));
    check_kubeconfig(&folder, "kubeconfig");
    check_kubeconfig(&folder, "admin");
    check_kubeconfig(&folder, "clusters/vc-0001.kubeconfig");
    check_kubeconfig(&folder, "clusters/vc-0002.kubeconfig");
    check_kubeconfig(&folder, "more/vc-0002.kubeconfig");
    CHECK_EQ(folder_fixture_mode(&folder, "clusters/vc-0003.kubeconfig"), -1);
    CHECK_EQ(folder_fixture_mode(&folder, "clusters/mine"), 0600);
    TEST_CASE("nowhere");
    CHECK_OK(server_files_write(&(struct server_files){0}, standalone));
    CHECK_ERROR(server_files_write(&(struct server_files){.kubeconfig = "/nowhere/k"}, standalone),
                ERROR_NOT_FOUND);
    folder_fixture_done(&folder);
}
