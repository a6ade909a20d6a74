/* Credentials that are none, or of somebody else. */
#include "base/base64.h"
#include "hostile/attacks.h"

#define SECRETS "/api/v1/namespaces/vault/secrets"
#define OWN     "/api/v1/namespaces/team/secrets"

struct error *attack_as_nobody(struct hostile_fixture *fixture)
{
    /* clang-format off */
    static const struct hostile_fixture_request refused[] = {
        {.path = "/api"},
        {.path = "/apis"},
        {.path = "/api/v1"},
        {.path = "/openapi/v2"},
        {.path = "/metrics"},
        {.path = "/debug/inject"},
        {.method = "PUT", .path = "/debug/inject", .body = "error=1"},
        {.path = "/api/v1/namespaces"},
        {.path = SECRETS},
        {.path = SECRETS "/crown"},
        {.path = SECRETS "?watch=true"},
        {.method = "POST", .path = SECRETS, .type = "application/json", .body = "{}"},
        {.method = "DELETE", .path = SECRETS},
        {.path = "/apis/rbac.authorization.k8s.io/v1/clusterroles"},
        {.method = "POST",
         .path = "/apis/authorization.k8s.io/v1/subjectaccessreviews",
         .type = "application/json",
         .body = "{\"spec\":{\"user\":\"x\"}}"},
        {.path = "/clusters/vc-0001/api/v1/namespaces"},
        {.path = "/clusters/vc-0001/debug/inject"},
        {.path = "/clusters/"},
        {.path = "/clusters"},
    };
    /* clang-format on */
    /* To nobody; a certificate that is not good is refused everywhere, as kube-apiserver does. */
    static const char *const allowed[] = {"/healthz", "/livez", "/readyz", "/version"};
    struct http_client *const clients[] = {fixture->plain, fixture->impostor};
    for (size_t c = 0; c < COUNT(clients); c++) {
        for (size_t i = 0; i < COUNT(refused); i++)
            TRY(hostile_fixture_refused(clients[c], &refused[i]), c ? "wrong authority" : "nobody");
        for (size_t i = 0; i < COUNT(allowed); i++)
            TRY(hostile_fixture_expect(
                clients[c], &(struct hostile_fixture_request){.path = allowed[i]}, c ? 401 : 200));
    }
    return NULL;
}

/* "header.payload." of a token, with another header or signature. */
static struct str forge(struct hostile_fixture *fixture, const char *header, struct str signature)
{
    SCOPED(buf) encoded = {0};
    struct str rest = fixture->limited, part, payload;
    str_cut(&rest, '.', &part);
    str_cut(&rest, '.', &payload);
    if (header)
        base64_encode_url(&encoded, str_from_c(header));
    else
        buf_add(&encoded, part);
    return arena_print(&fixture->arena, "%.*s.%.*s.%.*s", STR_ARG(buf_str(&encoded)),
                       STR_ARG(payload), STR_ARG(signature));
}

/* The token of the cluster's own account, changed to be another's. */
static struct str promote(struct hostile_fixture *fixture)
{
    SCOPED(buf) payload = {0};
    struct str rest = fixture->limited, head, body;
    str_cut(&rest, '.', &head);
    str_cut(&rest, '.', &body);
    base64_encode_url(&payload, STR("{\"iss\":\"https://kubernetes.default.svc\",\"aud\":"
                                    "[\"https://kubernetes.default.svc\"],\"sub\":"
                                    "\"system:serviceaccount:kube-system:default\","
                                    "\"exp\":99999999999,\"nbf\":0,\"iat\":0}"));
    return arena_print(&fixture->arena, "%.*s.%.*s.%.*s", STR_ARG(head), STR_ARG(buf_str(&payload)),
                       STR_ARG(rest));
}

struct error *attack_with_forged_credentials(struct hostile_fixture *fixture)
{
    struct str signature = fixture->limited, part;
    str_cut(&signature, '.', &part);
    str_cut(&signature, '.', &part);
    char *flipped = (char *)arena_str(&fixture->arena, signature).ptr;
    flipped[signature.len / 2] = flipped[signature.len / 2] == 'A' ? 'B' : 'A';
    char *endless = arena_alloc(&fixture->arena, 50 * KILOBYTE);
    memset(endless, 'a', 50 * KILOBYTE);
    const struct str tokens[] = {
        STR("x"),
        STR("a.b.c"),
        STR("..."),
        str_from(endless, 50 * KILOBYTE),
        forge(fixture, NULL, str_from(flipped, signature.len)),
        forge(fixture, NULL, STR("")),
        forge(fixture, "{\"alg\":\"none\"}", STR("")),
        forge(fixture, "{\"alg\":\"HS256\"}", signature),
        promote(fixture),
        fixture->cluster_limited,
        fixture->clusters[0].auth.token,
    };
    for (size_t i = 0; i < COUNT(tokens); i++) {
        const struct hostile_fixture_request request = {
            .path = "/api/v1/namespaces/team/configmaps", .token = tokens[i]};
        TRY(hostile_fixture_expect(fixture->plain, &request, 401), "token %zu", i);
    }
    static const char *const schemes[] = {
        "Basic YWRtaW46YWRtaW4=", "Bearer", "Bearer ", "bearer\t", "Negotiate x", ""};
    for (size_t i = 0; i < COUNT(schemes); i++) {
        const struct hostile_fixture_request request = {
            .path = SECRETS, .header = "authorization", .value = schemes[i]};
        TRY(hostile_fixture_refused(fixture->plain, &request), "scheme %zu", i);
    }
    return NULL;
}

