/* Kubeconfigs in files, files that they refer to, and the files of a pod. */
#include <stdlib.h>

#include "client/kubeconfig/kubeconfig.h"
#include "net/tls.h"
#include "testing/certs.h"
#include "testing/sim.h"
#include "testing/test.h"

/* A file system in a table. */
struct file {
    const char *path, *text;
};

struct files {
    const struct file *files;
    size_t count;
    size_t reads;
};

static struct error *read_table(void *data, struct str path, struct buf *out)
{
    struct files *files = data;
    files->reads++;
    for (size_t i = 0; i < files->count; i++) {
        if (str_eq(path, str_from_c(files->files[i].path))) {
            buf_add(out, str_from_c(files->files[i].text));
            return NULL;
        }
    }
    return error_new(ERROR_NOT_FOUND, "open %.*s: not there", STR_ARG(path));
}

static struct error *load(struct files *files, struct kubeconfig_paths paths,
                          struct rest_config *config)
{
    const struct kubeconfig_options options = {.read_file = read_table, .read_data = files};
    return kubeconfig_load(&paths, &options, config);
}

#define C(fields) "clusters: [{name: c, cluster: {" fields "}}]\n"
#define U(fields) "users: [{name: u, user: {" fields "}}]\n"
#define X         "contexts: [{name: x, context: {cluster: c, user: u}}]\n"

static const struct file merged[] = {
    {"/empty",  ""                                                                             },
    {"/a",      C("server: 'https://a'") "current-context: x"                                  },
    {"/b",      C("server: 'https://b', tls-server-name: b") U("token: b") "current-context: z"},
    {"/c",      U("token: c, as: c") X                                                         },
    {"/broken", "{users: ["                                                                    },
    {"/wrong",  U("token: 1")                                                                  },
};

