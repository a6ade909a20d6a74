/* The checks of corset cluster add, in the order in which cluster_add.c calls them. */
#include "cmd/cluster_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "async/fiber.h"
#include "base/duration.h"
#include "client/client.h"
#include "client/discovery/discovery.h"
#include "client/kubeconfig/kubeconfig.h"
#include "json/builder.h"
#include "json/path.h"

#define INPUT_MAX     MEGABYTE
#define REACH_TIMEOUT (15 * SECOND)

/* The oldest version that serves apiextensions.k8s.io/v1 and server-side apply. */
#define OLDEST_MINOR 18

#define GVR_ACCESS_REVIEWS GVR("authorization.k8s.io", "v1", "selfsubjectaccessreviews")

/* The pieces hold credentials, so they are wiped. */
static struct error *read_input(const struct kubeconfig_options *options,
                                struct rest_config *ret_config)
{
    SCOPED(buf) text = {.limit = INPUT_MAX, .secret = true};
    char piece[4096];
    size_t got;
    while ((got = fread(piece, 1, sizeof(piece), stdin)) > 0)
        buf_add(&text, str_from(piece, got));
    explicit_bzero(piece, sizeof(piece));
    TRY(buf_check(&text), "standard input");
    return kubeconfig_read(buf_str(&text), STR(""), options, ret_config);
}

/* A controller elsewhere cannot run the user's programs or read the user's files. */
static struct error *refuse_external_credentials(const struct rest_config *config)
{
    const struct rest_auth *auth = &config->auth;
    if (auth->exec.command.len)
        return error_new(ERROR_INVALID,
                         "the kubeconfig gets its credentials from the program %.*s, which is not "
                         "run for workload clusters; say --create-service-account, which runs it "
                         "once, here, and stores the token of a ServiceAccount instead (see "
                         "docs/howto-cloud-credentials.md)",
                         STR_ARG(auth->exec.command));
    if (auth->token_file.len)
        return error_new(ERROR_INVALID,
                         "the kubeconfig takes its token from the file %.*s, which changes and is "
                         "not there where corset runs; put a token into the kubeconfig itself",
                         STR_ARG(auth->token_file));
    return NULL;
}

struct error *cluster_check_read(const char *file, struct str context, bool may_run,
                                 struct rest_config *ret_config)
{
    const struct kubeconfig_options options = {.context = context, .keep_pem = true};
    const struct kubeconfig_paths paths = {.file = str_from_c(file)};
    if (strcmp(file, "-") == 0)
        TRY(read_input(&options, ret_config));
    else
        TRY(kubeconfig_load(&paths, &options, ret_config));
    return may_run ? NULL : refuse_external_credentials(ret_config);
}

/* Reads the text again as the ClusterCache will, with the rules for untrusted kubeconfigs. */
struct error *cluster_check_write(const struct rest_config *config, struct str name,
                                  struct buf *out, struct rest_config *ret_stored)
{
    const struct kubeconfig_options options = {.untrusted = true};
    kubeconfig_write(out, name, config);
    TRY(buf_check(out));
    return kubeconfig_read(buf_str(out), STR(""), &options, ret_stored);
}

/* Replaces errors that have one likely cause by a sentence about that cause. Takes err. */
static struct error *explain_reach(struct error *err, struct str host)
{
    switch (err ? err->code : ERROR_NONE) {
    case ERROR_NONE:
        return NULL;
    case ERROR_UNAUTHORIZED:
        error_free(err);
        return error_new(ERROR_UNAUTHORIZED,
                         "%.*s does not accept the credentials of the kubeconfig; they may have "
                         "expired",
                         STR_ARG(host));
    case ERROR_DEADLINE:
    case ERROR_TIMEOUT:
        return error_wrap(err, "%.*s does not answer", STR_ARG(host));
    default:
        return error_wrap(err, "%.*s cannot be used", STR_ARG(host));
    }
}

/*
 * /version is open to everyone, so a request that needs authentication follows. Being forbidden is
 * fine here: permissions are checked later.
 */
static struct error *ask_version(struct client *client, struct arena *arena,
                                 struct str *ret_version)
{
    FIBER_TIMEOUT(REACH_TIMEOUT);
    TRY(discovery_server_version(client, arena, ret_version));
    SCOPED(buf) body = {.limit = 0};
    struct client_raw_answer answer = {0};
    const struct client_raw_request request = {.path = STR("/api/v1"), .no_retry = true};
    return error_ignore(client_raw(client, &request, arena, &body, &answer), ERROR_FORBIDDEN);
}

