#include "web/page_fixture_test.h"

#include <stdio.h>

#include "testing/test.h"
#include "web/page.h"

static void add(struct web_facts *facts, enum web_kind kind, struct str text)
{
    OWNED(object) object = NULL;
    CHECK_OK(object_read(text, &object));
    web_facts_add(facts, kind, object);
}

void page_fixture_add_set(struct web_facts *facts, const char *name)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"generation\":1,"
              "\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"spec\":{\"clusterSelector\":{"
              "\"matchLabels\":{\"a\":\"b\"}},\"resources\":[{\"kind\":\"ConfigMap\",\"name\":"
              "\"cm\"}]},\"status\":{\"conditions\":[{\"type\":\"ResourcesApplied\",\"status\":"
              "\"True\",\"observedGeneration\":1,\"reason\":\"Applied\",\"lastTransitionTime\":"
              "\"2026-01-01T00:01:00Z\"}]}}",
              name);
    add(facts, WEB_KIND_SETS, buf_str(&text));
}

void page_fixture_add_cluster(struct web_facts *facts, const char *name)
{
    SCOPED(buf) text = {0};
    buf_print(&text,
              "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"labels\":{\"a\":\"b\",\"env\":"
              "\"prod\"},\"creationTimestamp\":\"2026-01-01T00:00:00Z\"},\"status\":{"
              "\"initialization\":{\"infrastructureProvisioned\":true}}}",
              name);
    add(facts, WEB_KIND_CLUSTERS, buf_str(&text));
}

void page_fixture_add_binding(struct web_facts *facts, const char *cluster, const char *set,
                              const char *why, int second)
{
    SCOPED(buf) text = {0};
    SCOPED(buf) event = {0};
    buf_print(&text,
              "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\"},\"spec\":{\"bindings\":[{"
              "\"clusterResourceSetName\":\"%s\",\"resources\":[{\"kind\":\"ConfigMap\",\"name\":"
              "\"cm\",\"applied\":%s,\"hash\":\"sha256:0123456789abcdef\",\"lastAppliedTime\":"
              "\"2026-01-01T00:05:00Z\"}]}]}}",
              cluster, set, why ? "false" : "true");
    add(facts, WEB_KIND_BINDINGS, buf_str(&text));
    if (!why)
        return;
    buf_print(&event,
              "{\"metadata\":{\"name\":\"%s.%s\",\"namespace\":\"d\"},\"involvedObject\":{"
              "\"kind\":\"Cluster\",\"name\":\"%s\",\"namespace\":\"d\"},\"reason\":"
              "\"ResourcesNotApplied\",\"type\":\"Warning\",\"firstTimestamp\":"
              "\"2026-01-01T00:06:%02dZ\",\"lastTimestamp\":\"2026-01-01T00:06:%02dZ\","
              "\"message\":\"ClusterResourceSet %s: %s\"}",
              cluster, set, cluster, second, second, set, why);
    add(facts, WEB_KIND_CLUSTER_EVENTS, buf_str(&event));
}

void page_fixture_fill(struct web_facts *facts, size_t clusters, size_t failed)
{
    char name[32], why[80];
    page_fixture_add_set(facts, "cni");
    for (size_t i = 0; i < clusters; i++) {
        snprintf(name, sizeof(name), "vc-%04zu", i);
        page_fixture_add_cluster(facts, name);
    }
    for (size_t i = 0; i < clusters; i++) {
        snprintf(name, sizeof(name), "vc-%04zu", i);
        snprintf(why, sizeof(why), "namespaces \\\"n-%zu\\\" not found", i);
        page_fixture_add_binding(facts, name, "cni", i < failed ? why : NULL, (int)(i % 60));
    }
    web_facts_finish(facts);
}

int page_fixture_render(const struct web_facts *facts, const char *target, struct html *html)
{
    SCOPED(arena) arena = {0};
    struct web_query query;
    CHECK_OK(web_query_read(&arena, str_from_c(target), &query));
    const struct web_view view =
        web_view_make(&arena, facts, &(struct web_scope){.is_all = true}, PAGE_NOW);
    return page_render(&view, &query, html);
}
