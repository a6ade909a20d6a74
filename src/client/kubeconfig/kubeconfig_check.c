/*
 * Checks of the chosen cluster and user: fields that exclude each other, fields that need another
 * one, values that cannot be used, and, for untrusted kubeconfigs, fields that are not allowed.
 *
 * Every check looks at the entries as they were read and adds its problem with the name of the
 * field, so that a user sees all of them at once. The rules follow the validation of
 * client-go's clientcmd.
 */
#include "apimachinery/validation.h"
#include "client/auth/exec_credential.h"
#include "client/auth/token_text.h"
#include "client/kubeconfig/kubeconfig_internal.h"

/* Where the problems of one entry go. */
struct check {
    struct str place;
    struct problems *problems;
};

/* Takes the error of a field. */
static void report_field(const struct check *check, const char *field, struct error *err)
{
    problems_add_at(check->problems, check->place, field, err);
}

static void reject_both(const struct check *check, bool both, const char *field, const char *other)
{
    if (both)
        report_field(check, field, error_new(ERROR_INVALID, "not together with %s", other));
}

static void require_other(const struct check *check, bool lacking, const char *field,
                          const char *other)
{
    if (lacking)
        report_field(check, field, error_new(ERROR_INVALID, "needs %s", other));
}

static void refuse_field(const struct check *check, bool present, const char *field,
                         const char *what)
{
    if (present)
        report_field(
            check, field,
            error_new(ERROR_INVALID, "%s not supported in a kubeconfig from a Secret", what));
}

static bool has(struct str text)
{
    return !str_is_empty(text);
}

/* Skipping verification together with authorities is a mistake: the authorities would be ignored.
 */
static void check_cluster(const struct kubeconfig_cluster *cluster, bool untrusted,
                          struct problems *problems)
{
    const struct check check = {cluster->entry.place, problems};
    if (!has(cluster->server))
        report_field(&check, "server", error_new(ERROR_INVALID, "required, but absent"));
    reject_both(&check, has(cluster->ca_file) && has(cluster->ca_data), "certificate-authority",
                "certificate-authority-data");
    reject_both(&check, cluster->skip_verify && has(cluster->ca_data), "insecure-skip-tls-verify",
                "certificate-authority-data");
    reject_both(&check, cluster->skip_verify && has(cluster->ca_file), "insecure-skip-tls-verify",
                "certificate-authority");
    refuse_field(&check, untrusted && has(cluster->ca_file), "certificate-authority", "files are");
}

/* The file and the data of a field exclude each other; a certificate needs a key and vice versa. */
static void check_certificate(const struct check *check, const struct kubeconfig_user *user)
{
    const bool certificate = has(user->certificate_file) || has(user->certificate_data);
    const bool key = has(user->key_file) || has(user->key_data);
    const char *field =
        has(user->certificate_data) ? "client-certificate-data" : "client-certificate";
    const char *key_field = has(user->key_data) ? "client-key-data" : "client-key";
    reject_both(check, has(user->certificate_file) && has(user->certificate_data),
                "client-certificate", "client-certificate-data");
    reject_both(check, has(user->key_file) && has(user->key_data), "client-key", "client-key-data");
    require_other(check, certificate && !key, field, "client-key-data or client-key");
    require_other(check, key && !certificate, key_field,
                  "client-certificate-data or client-certificate");
}

/* A token and basic authentication need the same header. */
static void check_token(const struct check *check, const struct kubeconfig_user *user)
{
    const bool basic = has(user->username) || has(user->password);
    reject_both(check, has(user->token) && basic, "token", "username and password");
    reject_both(check, has(user->token_file) && basic, "tokenFile", "username and password");
    require_other(check, has(user->password) && !has(user->username), "password", "username");
    if (has(user->token) && !token_text_is_sendable(user->token))
        report_field(check, "token",
                     error_new(ERROR_INVALID, "holds characters no header may have"));
}

