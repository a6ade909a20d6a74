/* What contradicts itself in a chosen cluster and user, and what is not allowed in them. */
#include "client/auth/exec_credential.h"
#include "client/auth/token_text.h"
#include "client/kubeconfig/kubeconfig_internal.h"

struct check {
    struct str place;
    struct problems *problems;
};

/* Takes the error of a field. */
static void wrong(const struct check *check, const char *field, struct error *err)
{
    problems_add_at(check->problems, check->place, field, err);
}

static void not_together(const struct check *check, bool both, const char *field, const char *other)
{
    if (both)
        wrong(check, field, error_new(ERROR_INVALID, "not together with %s", other));
}

static void needs(const struct check *check, bool lacking, const char *field, const char *other)
{
    if (lacking)
        wrong(check, field, error_new(ERROR_INVALID, "needs %s", other));
}

static void refuse(const struct check *check, bool present, const char *field, const char *what)
{
    if (present)
        wrong(check, field,
              error_new(ERROR_INVALID, "%s not supported in a kubeconfig from a Secret", what));
}

static bool has(struct str text)
{
    return !str_is_empty(text);
}

static void check_cluster(const struct kubeconfig_cluster *cluster, bool untrusted,
                          struct problems *problems)
{
    const struct check check = {cluster->entry.place, problems};
    if (!has(cluster->server))
        wrong(&check, "server", error_new(ERROR_INVALID, "required, but absent"));
    not_together(&check, has(cluster->ca_file) && has(cluster->ca_data), "certificate-authority",
                 "certificate-authority-data");
    not_together(&check, cluster->skip_verify && has(cluster->ca_data), "insecure-skip-tls-verify",
                 "certificate-authority-data");
    not_together(&check, cluster->skip_verify && has(cluster->ca_file), "insecure-skip-tls-verify",
                 "certificate-authority");
    refuse(&check, untrusted && has(cluster->ca_file), "certificate-authority", "files are");
}

static void check_certificate(const struct check *check, const struct kubeconfig_user *user)
{
    const bool certificate = has(user->certificate_file) || has(user->certificate_data);
    const bool key = has(user->key_file) || has(user->key_data);
    const char *field =
        has(user->certificate_data) ? "client-certificate-data" : "client-certificate";
    const char *key_field = has(user->key_data) ? "client-key-data" : "client-key";
    not_together(check, has(user->certificate_file) && has(user->certificate_data),
                 "client-certificate", "client-certificate-data");
    not_together(check, has(user->key_file) && has(user->key_data), "client-key",
                 "client-key-data");
    needs(check, certificate && !key, field, "client-key-data or client-key");
    needs(check, key && !certificate, key_field, "client-certificate-data or client-certificate");
}

static void check_token(const struct check *check, const struct kubeconfig_user *user)
{
    const bool basic = has(user->username) || has(user->password);
    not_together(check, has(user->token) && basic, "token", "username and password");
    not_together(check, has(user->token_file) && basic, "tokenFile", "username and password");
    needs(check, has(user->password) && !has(user->username), "password", "username");
    if (has(user->token) && !token_is_sendable(user->token))
        wrong(check, "token", error_new(ERROR_INVALID, "holds characters no header may have"));
}

static void check_impersonation(const struct check *check, const struct kubeconfig_user *user)
{
    if (has(user->as.user))
        return;
    needs(check, has(user->as.uid), "as-uid", "as");
    needs(check, user->as_groups.count > 0, "as-groups", "as");
    needs(check, user->as.extra_count > 0, "as-user-extra", "as");
}

/* A program would see the text end there. */
static void no_nul(const struct check *check, struct str text, const char *field)
{
    if (str_find_char(text, '\0') != STR_NONE)
        wrong(check, field, error_new(ERROR_INVALID, "holds a NUL"));
}

