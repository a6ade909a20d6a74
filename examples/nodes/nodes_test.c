/* Tests of nodes.c in a fake world: without a server, a cluster or the network. */
#include <assert.h>
#include <corset/fake.h>

/* The controller, whose main() is not the one of this program. */
int nodes_main(int argc, char **argv);
#define main nodes_main
#include "nodes.c" /* NOLINT(bugprone-suspicious-include): all of it is static */
#undef main

static const struct corset_id cluster_id = {"cluster.x-k8s.io/v1beta2", "Cluster", "default",
                                            "prod"};

/* A test that needs an object that cannot be made is wrong. */
static void put(struct corset_fake_api *api, const char *text)
{
    struct corset_error *err = corset_fake_put_yaml(api, text);
    assert(!err);
}

/* Runs the controller, and returns what it says of the cluster. */
static const char *count(struct corset_fake *fake)
{
    struct corset_error *err = corset_fake_run(fake, &controller, "default", "prod", NULL);
    assert(!err);
    return corset_object_annotation(corset_fake_get(corset_fake_management(fake), &cluster_id),
                                    ANNOTATION);
}

int main(void)
{
    struct corset_fake *fake = corset_fake_new(NULL);
    struct corset_fake_api *management = corset_fake_management(fake);
    struct corset_fake_api *prod = corset_fake_cluster(fake, "default", "prod");
    put(management, "{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster,"
                    " metadata: {namespace: default, name: prod}}");
    put(prod, "{apiVersion: v1, kind: Node, metadata: {name: n1},"
              " status: {conditions: [{type: Ready, status: 'True'}]}}\n"
              "---\n"
              "{apiVersion: v1, kind: Node, metadata: {name: n2},"
              " status: {conditions: [{type: Ready, status: 'False'}]}}\n");
    assert(strcmp(count(fake), "1") == 0);
    assert(strcmp(count(fake), "1") == 0);
    assert(corset_fake_writes(management) == 1); /* the second run had nothing to say */
    assert(corset_fake_writes(prod) == 0);

    /* A Node that becomes ready leads to its Cluster; one that is alive leads to nothing. */
    const struct corset_id node_id = {"v1", "Node", NULL, "n2"};
    const struct corset_object *old = corset_fake_get(prod, &node_id);
    struct corset_object *now = corset_object_clone(NULL, old);
    struct corset_fake_event event = {"default", "prod", old, now};
    corset_object_set_string(now, "status.conditions.0.lastHeartbeatTime", "2025-01-01T00:00:00Z");
    assert(strcmp(corset_fake_owners(fake, &controller, &event), "") == 0);
    corset_object_set_string(now, "status.conditions.0.status", "True");
    assert(strcmp(corset_fake_owners(fake, &controller, &event), "default/prod") == 0);
    struct corset_error *err = corset_fake_put(prod, now);
    assert(!err);
    assert(strcmp(count(fake), "2") == 0);
    corset_object_free(now);

    corset_fake_set_link(prod, CORSET_FAKE_DISCONNECTED);
    assert(strcmp(count(fake), "unknown") == 0);
    corset_fake_set_link(prod, CORSET_FAKE_CONNECTED);
    assert(strcmp(count(fake), "2") == 0);
    corset_fake_free(fake);
    return 0;
}
