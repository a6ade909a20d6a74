#include "apiserver/webhooks/webhook_fixture_test.h"

#include "apiserver/webhooks/conversion_fixture_test.h"
#include "base/base64.h"
#include "http/server.h"
#include "net/pki.h"

/* Members of the response, and of the answer beside it. */
struct answer {
    const char *path;
    const char *response; /* NULL: none */
    int status;
};

#define PATCH_TYPE ",'patchType':'JSONPatch'"

/* Patches are in base64 when they are sent. */
static const struct {
    const char *path, *patch;
} patches[] = {
    {"/label/a",  "[{'op':'add','path':'/metadata/labels','value':{'a':'1'}}]"               },
    {"/label/b",  "[{'op':'add','path':'/metadata/labels/b','value':'2'}]"                   },
    {"/data",     "[{'op':'add','path':'/data','value':{'by':'webhook'}}]"                   },
    {"/identity", "[{'op':'add','path':'/metadata/uid','value':'other'},"
                  "{'op':'add','path':'/unknown','value':1}]"               },
    {"/replicas", "[{'op':'replace','path':'/spec/replicas','value':7}]"                     },
    {"/annotate", "[{'op':'add','path':'/metadata/annotations','value':{'by':'webhook'}}]"   },
    {"/remove",   "[{'op':'remove','path':'/spec/selector/absent'}]"                         },
    {"/nopatch",  "{'op':'remove'}"                                                          },
    {"/owners",   "[{'op':'add','path':'/metadata/managedFields','value':[{'manager':'x'}]}]"},
};

static const struct answer answers[] = {
    {"/allow",        "'allowed':true",                                                                    200},
    {"/warn",         "'allowed':true,'warnings':['take care','take more care']",                          200},
    {"/deny",         "'allowed':false",                                                                   200},
    {"/deny/message",
     "'allowed':false,'status':{'message':'not today','code':403,"
     "'reason':'Forbidden','details':{'name':'x'}}",                                                       200},
    {"/deny/code",    "'allowed':false,'status':{'message':'teapot','code':418}",                          200},
    {"/deny/reason",  "'allowed':false,'status':{'reason':'Conflict','code':409}",                         200},
    {"/deny/success", "'allowed':false,'status':{'status':'Success','code':200}",                          200},
    {"/500",          "'allowed':true",                                                                    500},
    {"/404",          "'allowed':true",                                                                    404},
    {"/redirect",     "'allowed':true",                                                                    302},
    {"/patch/type",
     "'allowed':true,'patch':'W3sib3AiOiJhZGQiLCJwYXRoIjoiL2EiLCJ2YWx1ZSI6MX1d','patchType':'MergePatch'",
     200                                                                                                      },
    {"/patch/only",   "'allowed':true,'patch':'W10='",                                                     200},
    {"/patch/bad",    "'allowed':true,'patch':'?'" PATCH_TYPE,                                             200},
    {"/absent",       NULL,                                                                                200},
};

const char *webhook_fixture_json(struct webhook_fixture *fixture, const char *text)
{
    char *copy = (char *)arena_print(&fixture->arena, "%s", text).ptr;
    for (char *c = copy; *c; c++)
        *c = *c == '\'' ? '"' : *c;
    return copy;
}

/* Of the last review, which another one may replace. */
static struct str keep_uid(struct webhook_fixture *fixture)
{
    return arena_str(&fixture->arena, webhook_fixture_reviewed(fixture, "request.uid"));
}

static struct error *send_answer(struct webhook_fixture *fixture, struct http_request *http,
                                 struct str uid, int status, const char *response)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "{'apiVersion':'%.*s','kind':'AdmissionReview'",
              STR_ARG(webhook_fixture_reviewed(fixture, "apiVersion")));
    if (response)
        buf_print(&text, ",'response':{'uid':'%.*s',%s}", STR_ARG(uid), response);
    buf_print(&text, "}");
    return http_request_answer(http, status, STR("application/json"),
                               str_from_c(webhook_fixture_json(fixture, buf_c(&text))));
}

