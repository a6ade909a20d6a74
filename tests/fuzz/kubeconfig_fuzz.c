/*
 * Any bytes may be refused; what is accepted, written and read again gives the same config. A
 * kubeconfig from a Secret never reads a file, and what it gives names neither file nor program.
 */
#include "client/kubeconfig/kubeconfig.h"
#include "fuzz.h"
#include "json/compare.h"
#include "json/json.h"
#include "testing/test.h"

/* Files exist, so that what lies behind reading them is reached; none of them is a certificate. */
static struct error *read_any(void *data, struct str path, struct buf *out)
{
    (void)data;
    (void)path;
    buf_add(out, STR("content\n"));
    return NULL;
}

static struct error *read_none(void *data, struct str path, struct buf *out)
{
    (void)data;
    (void)out;
    test_fail(TEST_PLACE("untrusted"), "reads %.*s", STR_ARG(path));
}

static void check_strings(const struct str *a, size_t a_count, const struct str *b, size_t b_count)
{
    CHECK_EQ(a_count, b_count);
    for (size_t i = 0; i < a_count; i++)
        CHECK_EQ(a[i], b[i]);
}

static void check_url(const struct url *a, const struct url *b)
{
    CHECK_EQ((int)a->scheme, (int)b->scheme);
    CHECK_EQ(a->host, b->host);
    CHECK_EQ(a->port, b->port);
    CHECK_EQ(a->path, b->path);
    CHECK_EQ(a->user, b->user);
    CHECK_EQ(a->password, b->password);
    CHECK_EQ(a->has_user, b->has_user);
    CHECK_EQ(a->has_password, b->has_password);
}

static void check_impersonation(const struct rest_impersonation *a,
                                const struct rest_impersonation *b)
{
    CHECK_EQ(a->user, b->user);
    CHECK_EQ(a->uid, b->uid);
    check_strings(a->groups, a->group_count, b->groups, b->group_count);
    CHECK_EQ(a->extra_count, b->extra_count);
    for (size_t i = 0; i < a->extra_count; i++) {
        CHECK_EQ(a->extra[i].key, b->extra[i].key);
        check_strings(a->extra[i].values, a->extra[i].value_count, b->extra[i].values,
                      b->extra[i].value_count);
    }
}

/* As values: the sign of a zero is not kept on the way through YAML. */
static void check_json(struct str a, struct str b)
{
    CHECK_EQ(a.len == 0, b.len == 0);
    if (a.len == 0)
        return;
    OWNED(json_doc) first = NULL;
    OWNED(json_doc) second = NULL;
    CHECK_OK(json_read(a, &first));
    CHECK_OK(json_read(b, &second));
    CHECK(json_equal(json_doc_root(first), json_doc_root(second)));
}

static void check_exec(const struct rest_exec *a, const struct rest_exec *b)
{
    CHECK_EQ(a->command, b->command);
    check_strings(a->args, a->arg_count, b->args, b->arg_count);
    CHECK_EQ(a->env_count, b->env_count);
    for (size_t i = 0; i < a->env_count; i++) {
        CHECK_EQ(a->env[i].name, b->env[i].name);
        CHECK_EQ(a->env[i].value, b->env[i].value);
    }
    CHECK_EQ(a->api_version, b->api_version);
    CHECK_EQ(a->install_hint, b->install_hint);
    CHECK_EQ((int)a->mode, (int)b->mode);
    CHECK_EQ(a->provide_cluster_info, b->provide_cluster_info);
    check_json(a->cluster_config, b->cluster_config);
}

static void check_same(const struct rest_config *a, const struct rest_config *b)
{
    CHECK_EQ(a->host, b->host);
    check_url(&a->server, &b->server);
    CHECK_EQ(a->tls.trust != NULL, b->tls.trust != NULL);
    CHECK_EQ(a->tls.identity != NULL, b->tls.identity != NULL);
    CHECK_EQ(a->tls.server_name, b->tls.server_name);
    CHECK_EQ(a->tls.skip_verify, b->tls.skip_verify);
    CHECK_EQ(a->tls.trust_pem, b->tls.trust_pem);
    CHECK_EQ(a->tls.certificate_pem, b->tls.certificate_pem);
    CHECK_EQ(a->tls.key_pem, b->tls.key_pem);
    CHECK_EQ(a->has_proxy, b->has_proxy);
    if (a->has_proxy)
        check_url(&a->proxy, &b->proxy);
    CHECK_EQ(a->disable_compression, b->disable_compression);
    CHECK_EQ(a->auth.token, b->auth.token);
    CHECK_EQ(a->auth.token_file, b->auth.token_file);
    CHECK_EQ(a->auth.username, b->auth.username);
    CHECK_EQ(a->auth.password, b->auth.password);
    check_exec(&a->auth.exec, &b->auth.exec);
    check_impersonation(&a->impersonate, &b->impersonate);
    CHECK_EQ(a->namespace, b->namespace);
}

static void check_round_trip(const struct rest_config *config,
                             const struct kubeconfig_options *options)
{
    SCOPED(buf) text = {.secret = true};
    SCOPED(rest_config) again = {0};
    kubeconfig_write(&text, STR("name"), config);
    CHECK_OK(kubeconfig_read(buf_str(&text), STR(""), options, &again));
    check_same(config, &again);
}

static void check_text(struct str text, const struct kubeconfig_options *options)
{
    SCOPED(rest_config) config = {0};
    OWNED(error) err = kubeconfig_read(text, STR("/dir"), options, &config);
    if (err) {
        CHECK(str_starts_with(str_from_c(err->message), STR("invalid configuration: ")));
        return;
    }
    if (options->untrusted) {
        CHECK_EQ(config.auth.token_file, STR(""));
        CHECK_EQ(config.auth.exec.command, STR(""));
    }
    check_round_trip(&config, options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    check_text(text, &(struct kubeconfig_options){.keep_pem = true, .read_file = read_any});
    check_text(text, &(struct kubeconfig_options){
                         .keep_pem = true, .untrusted = true, .read_file = read_none});
    return 0;
}