#define TABLE    "application/json;as=Table;v=v1;g=meta.k8s.io"
#define PARTIAL  "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
#define PARTIALS "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
#define MERGE    "application/merge-patch+json"
#define JSON     "application/json"

/* As the limited account: nothing of this is for it. */
static struct error *check_secret(struct hostile_fixture *fixture,
                                  struct hostile_fixture_request request)
{
    request.token = fixture->limited;
    return hostile_fixture_refused(fixture->plain, &request);
}

static struct error *read_secrets(struct hostile_fixture *fixture)
{
    static const char *const paths[] = {
        SECRETS,
        SECRETS "/",
        SECRETS "/crown",
        SECRETS "/crown/",
        OWN,
        OWN "/crown",
        "/api/v1/secrets",
        "/api/v1/secrets?fieldSelector=metadata.namespace%3Dteam",
        OWN "?fieldSelector=metadata.name%3Dcrown",
        SECRETS "?watch=true",
        SECRETS "?watch=1&resourceVersion=0",
        SECRETS "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
        OWN "?watch=true",
        "/api/v1/watch/secrets",
        "/api/v1/watch/namespaces/team/secrets",
        "/api/v1/watch/namespaces/team/secrets/crown",
        "/api/v1/watch/namespaces/vault/secrets/crown",
        SECRETS "/crown/status",
        SECRETS "/crown/scale",
        SECRETS "/crown/log",
        SECRETS "/crown/proxy/x",
        OWN "/configmaps",
        "/api/v1/namespaces/team/configmaps/../secrets/crown",
        "/api/v1/namespaces/team/configmaps/%2e%2e/secrets/crown",
        "/api/v1/namespaces/team/configmaps/..%2fsecrets%2fcrown",
        "/api/v1/namespaces/team/configmaps%2f..%2fsecrets",
        "/api/v1/namespaces/team/%73ecrets",
        "/api/v1/namespaces/team/secrets%00",
        "/api/v1/namespaces/team/configmaps%00/../secrets",
        "/api/v1/namespaces/team%2Fsecrets/configmaps",
        "/%61pi/v1/secrets",
        "/api/%76%31/secrets",
        "/api//v1/secrets",
        "//api/v1/secrets",
        "/api/v1//secrets",
        "/API/v1/secrets",
        "/api/V1/secrets",
        "/api/v1/Secrets",
        "/api/v1/namespaces/team/secrets;x=configmaps",
        "/api/v1/namespaces/team/configmaps;/../secrets",
        "/api/v1beta1/secrets",
        "/apis//v1/secrets",
        "/apis/core/v1/secrets",
        "/api/v1/namespaces/team/secrets?pretty=true&watch=false&watch=true",
        "/api/v1/namespaces/team/configmaps/secrets",
        "/api/v1/namespaces/vault/configmaps",
        "/api/v1/configmaps",
        "/api/v1/namespaces/team/serviceaccounts",
        "/metrics",
        "/debug/inject",
        "/debug/../api/v1/secrets",
    };
    for (size_t i = 0; i < COUNT(paths); i++)
        TRY(check_secret(fixture, (struct hostile_fixture_request){.path = paths[i]}));
    return NULL;
}

