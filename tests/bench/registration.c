#include "registration.h"

#include "api_fixture.h"
#include "apimachinery/object.h"
#include "apimachinery/wellknown.h"
#include "base/base64.h"
#include "base/buf.h"
#include "client/client.h"

static void must(struct error *err)
{
    api_fixture_must(err);
}

static void create(struct client *client, struct gvr gvr, const struct buf *text)
{
    OWNED(object) object = NULL;
    must(buf_check(text));
    must(object_read(buf_str(text), &object));
    must(client_create(client, gvr, object, NULL, NULL));
}

static void create_secret(struct client *client, const struct registration *registration)
{
    SCOPED(buf) text = {.secret = true};
    buf_print(&text,
              "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"type\":\"cluster.x-k8s.io/secret\","
              "\"metadata\":{\"name\":\"%s-kubeconfig\",\"namespace\":\"default\",\"labels\":{"
              "\"cluster.x-k8s.io/cluster-name\":\"%s\"}},\"data\":{\"value\":\"",
              registration->name, registration->name);
    base64_encode(&text, registration->kubeconfig);
    buf_add(&text, STR("\"}}"));
    create(client, GVR_SECRETS, &text);
}

void registration_make(struct client *client, const struct registration *registration)
{
    static const struct str provisioned =
        STR_INIT("{\"status\":{\"initialization\":{\"infrastructureProvisioned\":true,"
                 "\"controlPlaneInitialized\":true},\"phase\":\"Provisioned\"}}");
    const struct key key = {STR("default"), str_from_c(registration->name)};
    SCOPED(buf) text = {.limit = 0};
    create_secret(client, registration);
    buf_print(&text,
              "{\"apiVersion\":\"cluster.x-k8s.io/v1beta2\",\"kind\":\"Cluster\",\"metadata\":{"
              "\"name\":\"%s\",\"namespace\":\"default\",\"labels\":{%s}},\"spec\":{"
              "\"controlPlaneEndpoint\":{\"host\":\"%.*s\",\"port\":%u}}}",
              registration->name, registration->labels, STR_ARG(registration->host),
              registration->port);
    create(client, GVR_CLUSTERS, &text);
    must(client_patch(client, GVR_CLUSTERS, key, CLIENT_PATCH_MERGE, provisioned,
                      &(struct client_write_options){.subresource = STR("status")}, NULL));
}
