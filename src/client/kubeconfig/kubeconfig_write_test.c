#include "client/kubeconfig/kubeconfig.h"
#include "net/tls.h"
#include "testing/certs.h"
#include "testing/sim.h"
#include "testing/test.h"

static void check_round_trip(struct str text)
{
    const struct kubeconfig_options options = {.keep_pem = true};
    SCOPED(rest_config) config = {0};
    SCOPED(rest_config) again = {0};
    SCOPED(buf) first = {.secret = true};
    SCOPED(buf) second = {.secret = true};
    CHECK_OK(kubeconfig_read(text, STR(""), &options, &config));
    kubeconfig_write(&first, STR("name"), &config);
    CHECK_OK(kubeconfig_read(buf_str(&first), STR(""), &options, &again));
    kubeconfig_write(&second, STR("name"), &again);
    CHECK_EQ(buf_str(&second), buf_str(&first));
    CHECK_EQ(again.host, config.host);
    CHECK_EQ(again.tls.key_pem, config.tls.key_pem);
    CHECK_EQ(again.tls.identity != NULL, config.tls.identity != NULL);
    CHECK_EQ(again.tls.trust != NULL, config.tls.trust != NULL);
}

TEST(kubeconfig_written_is_read_again)
{
    const char *const files[] = {"kind.yaml",        "k3s.yaml",     "eks.yaml",    "gke.yaml",
                                 "cluster-api.yaml", "envtest.json", "kubectl.yaml"};
    for (size_t i = 0; i < COUNT(files); i++) {
        SCOPED(arena) arena = {0};
        TEST_CASE("%s", files[i]);
        check_round_trip(test_data(arena_print(&arena, "kubeconfig/%s", files[i]).ptr));
    }
}

TEST(kubeconfig_written_with_everything)
{
    check_round_trip(
        STR("{clusters: [{name: c, cluster: {server: 'https://h/p', tls-server-name: s, "
            "insecure-skip-tls-verify: true, proxy-url: 'http://a:b@p:1', disable-compression: "
            "true, extensions: [{name: client.authentication.k8s.io/exec, extension: {\"a\\x7f\": "
            "[1, 'yes', null, \"\\U0010ffff\"]}}]}}], users: [{name: u, user: {as: \"a\\\"\\\\ \\t"
            "\\u2028b\", as-uid: 'null', as-groups: ['yes', '1', ''], as-user-extra: {'': [], "
            "'k:v': ['# no', '- no']}, exec: {apiVersion: client.authentication.k8s.io/v1, "
            "command: ./run, args: ['-a', '{b}'], env: [{name: A, value: '1'}, {name: B}], "
            "installHint: \"two\\nlines\", interactiveMode: Always, provideClusterInfo: true}}}], "
            "contexts: [{name: x, context: {cluster: c, user: u, namespace: '123'}}], "
            "current-context: x}"));
}

/* How a program that has just started a server says how to reach it. */
TEST(kubeconfig_written_by_hand)
{
    struct test_certs certs;
    SCOPED(buf) text = {.secret = true};
    SCOPED(rest_config) again = {0};
    test_certs_init(&certs, SIM_EPOCH);
    const struct rest_config config = {
        .host = STR("https://127.0.0.1:6443"),
        .tls = {.trust_pem = buf_str(&certs.authority_pem),
                .certificate_pem = buf_str(&certs.client_pem),
                .key_pem = buf_str(&certs.client_key)},
    };
    kubeconfig_write(&text, STR("corset"), &config);
    CHECK(str_starts_with(buf_str(&text), STR("apiVersion: v1\nkind: Config\nclusters:\n"
                                              "- name: \"corset\"\n  cluster:\n"
                                              "    server: \"https://127.0.0.1:6443\"\n"
                                              "    certificate-authority-data: LS0t")));
    CHECK_CONTAINS(buf_str(&text), STR("\ncontexts:\n- name: \"corset\"\n  context:\n"
                                       "    cluster: \"corset\"\n    user: \"corset\"\n"
                                       "current-context: \"corset\"\n"));
    const struct kubeconfig_options options = {.context = STR("corset"), .untrusted = true};
    CHECK_OK(kubeconfig_read(buf_str(&text), STR(""), &options, &again));
    CHECK(again.tls.trust && again.tls.identity);
    CHECK_EQ(again.server.port, 6443);
    test_certs_done(&certs);
}