static struct error *read_secrets_in_other_forms(struct hostile_fixture *fixture)
{
    static const struct {
        const char *path, *accept;
    } rows[] = {
        {SECRETS,                         TABLE                                },
        {SECRETS "/crown",                TABLE                                },
        {SECRETS "?includeObject=Object", TABLE                                },
        {SECRETS,                         PARTIALS                             },
        {SECRETS "/crown",                PARTIAL                              },
        {SECRETS "?watch=true",           PARTIAL                              },
        {SECRETS "?watch=true",           TABLE                                },
        {SECRETS,                         "application/vnd.kubernetes.protobuf"},
        {SECRETS,                         "application/yaml"                   },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        TRY(check_secret(fixture, (struct hostile_fixture_request){.path = rows[i].path,
                                                                   .accept = rows[i].accept}));
    return NULL;
}

static struct error *read_secrets_by_other_methods(struct hostile_fixture *fixture)
{
    static const struct {
        const char *method, *path;
    } rows[] = {
        {"HEAD",    SECRETS "/crown"            },
        {"OPTIONS", SECRETS                     },
        {"DELETE",  SECRETS                     },
        {"DELETE",  SECRETS "?dryRun=All"       },
        {"DELETE",  OWN "?dryRun=All"           },
        {"DELETE",  SECRETS "/crown?dryRun=All" },
        {"DELETE",  "/api/v1/secrets?dryRun=All"},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        TRY(check_secret(fixture, (struct hostile_fixture_request){.method = rows[i].method,
                                                                   .path = rows[i].path}));
    return NULL;
}

static struct error *read_secrets_by_headers(struct hostile_fixture *fixture)
{
    static const struct {
        const char *header, *value;
    } rows[] = {
        {"x-http-method-override", "POST"            },
        {"x-remote-user",          "kubernetes-admin"},
        {"x-original-url",         "/healthz"        },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        TRY(check_secret(fixture, (struct hostile_fixture_request){.path = OWN,
                                                                   .header = rows[i].header,
                                                                   .value = rows[i].value}));
    return NULL;
}

static struct error *write_for_secrets(struct hostile_fixture *fixture)
{
    /* clang-format off */
    static const struct {
        const char *method, *path, *type, *body;
    } rows[] = {
        {"POST", OWN, JSON,
         "{\"metadata\":{\"name\":\"crown\"}}"},
        {"PUT", OWN "/crown", JSON,
         "{\"metadata\":{\"name\":\"crown\"}}"},
        {"PUT", OWN "/crown?dryRun=All", JSON,
         "{\"metadata\":{\"name\":\"crown\"}}"},
        {"PATCH", OWN "/crown", MERGE,
         "{}"},
        {"PATCH", OWN "/crown?dryRun=All", MERGE,
         "{}"},
        {"PATCH", OWN "/crown", "application/strategic-merge-patch+json",
         "{}"},
        {"PATCH", OWN "/crown", "application/json-patch+json",
         "[]"},
        {"PATCH", OWN "/crown?fieldManager=x&force=true", "application/apply-patch+yaml",
         "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"crown\"}}"},
        {"POST", "/api/v1/namespaces/team/configmaps", JSON,
         "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"crown\"}}"},
        {"POST", "/api/v1/namespaces/team/configmaps", JSON,
         "{\"metadata\":{\"name\":\"x\",\"namespace\":\"vault\"}}"},
        {"POST", "/api/v1/namespaces/team/serviceaccounts/limited/token", JSON,
         "{\"spec\":{}}"},
        {"POST", "/apis/authentication.k8s.io/v1/tokenreviews", JSON,
         "{\"spec\":{\"token\":\"x\"}}"},
        {"POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/team/roles", JSON,
         "{\"metadata\":{\"name\":\"more\"},\"rules\":[{\"apiGroups\":[\"\"],"
         "\"resources\":[\"secrets\"],\"verbs\":[\"*\"]}]}"},
        {"POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", JSON,
         "{\"metadata\":{\"name\":\"more\"},\"roleRef\":{\"apiGroup\":"
         "\"rbac.authorization.k8s.io\",\"kind\":\"ClusterRole\",\"name\":"
         "\"cluster-admin\"},\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":"
         "\"limited\",\"namespace\":\"team\"}]}"},
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(rows); i++)
        TRY(check_secret(fixture, (struct hostile_fixture_request){.method = rows[i].method,
                                                                   .path = rows[i].path,
                                                                   .type = rows[i].type,
                                                                   .body = rows[i].body}));
    return NULL;
}

struct error *attack_secrets_by_every_path(struct hostile_fixture *fixture)
{
    TRY(read_secrets(fixture));
    TRY(read_secrets_in_other_forms(fixture));
    TRY(read_secrets_by_other_methods(fixture));
    TRY(read_secrets_by_headers(fixture));
    TRY(write_for_secrets(fixture));
    /* And what it may do, it can. */
    const struct hostile_fixture_request own = {.path = "/api/v1/namespaces/team/configmaps",
                                                .token = fixture->limited};
    TRY(hostile_fixture_expect(fixture->plain, &own, 200));
    const struct hostile_fixture_request kept = {.path = SECRETS "/crown"};
    return hostile_fixture_expect(fixture->admin, &kept, 200);
}

struct error *attack_by_impersonation(struct hostile_fixture *fixture)
{
    static const struct {
        const char *header, *value;
    } rows[] = {
        {"impersonate-user",         "kubernetes-admin"                         },
        {"impersonate-user",         "system:admin"                             },
        {"impersonate-user",         "system:serviceaccount:kube-system:default"},
        {"impersonate-group",        "system:masters"                           },
        {"impersonate-uid",          "1"                                        },
        {"impersonate-extra-scopes", "all"                                      },
        {"Impersonate-User",         "system:serviceaccount:team:limited"       },
        {"impersonate-user",         ""                                         },
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct hostile_fixture_request request = {.path = SECRETS "/crown",
                                                        .header = rows[i].header,
                                                        .value = rows[i].value,
                                                        .token = fixture->limited};
        TRY(hostile_fixture_refused(fixture->plain, &request), "%s: %s", rows[i].header,
            rows[i].value);
        struct hostile_fixture_request nobody = request;
        nobody.token = STR("");
        TRY(hostile_fixture_refused(fixture->plain, &nobody), "nobody, %s: %s", rows[i].header,
            rows[i].value);
    }
    return NULL;
}

/* An apply and an update of some kinds make what is not there, for those who may create it. */
struct error *attack_by_changing_what_is_not_there(struct hostile_fixture *fixture)
{
    const struct hostile_fixture_request apply = {
        .method = "PATCH",
        .path = "/api/v1/namespaces/team/configmaps/new?fieldManager=x",
        .type = "application/apply-patch+yaml",
        .body = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"new\"}}",
        .token = fixture->changer,
    };
    const struct hostile_fixture_request update = {
        .method = "PUT",
        .path = "/apis/coordination.k8s.io/v1/namespaces/team/leases/new",
        .type = JSON,
        .body = "{\"metadata\":{\"name\":\"new\"}}",
        .token = fixture->changer,
    };
    TRY(hostile_fixture_expect(fixture->plain, &apply, 403));
    TRY(hostile_fixture_expect(fixture->plain, &update, 403));
    struct hostile_fixture_request allowed = apply;
    allowed.token = fixture->limited;
    TRY(hostile_fixture_expect(fixture->plain, &allowed, 201));
    return hostile_fixture_expect(fixture->plain, &apply, 200); /* what is there may be changed */
}

struct error *attack_other_clusters(struct hostile_fixture *fixture)
{
    static const char *const paths[] = {
        "/api/v1/namespaces/vault/secrets/crown",
        "/api/v1/secrets",
        "/api/v1/secrets?watch=true",
        "/api/v1/namespaces",
        "/apis",
    };
    const struct str first = fixture->clusters[0].auth.token,
                     second = fixture->clusters[1].auth.token;
    const struct str main_account = fixture->limited, account = fixture->cluster_limited;
    struct http_client *const admin = fixture->admin, *const plain = fixture->plain;
    const struct {
        const char *name, *prefix;
        struct http_client *client;
        struct str token;
    } rows[] = {
        {"main's admin, first",     "/clusters/vc-0001",                  admin, STR("")     },
        {"main's admin, second",    "/clusters/vc-0002",                  admin, STR("")     },
        {"main's account, first",   "/clusters/vc-0001",                  plain, main_account},
        {"first's account, main",   "",                                   plain, account     },
        {"first's account, second", "/clusters/vc-0002",                  plain, account     },
        {"first's admin, main",     "",                                   plain, first       },
        {"first's admin, second",   "/clusters/vc-0002",                  plain, first       },
        {"second's admin, first",   "/clusters/vc-0001",                  plain, second      },
        {"up",                      "/clusters/vc-0001/../..",            plain, first       },
        {"up, escaped",             "/clusters/vc-0001/%2e%2e/%2e%2e",    plain, first       },
        {"over",                    "/clusters/vc-0001/../vc-0002",       plain, first       },
        {"inside",                  "/clusters/vc-0001/clusters/vc-0002", plain, first       },
        {"doubled",                 "/clusters//vc-0001",                 plain, first       },
        {"escaped prefix",          "/%63lusters/vc-0001",                plain, first       },
        {"escaped name",            "/clusters/vc-000%31",                plain, second      },
        {"name with a NUL",         "/clusters/vc-0001%00",               plain, first       },
        {"no name",                 "/clusters/",                         plain, first       },
        {"no such cluster",         "/clusters/vc-9999",                  plain, first       },
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t j = 0; j < COUNT(paths); j++) {
            const struct hostile_fixture_request request = {
                .path = arena_print(&fixture->arena, "%s%s", rows[i].prefix, paths[j]).ptr,
                .token = rows[i].token};
            TRY(hostile_fixture_refused(rows[i].client, &request), "%s", rows[i].name);
        }
    const struct hostile_fixture_request own = {
        .path = "/clusters/vc-0001/api/v1/namespaces/vault/secrets",
        .token = fixture->clusters[0].auth.token};
    return hostile_fixture_expect(fixture->plain, &own, 200);
}
