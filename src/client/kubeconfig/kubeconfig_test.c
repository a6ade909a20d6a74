/* Kubeconfigs as texts: what is accepted and what it means, what is refused and why. */
#include "client/kubeconfig/kubeconfig.h"

#include "base/base64.h"
#include "net/tls.h"
#include "testing/certs.h"
#include "testing/sim.h"
#include "testing/test.h"

/* The smallest whole one, with room for more fields. Flow style, so that rows fit. */
#define WHOLE(cluster, user)                                                                 \
    "{clusters: [{name: c, cluster: {" cluster "}}], users: [{name: u, user: {" user "}}], " \
    "contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}"
#define USER(user) WHOLE("server: 'https://h'", user)

static struct error *no_file(void *data, struct str path, struct buf *out)
{
    (void)data;
    (void)out;
    return error_new(ERROR_NOT_FOUND, "open %.*s: none here", STR_ARG(path));
}

static struct error *read_text(const char *text, struct kubeconfig_options options,
                               struct rest_config *config)
{
    options.read_file = no_file;
    return kubeconfig_read(str_from_c(text), STR("/dir"), &options, config);
}

/* One case of refused.txt. */
struct refusal {
    struct str kind, name;
    struct buf text, message;
};

static void refusal_done(struct refusal *refusal)
{
    buf_done(&refusal->text);
    buf_done(&refusal->message);
}

/* Takes the lines up to the next case; false at the end of the file. */
static bool next_refusal(struct str *rest, struct refusal *refusal)
{
    struct str line;
    while (str_cut(rest, '\n', &line) && !str_starts_with(line, STR("### ")))
        continue;
    if (!str_starts_with(line, STR("### ")))
        return false;
    refusal->name = str_skip(line, 4);
    str_cut(&refusal->name, ':', &refusal->kind);
    while (rest->len && !str_starts_with(*rest, STR("### "))) {
        str_cut(rest, '\n', &line);
        if (str_starts_with(line, STR("=> ")))
            buf_print(&refusal->message, "%s%.*s", refusal->message.len ? "; " : "",
                      STR_ARG(str_skip(line, 3)));
        else
            buf_print(&refusal->text, "%.*s\n", STR_ARG(line));
    }
    return true;
}

static void check_refusal(const struct refusal *refusal)
{
    const struct kubeconfig_options options = {.untrusted = str_eq(refusal->kind, STR("secret"))};
    SCOPED(arena) arena = {0};
    SCOPED(rest_config) config = {0};
    const struct str inner = buf_str(&refusal->text);
    struct str text;
    if (str_eq(refusal->kind, STR("cluster")))
        text = arena_print(&arena, WHOLE("%.*s", ""), STR_ARG(inner));
    else if (str_eq(refusal->kind, STR("user")))
        text = arena_print(&arena, USER("%.*s"), STR_ARG(inner));
    else
        text = arena_str(&arena, inner);
    OWNED(error) err = read_text(text.ptr, options, &config);
    CHECK(err != NULL);
    CHECK_EQ(str_from_c(err->message), arena_print(&arena, "invalid configuration: %.*s",
                                                   STR_ARG(buf_str(&refusal->message))));
    CHECK(!str_contains(str_from_c(err->message), STR("planted")));
    CHECK(str_is_empty(config.host));
}

TEST(kubeconfig_refused)
{
    struct str rest = test_data("kubeconfig/refused.txt");
    size_t count = 0;
    for (;; count++) {
        SCOPED(refusal) refusal = {0};
        if (!next_refusal(&rest, &refusal))
            break;
        TEST_CASE("%.*s:%.*s", STR_ARG(refusal.kind), STR_ARG(refusal.name));
        check_refusal(&refusal);
    }
    CHECK(count >= 40);
}

#define EXEC \
    "exec: {apiVersion: client.authentication.k8s.io/v1, command: run, interactiveMode: Never"

TEST(kubeconfig_programs_are_refused_by_whom_they_are_given_to)
{
    const struct kubeconfig_options options = {.untrusted = true, .refused_in = STR("Here")};
    SCOPED(rest_config) config = {0};
    CHECK_FAILS(read_text(USER(EXEC "}"), options, &config), ERROR_FORBIDDEN,
                "ExecProvider is not supported in Here");
    CHECK_FAILS(read_text(USER("auth-provider: {name: gcp}"), options, &config), ERROR_FORBIDDEN,
                "AuthProvider is not supported in Here");
    CHECK_FAILS(read_text(WHOLE("server: 'http://h'", EXEC "}"), options, &config), ERROR_FORBIDDEN,
                "ExecProvider is not supported in Here");
    TEST_CASE("what is wrong otherwise comes first");
    CHECK_FAILS(read_text(USER("exec: {command: run}"), options, &config), ERROR_INVALID,
                "apiVersion");
}