/* uid, groups and extra make sense only together with a user. */
static void check_impersonation(const struct check *check, const struct kubeconfig_user *user)
{
    if (has(user->as.user))
        return;
    require_other(check, has(user->as.uid), "as-uid", "as");
    require_other(check, user->as_groups.count > 0, "as-groups", "as");
    require_other(check, user->as.extra_count > 0, "as-user-extra", "as");
}

/* For a program the text would end at the NUL. */
static void reject_nul(const struct check *check, struct str text, const char *field)
{
    if (str_find_char(text, '\0') != STR_NONE)
        report_field(check, field, error_new(ERROR_INVALID, "holds a NUL"));
}

static void check_exec(const struct check *check, const struct kubeconfig_user *user)
{
    if (!user->exec)
        return;
    const struct rest_exec *plugin = &user->plugin;
    reject_both(check, user->auth_provider != NULL, "exec", "auth-provider");
    if (!has(plugin->command))
        report_field(check, "exec.command", error_new(ERROR_INVALID, "required, but absent"));
    reject_nul(check, plugin->command, "exec.command");
    for (size_t i = 0; i < user->exec_args.count; i++)
        reject_nul(check, user->exec_args.items[i], "exec.args");
    if (!has(plugin->api_version))
        report_field(check, "exec.apiVersion", error_new(ERROR_INVALID, "required, but absent"));
    else if (!exec_credential_version_is_known(plugin->api_version))
        report_field(check, "exec.apiVersion",
                     error_new(ERROR_INVALID,
                               "neither " EXEC_CREDENTIAL_V1 " nor " EXEC_CREDENTIAL_V1BETA1));
    for (size_t i = 0; i < plugin->env_count; i++)
        if (!exec_credential_env_is_valid(&plugin->env[i]))
            report_field(check, "exec.env",
                         error_new(ERROR_INVALID, "%zu: not a valid variable", i));
}

/* v1 requires interactiveMode. v1beta1 is older than the field, so it is optional there. */
static void check_mode(const struct check *check, const struct kubeconfig_user *user)
{
    enum rest_exec_mode mode;
    if (!user->exec)
        return;
    if (has(user->exec_mode) && !exec_credential_read_mode(user->exec_mode, &mode))
        report_field(check, "exec.interactiveMode",
                     error_new(ERROR_INVALID, "none of Never, IfAvailable, Always"));
    if (!has(user->exec_mode) && str_eq(user->plugin.api_version, STR(EXEC_CREDENTIAL_V1)))
        report_field(check, "exec.interactiveMode",
                     error_new(ERROR_INVALID, "required, but absent"));
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
    refuse_field(&check, untrusted && has(user->certificate_file), "client-certificate",
                 "files are");
    refuse_field(&check, untrusted && has(user->key_file), "client-key", "files are");
    refuse_field(&check, untrusted && has(user->token_file), "tokenFile", "files are");
}

/* Used if options->refused_in is empty; otherwise kubeconfig_refuse_programs() decides. */
static void check_programs(const struct kubeconfig_user *user, struct problems *problems)
{
    const struct check check = {user->entry.place, problems};
    refuse_field(&check, user->exec, "exec", "ExecProvider is");
    refuse_field(&check, user->auth_provider, "auth-provider", "AuthProvider is");
}

struct error *kubeconfig_refuse_programs(const struct kubeconfig_choice *choice, struct str where)
{
    const struct kubeconfig_user *user = choice->user;
    if (!user || (!user->exec && !user->auth_provider))
        return NULL;
    return error_new(ERROR_FORBIDDEN, "%s is not supported in %.*s",
                     user->exec ? "ExecProvider" : "AuthProvider", STR_ARG(where));
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
    if (has(choice->namespace) && !validation_is_ok(validation_dns1123_label(choice->namespace)))
        problems_add(problems, error_new(ERROR_INVALID, "namespace: not a DNS label"));
    /* Credentials are sent over https only, so auth-provider is ignored for other servers. */
    if (!untrusted && choice->is_https && choice->user && choice->user->auth_provider)
        problems_add_at(problems, choice->user->entry.place, "auth-provider",
                        error_new(ERROR_INVALID, "not supported, use exec"));
}