TEST(kubeconfig_lists_are_merged)
{
    const struct {
        const char *name, *list, *token, *as;
    } cases[] = {
        {"the first entry and context win", "/a:/b:/c",            "b", "" },
        {"the others are whole",            "/a:/c:/b",            "c", "c"},
        {"missing ones are skipped",        "/no:/a:/no:/b:/c:/x", "b", "" },
        {"empty names are skipped",         ":/a::/b:/c:",         "b", "" },
        {"empty files are nothing",         "/empty:/a:/b:/c",     "b", "" },
        {"a file may be named twice",       "/a:/a:/b:/c:/a",      "b", "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(rest_config) config = {0};
        struct files files = {merged, COUNT(merged), 0};
        const struct kubeconfig_paths paths = {.list = str_from_c(cases[i].list),
                                               .home = STR("/ignored")};
        CHECK_OK(load(&files, paths, &config));
        CHECK_EQ(config.host, STR("https://a"));
        CHECK_EQ(config.tls.server_name, STR(""));
        CHECK_EQ(config.auth.token, str_from_c(cases[i].token));
        CHECK_EQ(config.impersonate.user, str_from_c(cases[i].as));
    }
}

TEST(kubeconfig_lists_that_do_not_do)
{
    SCOPED(rest_config) config = {0};
    struct files files = {merged, COUNT(merged), 0};
    TEST_CASE("the first file has the context");
    CHECK_FAILS(load(&files, (struct kubeconfig_paths){.list = STR("/b:/c")}, &config),
                ERROR_INVALID, "invalid configuration: current-context: context \"z\" not found");
    TEST_CASE("no file is there");
    CHECK_FAILS(load(&files, (struct kubeconfig_paths){.list = STR("/no:/nor")}, &config),
                ERROR_NOT_FOUND, "no kubeconfig: no such file in \"/no:/nor\"");
    TEST_CASE("all mistakes are told");
    CHECK_FAILS(load(&files, (struct kubeconfig_paths){.list = STR("/a:/wrong:/broken")}, &config),
                ERROR_INVALID,
                "invalid configuration: /wrong: users[\"u\"].user.token: expected a string, found "
                "a number; /broken: ");
}

TEST(kubeconfig_is_looked_for)
{
    static const struct file table[] = {
        {"/home/me/.kube/config", "{clusters: [{name: c, cluster: {server: 'https://home'}}]}"},
        {"/file",                 "{clusters: [{name: c, cluster: {server: 'https://file'}}]}"},
        {"/list",                 "{clusters: [{name: c, cluster: {server: 'https://list'}}]}"},
    };
    const struct {
        const char *name, *file, *list, *home, *host;
        enum error_code code;
    } cases[] = {
        {"at home",               "",      "",      "/home/me", "https://home", ERROR_NONE     },
        {"in the list",           "",      "/list", "/home/me", "https://list", ERROR_NONE     },
        {"where it is said",      "/file", "/list", "/home/me", "https://file", ERROR_NONE     },
        {"where it is said only", "/none", "/list", "/home/me", "",             ERROR_NOT_FOUND},
        {"not at home",           "",      "/none", "/home/me", "",             ERROR_NOT_FOUND},
        {"nowhere",               "",      "",      "",         "",             ERROR_NOT_FOUND},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(rest_config) config = {0};
        struct files files = {table, COUNT(table), 0};
        const struct kubeconfig_paths paths = {str_from_c(cases[i].file), str_from_c(cases[i].list),
                                               str_from_c(cases[i].home)};
        const struct kubeconfig_options options = {
            .cluster = STR("c"), .read_file = read_table, .read_data = &files};
        OWNED(error) err = kubeconfig_load(&paths, &options, &config);
        CHECK_EQ((int)(err ? err->code : ERROR_NONE), (int)cases[i].code);
        CHECK_EQ(config.host, str_from_c(cases[i].host));
    }
}

/* Every test has a process and so an environment of its own. */
static void set_variable(const char *name, const char *value)
{
    setenv(name, value, 1); /* NOLINT(concurrency-mt-unsafe): the only thread */
}

TEST(kubeconfig_environment)
{
    set_variable("KUBECONFIG", "/a:/b");
    set_variable("HOME", "/home/me");
    const struct kubeconfig_paths paths = kubeconfig_paths_from_environment();
    CHECK_EQ(paths.file, STR(""));
    CHECK_EQ(paths.list, STR("/a:/b"));
    CHECK_EQ(paths.home, STR("/home/me"));
}

#define REFERRING                                                                                 \
    "{clusters: [{name: c, cluster: {server: 'https://h', certificate-authority: pki/ca.crt}}],"  \
    "users: [{name: u, user: {client-certificate: pki/a.crt, client-key: /abs/a.key, tokenFile: " \
    "../token}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}"

TEST(kubeconfig_paths_belong_to_its_directory)
{
    struct test_certs certs;
    test_certs_init(&certs, SIM_EPOCH);
    const struct file table[] = {
        {"/etc/kube/config",     REFERRING                  },
        {"/etc/kube/pki/ca.crt", buf_c(&certs.authority_pem)},
        {"/etc/kube/pki/a.crt",  buf_c(&certs.client_pem)   },
        {"/abs/a.key",           buf_c(&certs.client_key)   },
        {"/etc/kube/../token",   " abc\n"                   },
        {"config",               REFERRING                  },
        {"pki/ca.crt",           "no certificate"           },
        {"pki/a.crt",            buf_c(&certs.client_pem)   },
        {"../token",             "\n"                       },
    };
    struct files files = {table, COUNT(table), 0};
    SCOPED(rest_config) config = {0};
    CHECK_OK(load(&files, (struct kubeconfig_paths){.file = STR("/etc/kube/config")}, &config));
    CHECK(config.tls.trust && config.tls.identity);
    CHECK_EQ(config.auth.token, STR("abc"));
    CHECK_EQ(config.auth.token_file, STR("/etc/kube/../token"));
    CHECK_EQ(config.tls.trust_file, STR("/etc/kube/pki/ca.crt"));
    CHECK_EQ(files.reads, 5);

    TEST_CASE("a bare name is in the working directory");
    rest_config_done(&config);
    CHECK_FAILS(load(&files, (struct kubeconfig_paths){.file = STR("config")}, &config),
                ERROR_INVALID,
                "invalid configuration: users[\"u\"].user.tokenFile: no token in it; "
                "clusters[\"c\"].cluster.certificate-authority: read certificate authorities: no "
                "certificate in it");
    test_certs_done(&certs);
}

/* A directory of its own in the real file system. */
struct place {
    char path[64];
};

static void place_init(struct place *place)
{
    *place = (struct place){"/tmp/kubeconfig_test.XXXXXX"};
    CHECK(mkdtemp(place->path) != NULL);
}

static void place_write(const struct place *place, const char *name, struct str text)
{
    SCOPED(arena) arena = {0};
    FILE *file = fopen(arena_print(&arena, "%s/%s", place->path, name).ptr, "w");
    CHECK(file != NULL);
    CHECK_EQ(fwrite(text.ptr, 1, text.len, file), text.len);
    CHECK_EQ(fclose(file), 0);
}

static void place_remove(const struct place *place, const char *name)
{
    SCOPED(arena) arena = {0};
    remove(name ? arena_print(&arena, "%s/%s", place->path, name).ptr : place->path);
}

TEST(kubeconfig_in_real_files)
{
    struct place place;
    SCOPED(arena) arena = {0};
    SCOPED(rest_config) config = {0};
    place_init(&place);
    place_write(&place, "config",
                STR("{clusters: [{name: c, cluster: {server: 'https://h'}}], users: [{name: u, "
                    "user: {tokenFile: token}}], contexts: [{name: x, context: {cluster: c, user: "
                    "u}}], current-context: x}"));
    place_write(&place, "token", STR("abc\n"));
    const struct kubeconfig_paths paths = {.file = arena_print(&arena, "%s/config", place.path)};
    CHECK_OK(kubeconfig_load(&paths, NULL, &config));
    CHECK_EQ(config.auth.token, STR("abc"));

    place_remove(&place, "token");
    rest_config_done(&config);
    CHECK_FAILS(kubeconfig_load(&paths, NULL, &config), ERROR_INVALID,
                "/token: No such file or directory");
    place_remove(&place, "config");
    CHECK_FAILS(kubeconfig_load(&paths, NULL, &config), ERROR_NOT_FOUND, "read kubeconfig: open /");

    TEST_CASE("a directory is no kubeconfig");
    const struct kubeconfig_paths directory = {.file = str_from_c(place.path)};
    CHECK_FAILS(kubeconfig_load(&directory, NULL, &config), ERROR_IO, "Is a directory");
    place_remove(&place, NULL);
}

TEST(kubeconfig_path_with_a_nul)
{
    SCOPED(rest_config) config = {0};
    CHECK_FAILS(kubeconfig_read(STR("{clusters: [{name: c, cluster: {server: 'https://h', "
                                    "certificate-authority: \"/etc/passwd\\0x\"}}]}"),
                                STR(""), &(struct kubeconfig_options){.cluster = STR("c")},
                                &config),
                ERROR_INVALID, "certificate-authority: a path with a NUL in it");
}

static struct error *in_pod(struct files *files, const char *host, const char *port,
                            const char *directory, struct rest_config *config)
{
    const struct kubeconfig_in_cluster_options options = {
        .host = str_from_c(host),
        .port = str_from_c(port),
        .directory = str_from_c(directory),
        .read_file = read_table,
        .read_data = files,
    };
    return kubeconfig_in_cluster(&options, config);
}

TEST(kubeconfig_in_a_pod)
{
    struct test_certs certs;
    test_certs_init(&certs, SIM_EPOCH);
    const struct file table[] = {
        {"/sa/ca.crt",       buf_c(&certs.authority_pem)},
        {"/sa/token",        "abc\n"                    },
        {"/sa/namespace",    "apps"                     },
        {"/old/ca.crt",      buf_c(&certs.authority_pem)},
        {"/old/token",       "abc"                      },
        {"/no-ca/token",     "abc"                      },
        {"/no-token/ca.crt", buf_c(&certs.authority_pem)},
        {"/blank/ca.crt",    buf_c(&certs.authority_pem)},
        {"/blank/token",     "\n"                       },
        {"/bad/ca.crt",      "rubbish"                  },
    };
    const struct {
        const char *name, *host, *port, *directory, *url, *namespace;
    } cases[] = {
        {"complete",     "10.0.0.1", "443",  "/sa",  "https://10.0.0.1",       "apps"   },
        {"IPv6",         "fd00::1",  "6443", "/sa",  "https://[fd00::1]:6443", "apps"   },
        {"no namespace", "10.0.0.1", "443",  "/old", "https://10.0.0.1",       "default"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        struct files files = {table, COUNT(table), 0};
        SCOPED(rest_config) config = {0};
        CHECK_OK(in_pod(&files, cases[i].host, cases[i].port, cases[i].directory, &config));
        CHECK_EQ(config.host, str_from_c(cases[i].url));
        CHECK(config.tls.trust != NULL);
        CHECK_EQ(config.auth.token, STR("abc"));
        CHECK(str_ends_with(config.auth.token_file, STR("/token")));
        CHECK_EQ(config.namespace, str_from_c(cases[i].namespace));
    }

    struct files files = {table, COUNT(table), 0};
    SCOPED(rest_config) config = {0};
    CHECK_FAILS(in_pod(&files, "h", "443", "/no-ca", &config), ERROR_INVALID,
                "in-cluster configuration: open /no-ca/ca.crt: not there");
    CHECK_FAILS(in_pod(&files, "h", "443", "/bad", &config), ERROR_INVALID,
                "in-cluster configuration: ca.crt: read certificate authorities: no certificate");
    CHECK_FAILS(in_pod(&files, "h", "443", "/no-token", &config), ERROR_INVALID,
                "in-cluster configuration: open /no-token/token: not there");
    CHECK_FAILS(in_pod(&files, "h", "443", "/blank", &config), ERROR_INVALID,
                "in-cluster configuration: token: no token in it");
    CHECK_FAILS(in_pod(&files, "h", "x", "/sa", &config), ERROR_INVALID,
                "in-cluster configuration: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT: "
                "URL has a bad port");
    test_certs_done(&certs);
}

TEST(kubeconfig_outside_of_a_pod)
{
    set_variable("KUBERNETES_SERVICE_HOST", "");
    set_variable("KUBERNETES_SERVICE_PORT", "443");
    SCOPED(rest_config) config = {0};
    CHECK_FAILS(kubeconfig_in_cluster(NULL, &config), ERROR_NOT_FOUND,
                "in-cluster configuration: KUBERNETES_SERVICE_HOST and");
}

TEST(kubeconfig_moves_into_its_own_cluster)
{
    struct test_certs certs;
    test_certs_init(&certs, SIM_EPOCH);
    const struct file table[] = {
        {"/sa/ca.crt", buf_c(&certs.authority_pem)}
    };
    struct files files = {table, COUNT(table), 0};
    struct kubeconfig_in_cluster_options options = {.host = STR("10.0.0.1"),
                                                    .port = STR("443"),
                                                    .directory = STR("/sa"),
                                                    .keep_pem = true,
                                                    .read_file = read_table,
                                                    .read_data = &files};
    SCOPED(rest_config) config = {0};
    CHECK_OK(kubeconfig_read(test_data("kubeconfig/cluster-api.yaml"), STR(""),
                             &(struct kubeconfig_options){.untrusted = true}, &config));
    const struct tls_trust *before = config.tls.trust;

    TEST_CASE("nothing changes when it fails");
    options.directory = STR("/none");
    CHECK_ERROR(kubeconfig_use_in_cluster_server(&config, &options), ERROR_INVALID);
    CHECK_EQ(config.host, STR("https://10.10.10.10:6443"));
    CHECK(config.tls.trust == before);

    TEST_CASE("host and authorities change, the rest stays");
    options.directory = STR("/sa");
    CHECK_OK(kubeconfig_use_in_cluster_server(&config, &options));
    CHECK_EQ(config.host, STR("https://10.0.0.1"));
    CHECK_EQ(config.tls.trust_pem, buf_str(&certs.authority_pem));
    CHECK_EQ(config.tls.trust_file, STR("/sa/ca.crt"));
    CHECK(config.tls.trust && config.tls.identity);

    TEST_CASE("not when nobody is verified");
    config.tls.skip_verify = true;
    CHECK_FAILS(kubeconfig_use_in_cluster_server(&config, &options), ERROR_INVALID,
                "together with insecure-skip-tls-verify");
    test_certs_done(&certs);
}