TEST(kubeconfig_of_broken_yaml)
{
    SCOPED(rest_config) config = {0};
    CHECK_FAILS(read_text("{clusters: [", (struct kubeconfig_options){0}, &config), ERROR_INVALID,
                "invalid configuration: ");
}

TEST(kubeconfig_problems_are_bounded)
{
    SCOPED(buf) text = {0};
    SCOPED(rest_config) config = {0};
    buf_add(&text, STR("{users: ["));
    for (int i = 0; i < 1000; i++)
        buf_print(&text, "{name: u%d, user: 1},", i);
    buf_add(&text, STR("]}"));
    OWNED(error) err = kubeconfig_read(buf_str(&text), STR(""), NULL, &config);
    CHECK_CONTAINS(str_from_c(err->message), STR("users[\"u19\"]"));
    CHECK(!str_contains(str_from_c(err->message), STR("users[\"u20\"]")));
    CHECK(str_ends_with(str_from_c(err->message), STR("; and 980 more")));
}

TEST(kubeconfig_servers)
{
    const struct {
        const char *name, *server, *host, *prefix;
    } cases[] = {
        {"plain",               "'https://h:6443'",                  "https://h:6443",     ""        },
        {"a default port",      "'https://h:443'",                   "https://h",          ""        },
        {"a slash at the end",  "'https://h/'",                      "https://h",          ""        },
        {"a path",              "'https://h/k8s/c-1'",               "https://h/k8s/c-1",  "/k8s/c-1"},
        {"a path with slashes", "'https://h/a//'",                   "https://h/a",        "/a"      },
        {"query and fragment",  "'https://h/a?b=c#d'",               "https://h/a",        "/a"      },
        {"an address of IPv6",  "'https://[::1]:6443'",              "https://[::1]:6443", ""        },
        {"upper case",          "'HTTPS://h'",                       "https://h",          ""        },
        {"no TLS",              "'http://h:8080'",                   "http://h:8080",      ""        },
        {"no scheme",           "'h:8080'",                          "http://h:8080",      ""        },
        {"no scheme, but TLS",  "h, insecure-skip-tls-verify: true", "https://h",          ""        },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(arena) arena = {0};
        SCOPED(rest_config) config = {0};
        const struct str text =
            arena_print(&arena, WHOLE("server: %s", "token: t"), cases[i].server);
        CHECK_OK(read_text(text.ptr, (struct kubeconfig_options){0}, &config));
        CHECK_EQ(config.host, str_from_c(cases[i].host));
        CHECK_EQ(config.server.path, str_from_c(cases[i].prefix));
        const bool https = str_starts_with(config.host, STR("https:"));
        CHECK_EQ(config.server.scheme == URL_HTTPS, https);
        CHECK_EQ(config.auth.token, https ? STR("t") : STR(""));
    }
}

TEST(kubeconfig_without_tls_uses_no_credentials)
{
    SCOPED(rest_config) config = {0};
    CHECK_OK(
        read_text(WHOLE("server: 'http://h', certificate-authority: /no, tls-server-name: name",
                        "client-certificate: /no, client-key: /no, tokenFile: /no, as: a, "
                        "auth-provider: {name: gcp}"),
                  (struct kubeconfig_options){.keep_pem = true}, &config));
    CHECK(!config.tls.trust && !config.tls.identity);
    CHECK_EQ(config.tls.server_name, STR(""));
    CHECK_EQ(config.auth.token_file, STR(""));
    CHECK_EQ(config.impersonate.user, STR("a"));
}