static struct error *send_patch(struct webhook_fixture *fixture, struct http_request *http,
                                const char *patch)
{
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text, "'allowed':true" PATCH_TYPE ",'patch':'");
    base64_encode(&text, str_from_c(webhook_fixture_json(fixture, patch)));
    buf_print(&text, "'");
    return send_answer(fixture, http, keep_uid(fixture), 200, buf_c(&text));
}

/* Answers that do not end, or not soon. */
static struct error *send_huge(struct http_request *http)
{
    SCOPED(buf) piece = {.limit = 0};
    TRY(http_request_respond(http, 200, NULL));
    for (size_t i = 0; i < 64 * KILOBYTE; i++)
        buf_add_char(&piece, ' ');
    for (size_t i = 0; i < 128; i++)
        TRY(http_request_write(http, buf_str(&piece)));
    return NULL;
}

static struct error *misbehave(struct webhook_fixture *fixture, struct http_request *http,
                               struct str path)
{
    if (str_eq(path, STR("/silent")))
        return fiber_sleep(HOUR);
    if (str_eq(path, STR("/hangup"))) {
        http_request_break(http);
        return NULL;
    }
    if (str_eq(path, STR("/huge")))
        return send_huge(http);
    if (str_eq(path, STR("/text")))
        return http_request_answer(http, 200, STR("text/plain"), STR("hello"));
    if (str_eq(path, STR("/uid")))
        return http_request_answer(
            http, 200, STR("application/json"),
            STR("{\"apiVersion\":\"admission.k8s.io/v1\",\"kind\":\"AdmissionReview\","
                "\"response\":{\"uid\":\"another\",\"allowed\":true}}"));
    if (str_eq(path, STR("/hold"))) {
        const struct str uid = keep_uid(fixture);
        fixture->held++;
        TRY(event_wait(&fixture->release, "the test"));
        return send_answer(fixture, http, uid, 200, "'allowed':true");
    }
    return error_new(ERROR_NOT_FOUND, "no such webhook");
}

static struct error *serve_webhook(void *data, struct http_request *http)
{
    struct webhook_fixture *fixture = data;
    SCOPED(buf) body = {.limit = 0};
    struct str query = http_request_target(http), path;
    TRY(http_request_read_all(http, &body));
    json_doc_free(TAKE(fixture->review));
    TRY(json_read(buf_str(&body), &fixture->review));
    CHECK(str_cut(&query, '?', &path));
    CHECK(str_starts_with(query, STR("timeout=")));
    if (fixture->calls.len)
        buf_add_char(&fixture->calls, ' ');
    buf_add(&fixture->calls, path);
    if (str_eq(path, STR("/convert")))
        return conversion_fixture_serve(fixture, http);
    for (size_t i = 0; i < COUNT(answers); i++)
        if (str_eq(path, str_from_c(answers[i].path)))
            return send_answer(fixture, http, keep_uid(fixture), answers[i].status,
                               answers[i].response);
    for (size_t i = 0; i < COUNT(patches); i++)
        if (str_eq(path, str_from_c(patches[i].path)))
            return send_patch(fixture, http, patches[i].patch);
    return misbehave(fixture, http, path);
}

static struct error *listen_at(struct webhook_fixture *fixture, const char *host,
                               struct http_server **ret_server)
{
    const struct http_server_options options = {
        .network = fixture->server.network,
        .host = str_from_c(host),
        .port = WEBHOOK_FIXTURE_PORT,
        .tls = fixture->tls,
        .handler = serve_webhook,
        .data = fixture,
    };
    return http_server_new(loop_current(), &options, ret_server);
}