static void check_exec(const struct check *check, const struct kubeconfig_user *user)
{
    if (!user->exec)
        return;
    const struct rest_exec *plugin = &user->plugin;
    not_together(check, user->auth_provider != NULL, "exec", "auth-provider");
    if (!has(plugin->command))
        wrong(check, "exec.command", error_new(ERROR_INVALID, "required, but absent"));
    no_nul(check, plugin->command, "exec.command");
    for (size_t i = 0; i < user->exec_args.count; i++)
        no_nul(check, user->exec_args.items[i], "exec.args");
    if (!has(plugin->api_version))
        wrong(check, "exec.apiVersion", error_new(ERROR_INVALID, "required, but absent"));
    else if (!exec_credential_version_is_known(plugin->api_version))
        wrong(check, "exec.apiVersion",
              error_new(ERROR_INVALID,
                        "neither " EXEC_CREDENTIAL_V1 " nor " EXEC_CREDENTIAL_V1BETA1));
    for (size_t i = 0; i < plugin->env_count; i++)
        if (!exec_credential_env_is_valid(&plugin->env[i]))
            wrong(check, "exec.env", error_new(ERROR_INVALID, "%zu: not a valid variable", i));
}

/* v1 wants it said; v1beta1 came before the field. */
static void check_mode(const struct check *check, const struct kubeconfig_user *user)
{
    enum rest_exec_mode mode;
    if (!user->exec)
        return;
    if (has(user->exec_mode) && !exec_credential_read_mode(user->exec_mode, &mode))
        wrong(check, "exec.interactiveMode",
              error_new(ERROR_INVALID, "none of Never, IfAvailable, Always"));
    if (!has(user->exec_mode) && str_eq(user->plugin.api_version, STR(EXEC_CREDENTIAL_V1)))
        wrong(check, "exec.interactiveMode", error_new(ERROR_INVALID, "required, but absent"));
}

static void check_user(const struct kubeconfig_user *user, bool untrusted,
                       struct problems *problems)
{
    const struct check check = {user->entry.place, problems};
    check_certificate(&check, user);
    check_token(&check, user);
    check_impersonation(&check, user);
    check_exec(&check, user);
    check_mode(&check, user);
    refuse(&check, untrusted && has(user->certificate_file), "client-certificate", "files are");
    refuse(&check, untrusted && has(user->key_file), "client-key", "files are");
    refuse(&check, untrusted && has(user->token_file), "tokenFile", "files are");
}

static void check_programs(const struct kubeconfig_user *user, struct problems *problems)
{
    const struct check check = {user->entry.place, problems};
    refuse(&check, user->exec, "exec", "ExecProvider is");
    refuse(&check, user->auth_provider, "auth-provider", "AuthProvider is");
}

struct error *kubeconfig_refuse_programs(const struct kubeconfig_choice *choice, struct str where)
{
    const struct kubeconfig_user *user = choice->user;
    if (!user || (!user->exec && !user->auth_provider))
        return NULL;
    return error_new(ERROR_FORBIDDEN, "%s is not supported in %.*s",
                     user->exec ? "ExecProvider" : "AuthProvider", STR_ARG(where));
}

static bool is_label_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* RFC 1123, as names of namespaces are. */
static bool is_label(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_label_char(text.ptr[i]) && (text.ptr[i] != '-' || i == 0 || i + 1 == text.len))
            return false;
    return text.len > 0 && text.len <= 63;
}

void kubeconfig_check(const struct kubeconfig_choice *choice,
                      const struct kubeconfig_options *options, struct problems *problems)
{
    const bool untrusted = options->untrusted;
    check_cluster(choice->cluster, untrusted, problems);
    if (choice->user)
        check_user(choice->user, untrusted, problems);
    if (choice->user && untrusted && !has(options->refused_in))
        check_programs(choice->user, problems);
    if (has(choice->namespace) && !is_label(choice->namespace))
        problems_add(problems, error_new(ERROR_INVALID, "namespace: not a DNS label"));
    /* Only https sends credentials, so that is where a way we do not have matters. */
    if (!untrusted && choice->is_https && choice->user && choice->user->auth_provider)
        problems_add_at(problems, choice->user->entry.place, "auth-provider",
                        error_new(ERROR_INVALID, "not supported, use exec"));
}