TEST(kubeconfig_user_without_a_name)
{
    const struct {
        const char *name, *users, *context, *token;
    } cases[] = {
        {"nobody",                 "[]",                             "cluster: c",           "" },
        {"nobody, and it says so", "[]",                             "user: '', cluster: c", "" },
        {"an entry without one",   "[{name: '', user: {token: t}}]", "user: '', cluster: c", "t"},
        {"not somebody else",      "[{name: a, user: {token: t}}]",  "cluster: c",           "" },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(arena) arena = {0};
        SCOPED(rest_config) config = {0};
        const struct str text =
            arena_print(&arena,
                        "{clusters: [{name: c, cluster: {server: 'https://h'}}], users: %s, "
                        "contexts: [{name: x, context: {%s}}], current-context: x}",
                        cases[i].users, cases[i].context);
        CHECK_OK(read_text(text.ptr, (struct kubeconfig_options){0}, &config));
        CHECK_EQ(config.auth.token, str_from_c(cases[i].token));
    }
}

static const char several[] =
    "{clusters: [{name: c1, cluster: {server: 'https://one'}},"
    " {name: c2, cluster: {server: 'https://two'}}],"
    "users: [{name: u1, user: {token: t1}}, {name: u2, user: {token: t2}}],"
    "contexts: [{name: x1, context: {cluster: c1, user: u1, namespace: n1}},"
    " {name: x2, context: {cluster: c2, user: u2}}], current-context: x1}";

TEST(kubeconfig_overrides)
{
    const struct {
        const char *name, *context, *cluster, *user, *namespace;
        const char *host, *token, *result;
    } cases[] = {
        {"none",        "",   "",   "",   "",   "https://one", "t1", "n1"     },
        {"a context",   "x2", "",   "",   "",   "https://two", "t2", "default"},
        {"a cluster",   "",   "c2", "",   "",   "https://two", "t1", "n1"     },
        {"a user",      "",   "",   "u2", "",   "https://one", "t2", "n1"     },
        {"a namespace", "",   "",   "",   "n2", "https://one", "t1", "n2"     },
        {"all of it",   "x2", "c1", "u1", "n3", "https://one", "t1", "n3"     },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%s", cases[i].name);
        SCOPED(rest_config) config = {0};
        const struct kubeconfig_options options = {
            .context = str_from_c(cases[i].context),
            .cluster = str_from_c(cases[i].cluster),
            .user = str_from_c(cases[i].user),
            .namespace = str_from_c(cases[i].namespace),
        };
        CHECK_OK(read_text(several, options, &config));
        CHECK_EQ(config.host, str_from_c(cases[i].host));
        CHECK_EQ(config.auth.token, str_from_c(cases[i].token));
        CHECK_EQ(config.namespace, str_from_c(cases[i].result));
    }
}

TEST(kubeconfig_overrides_that_do_not_exist)
{
    SCOPED(rest_config) config = {0};
    CHECK_FAILS(read_text(several, (struct kubeconfig_options){.context = STR("x3")}, &config),
                ERROR_INVALID, "invalid configuration: context \"x3\" not found");
    CHECK_FAILS(
        read_text(several, (struct kubeconfig_options){.cluster = STR("c3"), .user = STR("u3")},
                  &config),
        ERROR_INVALID, "invalid configuration: cluster \"c3\" not found; user \"u3\" not found");
    TEST_CASE("a cluster alone will do");
    CHECK_OK(read_text("{clusters: [{name: c, cluster: {server: 'https://h'}}]}",
                       (struct kubeconfig_options){.cluster = STR("c")}, &config));
    CHECK_EQ(config.host, STR("https://h"));
}

TEST(kubeconfig_everything_about_a_user)
{
    SCOPED(rest_config) config = {0};
    CHECK_OK(
        read_text(WHOLE("server: 'https://h', tls-server-name: name, disable-compression: true, "
                        "insecure-skip-tls-verify: true, proxy-url: 'http://a:b@p:3128'",
                        "username: joe, password: secret, as: jane, as-uid: '7', "
                        "as-groups: [g1, g2], as-user-extra: {scopes: [s1, s2], none: []}"),
                  (struct kubeconfig_options){.untrusted = true}, &config));
    CHECK_EQ(config.tls.server_name, STR("name"));
    CHECK(config.tls.skip_verify && config.disable_compression && config.has_proxy);
    CHECK_EQ(config.proxy.host, STR("p"));
    CHECK_EQ(config.proxy.port, 3128);
    CHECK_EQ(config.proxy.password, STR("b"));
    CHECK_EQ(config.auth.username, STR("joe"));
    CHECK_EQ(config.auth.password, STR("secret"));
    const struct rest_impersonation *as = &config.impersonate;
    CHECK_EQ(as->user, STR("jane"));
    CHECK_EQ(as->uid, STR("7"));
    CHECK_EQ(as->group_count, 2);
    CHECK_EQ(as->groups[1], STR("g2"));
    CHECK_EQ(as->extra_count, 2);
    CHECK_EQ(as->extra[0].key, STR("scopes"));
    CHECK_EQ(as->extra[0].value_count, 2);
    CHECK_EQ(as->extra[0].values[1], STR("s2"));
    CHECK_EQ(as->extra[1].value_count, 0);
}