static void make_certificate(struct webhook_fixture *fixture)
{
    const int64_t now = loop_wall(loop_current());
    const struct str names[] = {STR(WEBHOOK_FIXTURE_HOST), STR("hook.default.svc")};
    OWNED(pki_authority) authority = NULL;
    OWNED(tls_identity) identity = NULL;
    SCOPED(buf) pem = {.limit = 0};
    SCOPED(buf) key = {.secret = true};
    SCOPED(buf) server_pem = {.limit = 0};
    SCOPED(buf) server_key = {.secret = true};
    CHECK_OK(pki_authority_new(STR("webhooks"), now - HOUR, now + 24 * HOUR, &authority));
    CHECK_OK(pki_authority_write(authority, &pem, &key));
    CHECK_OK(pki_issue(authority,
                       &(struct pki_request){.common_name = STR("hook"),
                                             .names = names,
                                             .name_count = COUNT(names),
                                             .server = true,
                                             .not_before = now - HOUR,
                                             .not_after = now + 24 * HOUR},
                       &server_pem, &server_key));
    CHECK_OK(tls_identity_read(buf_str(&server_pem), buf_str(&server_key), &identity));
    CHECK_OK(tls_server_new(&(struct tls_server_options){.identity = identity}, &fixture->tls));
    base64_encode(&fixture->authority, buf_str(&pem));
}

struct error *webhook_fixture_init(struct webhook_fixture *fixture)
{
    *fixture = (struct webhook_fixture){0};
    apiserver_fixture_init(&fixture->server);
    fixture->server.options.webhook_network = fixture->server.network;
    fixture->server.options.cluster_webhook_network = fixture->server.network;
    make_certificate(fixture);
    TRY(listen_at(fixture, WEBHOOK_FIXTURE_HOST, &fixture->http));
    return listen_at(fixture, "other.test", &fixture->misnamed);
}

void webhook_fixture_done(struct webhook_fixture *fixture)
{
    http_server_free(fixture->http);
    http_server_free(fixture->misnamed);
    apiserver_fixture_done(&fixture->server);
    tls_server_free(fixture->tls);
    buf_done(&fixture->authority);
    buf_done(&fixture->calls);
    json_doc_free(fixture->review);
    arena_done(&fixture->arena);
}

int webhook_fixture_call(struct webhook_fixture *fixture, const char *method, const char *target,
                         const char *body)
{
    return apiserver_fixture_call(&fixture->server, method, target,
                                  webhook_fixture_json(fixture, body));
}

struct error *webhook_fixture_try_configure(struct webhook_fixture *fixture, const char *type,
                                            const char *name, const char *path, const char *more,
                                            int *ret_status)
{
    const bool is_mutating = strcmp(type, "Mutating") == 0;
    SCOPED(buf) text = {.limit = 0};
    buf_print(&text,
              "{'apiVersion':'admissionregistration.k8s.io/v1','kind':'%sWebhookConfiguration',"
              "'metadata':{'name':'%s'},'webhooks':[{'name':'%s.test.io','clientConfig':{'url':'",
              type, name, name);
    if (path[0] == '/')
        buf_print(&text, "https://" WEBHOOK_FIXTURE_HOST ":%d", WEBHOOK_FIXTURE_PORT);
    buf_print(&text,
              "%s','caBundle':'%.*s'},'admissionReviewVersions':['v1'],'sideEffects':'None',"
              "'rules':[{'apiGroups':[''],'apiVersions':['v1'],'resources':['configmaps'],"
              "'operations':['*']}]%s%s}]}",
              path, STR_ARG(buf_str(&fixture->authority)), *more ? "," : "", more);
    return apiserver_fixture_try(
        &fixture->server, "POST",
        is_mutating ? STR("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations")
                    : STR("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"),
        "application/json", str_from_c(webhook_fixture_json(fixture, buf_c(&text))), ret_status);
}

void webhook_fixture_configure(struct webhook_fixture *fixture, const char *type, const char *name,
                               const char *path, const char *more)
{
    int status = 0;
    CHECK_OK(webhook_fixture_try_configure(fixture, type, name, path, more, &status));
    if (status != 201)
        test_fail(TEST_PLACE(name), "%d: %.*s", status, STR_ARG(buf_str(&fixture->server.answer)));
}

struct str webhook_fixture_reviewed(const struct webhook_fixture *fixture, const char *path)
{
    return json_path_str(json_doc_root(fixture->review), path);
}

void webhook_fixture_await_held(const struct webhook_fixture *fixture, size_t count)
{
    for (int i = 0; i < 100 && fixture->held < count; i++)
        CHECK_OK(fiber_sleep(10 * MILLISECOND));
    CHECK_EQ(fixture->held, count);
}
