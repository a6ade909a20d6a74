#include "cmd/cluster_account.h"

#include "apimachinery/object_list.h"
#include "apimachinery/wellknown.h"
#include "async/fiber.h"
#include "async/loop.h"
#include "base/base64.h"
#include "client/client.h"

#define MANAGER       STR("corset-cluster-add")
#define NAMESPACE     STR("kube-system")
#define TOKEN_TIMEOUT (15 * SECOND)
#define TOKEN_POLL    (250 * MILLISECOND)
#define LABELS        "\"labels\":{\"app.kubernetes.io/managed-by\":\"corset\"}"
#define SELECTOR      STR("app.kubernetes.io/managed-by=corset")
#define TOKEN_TYPE    "kubernetes.io/service-account-token"

#define GVR_SERVICE_ACCOUNTS      GVR("", "v1", "serviceaccounts")
#define GVR_CLUSTER_ROLE_BINDINGS GVR("rbac.authorization.k8s.io", "v1", "clusterrolebindings")

static const char account_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"corset\","
    "\"namespace\":\"kube-system\"," LABELS "}}";

static const char binding_text[] =
    "{\"apiVersion\":\"rbac.authorization.k8s.io/v1\",\"kind\":\"ClusterRoleBinding\","
    "\"metadata\":{\"name\":\"corset\"," LABELS "},\"roleRef\":{\"apiGroup\":"
    "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":\"cluster-admin\"},"
    "\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"corset\",\"namespace\":"
    "\"kube-system\"}]}";

/* The name is made by the server, since the tokens before it stay valid for a while. */
static const char token_text[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"generateName\":\"corset-token-\","
    "\"namespace\":\"kube-system\"," LABELS ",\"annotations\":{"
    "\"kubernetes.io/service-account.name\":\"corset\"}},\"type\":\"" TOKEN_TYPE "\"}";

void cluster_account_done(struct cluster_account *account)
{
    buf_done(&account->secret_name);
    buf_done(&account->token);
}

static struct error *apply_text(struct client *client, struct gvr gvr, const char *text)
{
    OWNED(object) object = NULL;
    const struct client_write_options options = {.field_manager = MANAGER, .force = true};
    TRY(object_read(str_from_c(text), &object));
    return client_apply(client, gvr, object, &options, NULL);
}

/* *ret_is_there false: the controller of the cluster has not filled it in yet. */
static struct error *take_token(const struct object *secret, struct cluster_account *account,
                                bool *ret_is_there)
{
    const struct str data = json_to_str(object_path(secret, "data.token"));
    *ret_is_there = data.len != 0;
    if (!data.len)
        return NULL;
    account->token.secret = true;
    buf_add(&account->secret_name, object_name(secret));
    return error_wrap(base64_decode(&account->token, data), "read the token of Secret %.*s",
                      STR_ARG(object_name(secret)));
}

static bool is_token(const struct object *secret)
{
    return str_eq(json_to_str(object_path(secret, "type")), STR(TOKEN_TYPE));
}

static struct error *list_secrets(struct client *client, struct arena *arena,
                                  struct object_list *ret_list)
{
    const struct client_list_options options = {.label_selector = SELECTOR};
    return client_list_page(client, GVR_SECRETS, NAMESPACE, &options, arena, ret_list);
}

/* Takes a token that was made before, if there is one. */
static struct error *find_token(struct client *client, struct cluster_account *account,
                                bool *ret_is_there)
{
    SCOPED(arena) arena = {0};
    struct object_list list = {0};
    *ret_is_there = false;
    TRY(list_secrets(client, &arena, &list));
    for (size_t i = 0; i < list.count && !*ret_is_there; i++)
        if (is_token(list.items[i]))
            TRY(take_token(list.items[i], account, ret_is_there));
    return NULL;
}

/* The controller of the cluster puts the token into the Secret. */
static struct error *wait_for_token(struct client *client, struct key key,
                                    struct cluster_account *account)
{
    bool is_there = false;
    FIBER_TIMEOUT(TOKEN_TIMEOUT);
    for (;;) {
        OWNED(object) secret = NULL;
        TRY(client_get(client, GVR_SECRETS, key, NULL, &secret));
        TRY(take_token(secret, account, &is_there));
        if (is_there)
            return NULL;
        TRY(fiber_sleep(TOKEN_POLL));
    }
}

static struct error *make_token(struct client *client, struct cluster_account *account)
{
    OWNED(object) wanted = NULL;
    OWNED(object) secret = NULL;
    TRY(object_read(str_from_c(token_text), &wanted));
    TRY(client_create(client, GVR_SECRETS, wanted, NULL, &secret), "make a token");
    struct error *err = wait_for_token(client, object_key(secret), account);
    if (!error_is(err, ERROR_DEADLINE))
        return err;
    error_free(err);
    return error_new(ERROR_TIMEOUT,
                     "the cluster puts no token into Secret kube-system/%.*s; look whether its "
                     "kube-controller-manager runs, then try again",
                     STR_ARG(object_name(secret)));
}

struct error *cluster_account_make(struct client *client, bool is_renewed,
                                   struct cluster_account *account)
{
    bool is_there = false;
    TRY(apply_text(client, GVR_SERVICE_ACCOUNTS, account_text),
        "make ServiceAccount kube-system/corset");
    TRY(apply_text(client, GVR_CLUSTER_ROLE_BINDINGS, binding_text),
        "bind ServiceAccount kube-system/corset to cluster-admin");
    if (!is_renewed)
        TRY(find_token(client, account, &is_there), "look for a token");
    return is_there ? NULL : make_token(client, account);
}

struct error *cluster_account_retire(struct client *client, const struct cluster_account *account)
{
    SCOPED(arena) arena = {0};
    struct object_list list = {0};
    TRY(list_secrets(client, &arena, &list), "look for old tokens");
    for (size_t i = 0; i < list.count; i++) {
        const struct object *secret = list.items[i];
        if (!is_token(secret) || str_eq(object_name(secret), buf_str(&account->secret_name)))
            continue;
        TRY(error_ignore(client_delete(client, GVR_SECRETS, object_key(secret), NULL, NULL),
                         ERROR_NOT_FOUND),
            "delete old token %.*s", STR_ARG(object_name(secret)));
    }
    return NULL;
}