TEST(kubeconfig_everything_about_exec)
{
    SCOPED(rest_config) config = {0};
    CHECK_OK(
        read_text(WHOLE("server: 'https://h', extensions: [{name: other, extension: 1}, "
                        "{name: client.authentication.k8s.io/exec, extension: {a: [1]}}]",
                        "exec: {apiVersion: client.authentication.k8s.io/v1, command: bin/run, "
                        "args: [a, b], env: [{name: A, value: one}, {name: B}], "
                        "interactiveMode: Never, provideClusterInfo: true, installHint: hint}"),
                  (struct kubeconfig_options){0}, &config));
    const struct rest_exec *exec = &config.auth.exec;
    CHECK_EQ(exec->command, STR("/dir/bin/run"));
    CHECK_EQ(exec->arg_count, 2);
    CHECK_EQ(exec->args[1], STR("b"));
    CHECK_EQ(exec->env_count, 2);
    CHECK_EQ(exec->env[0].value, STR("one"));
    CHECK_EQ(exec->env[1].name, STR("B"));
    CHECK_EQ(exec->env[1].value, STR(""));
    CHECK_EQ(exec->mode == REST_EXEC_NEVER, true);
    CHECK_EQ(exec->install_hint, STR("hint"));
    CHECK_EQ(exec->cluster_config, STR("{\"a\":[1]}"));

    TEST_CASE("a token that is written down wins");
    rest_config_done(&config);
    CHECK_OK(read_text(
        USER("token: t, exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: a}"),
        (struct kubeconfig_options){0}, &config));
    CHECK_EQ(config.auth.exec.command, STR(""));
    CHECK_EQ(config.auth.token, STR("t"));
}

/* A kubeconfig as a common tool writes it, and its rest_config. */
static void check_style(const char *name, const char *host, bool certificate, const char *command)
{
    TEST_CASE("%s", name);
    SCOPED(arena) arena = {0};
    SCOPED(rest_config) config = {0};
    const struct str path = arena_print(&arena, "kubeconfig/%s", name);
    CHECK_OK(kubeconfig_read(test_data(path.ptr), STR(""), NULL, &config));
    CHECK_EQ(config.host, str_from_c(host));
    CHECK(config.tls.trust != NULL);
    CHECK_EQ(config.tls.identity != NULL, certificate);
    CHECK_EQ(config.auth.exec.command, str_from_c(command));
    CHECK_EQ(config.tls.key_pem, STR(""));
}

TEST(kubeconfig_styles)
{
    check_style("kind.yaml", "https://127.0.0.1:41233", true, "");
    check_style("k3s.yaml", "https://127.0.0.1:6443", true, "");
    check_style("eks.yaml", "https://0123456789ABCDEF.gr7.eu-west-1.eks.amazonaws.com", false,
                "aws");
    check_style("gke.yaml", "https://203.0.113.17", false, "gke-gcloud-auth-plugin");
    check_style("cluster-api.yaml", "https://10.10.10.10:6443", true, "");
    check_style("envtest.json", "https://127.0.0.1:35091", true, "");
    check_style("kubectl.yaml", "https://lab.example.com:8443/k8s/clusters/c-1", false, "");
}

TEST(kubeconfig_key_of_somebody_else)
{
    struct test_certs certs;
    SCOPED(arena) arena = {0};
    SCOPED(buf) certificate = {0};
    SCOPED(buf) key = {0};
    SCOPED(rest_config) config = {0};
    test_certs_init(&certs, SIM_EPOCH);
    base64_encode(&certificate, buf_str(&certs.client_pem));
    base64_encode(&key, buf_str(&certs.server_key));
    const struct str text =
        arena_print(&arena, USER("client-certificate-data: %s, client-key-data: %s"),
                    buf_c(&certificate), buf_c(&key));
    CHECK_FAILS(
        read_text(text.ptr, (struct kubeconfig_options){0}, &config), ERROR_INVALID,
        "users[\"u\"].user.client-certificate-data: the private key does not belong to the");
    test_certs_done(&certs);
}