struct error *cluster_check_reach(struct client *client, struct arena *arena,
                                  struct str *ret_version)
{
    return explain_reach(ask_version(client, arena, ret_version), client_host(client));
}

/* A version that cannot be parsed is accepted. */
struct error *cluster_check_version(struct str version)
{
    char text[32] = {0};
    unsigned major, minor;
    if (version.len >= sizeof(text))
        return NULL;
    memcpy(text, version.ptr, version.len);
    /* NOLINTNEXTLINE(cert-err34-c): what cannot be read is not old */
    if (sscanf(text, "v%u.%u", &major, &minor) != 2 || major > 1 || minor >= OLDEST_MINOR)
        return NULL;
    return error_new(ERROR_INVALID,
                     "the cluster runs Kubernetes %.*s, which is too old: v1.%d or later is needed",
                     STR_ARG(version), OLDEST_MINOR);
}

/* A sample of what add-ons consist of. A user with these permissions usually has the others. */
static const struct permission {
    const char *verb, *group, *resource;
    const char *name; /* for people; rows of one name stand together */
} permissions[] = {
    {"create", "",                          "namespaces",                "namespaces"               },
    {"patch",  "",                          "namespaces",                "namespaces"               },
    {"create", "apiextensions.k8s.io",      "customresourcedefinitions", "CustomResourceDefinitions"},
    {"create", "rbac.authorization.k8s.io", "clusterroles",              "ClusterRoles"             },
    {"create", "",                          "configmaps",                "ConfigMaps"               },
    {"get",    "",                          "configmaps",                "ConfigMaps"               },
    {"patch",  "",                          "configmaps",                "ConfigMaps"               },
    {"create", "",                          "secrets",                   "Secrets"                  },
    {"create", "apps",                      "deployments",               "Deployments"              },
    {"create", "apps",                      "daemonsets",                "DaemonSets"               },
};

/* The request of cluster_check_permissions() for one row. */
static struct error *make_review(const struct permission *permission, struct object **ret_object)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    json_builder_object(&builder);
    json_builder_add_str(&builder, "apiVersion", STR("authorization.k8s.io/v1"));
    json_builder_add_str(&builder, "kind", STR("SelfSubjectAccessReview"));
    json_builder_add_object(&builder, "spec");
    json_builder_add_object(&builder, "resourceAttributes");
    json_builder_add_str(&builder, "verb", str_from_c(permission->verb));
    json_builder_add_str(&builder, "group", str_from_c(permission->group));
    json_builder_add_str(&builder, "resource", str_from_c(permission->resource));
    json_builder_end(&builder);
    json_builder_end(&builder);
    json_builder_end(&builder);
    TRY(json_builder_finish(&builder, &doc));
    return object_from_doc(doc, ret_object);
}

/* Asks with a SelfSubjectAccessReview. */
static struct error *check_permission(struct client *client, const struct permission *permission,
                                      bool *ret_may)
{
    OWNED(object) review = NULL;
    OWNED(object) answer = NULL;
    *ret_may = false;
    TRY(make_review(permission, &review));
    TRY(client_create(client, GVR_ACCESS_REVIEWS, review, NULL, &answer));
    json_to_bool(object_path(answer, "status.allowed"), ret_may);
    return NULL;
}

/* Collects all kinds that are not allowed, so that the user sees them at once. */
struct error *cluster_check_permissions(struct client *client)
{
    SCOPED(buf) lacking = {.limit = 0};
    const char *last = "";
    size_t count = 0;
    FIBER_TIMEOUT(REACH_TIMEOUT);
    for (size_t i = 0; i < COUNT(permissions); i++) {
        bool allowed;
        TRY(check_permission(client, &permissions[i], &allowed),
            "ask what the user of the kubeconfig may do");
        if (allowed || strcmp(last, permissions[i].name) == 0)
            continue;
        last = permissions[i].name;
        buf_print(&lacking, "%s%s", count++ ? ", " : "", last);
    }
    if (!count)
        return NULL;
    return error_new(ERROR_FORBIDDEN,
                     "the user of the kubeconfig may not apply %s; give it the ClusterRole "
                     "cluster-admin, or add the cluster with --skip-checks if the sets need less",
                     buf_c(&lacking));
}
