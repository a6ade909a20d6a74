/*
 * Writes a rest_config as kubeconfig: one cluster, one user and one context. The YAML is written
 * line by line. Each add_ function writes nothing for an empty value, and the key that it gets
 * contains the indentation.
 */
#include <assert.h>

#include "base/base64.h"
#include "base/quote.h"
#include "client/auth/exec_credential.h"
#include "client/kubeconfig/kubeconfig.h"

/*
 * Adds the inside of a double-quoted scalar. JSON has its own quotes and escapes, so only
 * characters that YAML does not allow are escaped in it. Bytes that are not UTF-8 become U+FFFD.
 */
static void add_escaped(struct buf *out, struct str text, bool is_json)
{
    while (text.len) {
        const size_t valid = str_char_len(text), len = valid ? valid : 1;
        const uint32_t code = valid ? str_char_code(str_slice(text, 0, len)) : 0xfffd;
        if (!is_json && (code == '"' || code == '\\'))
            buf_print(out, "\\%c", (char)code);
        else if (code == '\n')
            buf_add(out, STR("\\n"));
        else if (valid && quote_is_printable(code))
            buf_add(out, str_slice(text, 0, len));
        else
            buf_print(out, "\\U%08x", code);
        text = str_skip(text, len);
    }
}

/* Always with quotes, so that no text looks like a number, a boolean or a comment. */
static void add_text(struct buf *out, struct str text)
{
    buf_add_char(out, '"');
    add_escaped(out, text, false);
    buf_add_char(out, '"');
}

/* Adds the line "key: value". */
static void add_line(struct buf *out, const char *key, struct str text)
{
    if (str_is_empty(text))
        return;
    buf_print(out, "%s: ", key);
    add_text(out, text);
    buf_add_char(out, '\n');
}

static void add_data(struct buf *out, const char *key, struct str bytes)
{
    if (str_is_empty(bytes))
        return;
    buf_print(out, "%s: ", key);
    base64_encode(out, bytes);
    buf_add_char(out, '\n');
}

static void add_flag(struct buf *out, const char *key, bool truth)
{
    if (truth)
        buf_print(out, "%s: true\n", key);
}

static void add_items(struct buf *out, const struct str *items, size_t count)
{
    buf_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        buf_add(out, i ? STR(", ") : STR(""));
        add_text(out, items[i]);
    }
    buf_add(out, STR("]\n"));
}

static void add_list(struct buf *out, const char *key, const struct str *items, size_t count)
{
    if (!count)
        return;
    buf_print(out, "%s: ", key);
    add_items(out, items, count);
}

/* The config of exec plugins belongs to the cluster entry, as an extension. */
static void add_cluster(struct buf *out, struct str name, const struct rest_config *config)
{
    SCOPED(buf) proxy = {.secret = true};
    if (config->has_proxy)
        url_write(&config->proxy, &proxy);
    buf_add(out, STR("clusters:\n- name: "));
    add_text(out, name);
    buf_add(out, STR("\n  cluster:\n"));
    add_line(out, "    server", config->host);
    add_data(out, "    certificate-authority-data", config->tls.trust_pem);
    add_flag(out, "    insecure-skip-tls-verify", config->tls.skip_verify);
    add_line(out, "    tls-server-name", config->tls.server_name);
    add_line(out, "    proxy-url", buf_str(&proxy));
    add_flag(out, "    disable-compression", config->disable_compression);
    if (str_is_empty(config->auth.exec.cluster_config))
        return;
    buf_print(out, "    extensions:\n    - name: client.authentication.k8s.io/exec\n");
    buf_add(out, STR("      extension: "));
    add_escaped(out, config->auth.exec.cluster_config, true);
    buf_add_char(out, '\n');
}

static void add_exec(struct buf *out, const struct rest_exec *exec)
{
    if (str_is_empty(exec->command))
        return;
    buf_add(out, STR("    exec:\n"));
    add_line(out, "      apiVersion", exec->api_version);
    add_line(out, "      command", exec->command);
    add_list(out, "      args", exec->args, exec->arg_count);
    if (exec->env_count)
        buf_add(out, STR("      env:\n"));
    for (size_t i = 0; i < exec->env_count; i++) {
        add_line(out, "      - name", exec->env[i].name);
        add_line(out, "        value", exec->env[i].value);
    }
    add_line(out, "      installHint", exec->install_hint);
    add_line(out, "      interactiveMode", exec_credential_mode_name(exec->mode));
    add_flag(out, "      provideClusterInfo", exec->provide_cluster_info);
}

/* as, as-uid, as-groups and as-user-extra. */
static void add_impersonation(struct buf *out, const struct rest_impersonation *as)
{
    add_line(out, "    as", as->user);
    add_line(out, "    as-uid", as->uid);
    add_list(out, "    as-groups", as->groups, as->group_count);
    if (as->extra_count)
        buf_add(out, STR("    as-user-extra:\n"));
    for (size_t i = 0; i < as->extra_count; i++) {
        /* "? key : value", because the short form allows keys of at most 1024 bytes. */
        buf_add(out, STR("      ? "));
        add_text(out, as->extra[i].key);
        buf_add(out, STR("\n      : "));
        add_items(out, as->extra[i].values, as->extra[i].value_count);
    }
}

static void add_user(struct buf *out, struct str name, const struct rest_config *config)
{
    const struct rest_auth *auth = &config->auth;
    buf_add(out, STR("users:\n- name: "));
    add_text(out, name);
    buf_add(out, STR("\n  user:\n"));
    add_data(out, "    client-certificate-data", config->tls.certificate_pem);
    add_data(out, "    client-key-data", config->tls.key_pem);
    add_line(out, "    token", auth->token);
    add_line(out, "    tokenFile", auth->token_file);
    add_line(out, "    username", auth->username);
    add_line(out, "    password", auth->password);
    add_exec(out, &auth->exec);
    add_impersonation(out, &config->impersonate);
}

void kubeconfig_write(struct buf *out, struct str name, const struct rest_config *config)
{
    assert(!str_is_empty(name)); /* an empty name cannot be the current context */
    buf_add(out, STR("apiVersion: v1\nkind: Config\n"));
    add_cluster(out, name, config);
    add_user(out, name, config);
    buf_add(out, STR("contexts:\n- name: "));
    add_text(out, name);
    buf_add(out, STR("\n  context:\n"));
    add_line(out, "    cluster", name);
    add_line(out, "    user", name);
    add_line(out, "    namespace", config->namespace);
    buf_add(out, STR("current-context: "));
    add_text(out, name);
    buf_add(out, STR("\n"));
}
