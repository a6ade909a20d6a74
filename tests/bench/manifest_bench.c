/*
 * YAML manifests to JSON documents, beside the bare event loop of libyaml on the same text in the
 * same run; reading is meant to reach at least 70 % of it. Hostile inputs show their time, too:
 * tests count nodes, people want to see milliseconds.
 */
#include <stdio.h>
#include <time.h>
#include <yaml.h>

#include "base/buf.h"
#include "json/yaml/manifest.h"

void bench_manifest(void);

#define OBJECTS 150
#define SECONDS 1.5

static const char deployment[] = "apiVersion: apps/v1\n"
                                 "kind: Deployment\n"
                                 "metadata:\n"
                                 "  name: web-%d\n"
                                 "  namespace: default\n"
                                 "  labels:\n"
                                 "    app.kubernetes.io/name: web\n"
                                 "    app.kubernetes.io/instance: web-%d\n"
                                 "spec:\n"
                                 "  replicas: 3\n"
                                 "  selector:\n"
                                 "    matchLabels: {app.kubernetes.io/instance: web-%d}\n"
                                 "  template:\n"
                                 "    spec:\n"
                                 "      serviceAccountName: web\n"
                                 "      terminationGracePeriodSeconds: 30\n"
                                 "      containers:\n"
                                 "      - name: server\n"
                                 "        image: registry.example/web/server:v1.20.3\n"
                                 "        args: [\"--listen=:8080\", \"--verbose=2\"]\n"
                                 "        ports:\n"
                                 "        - containerPort: 8080\n"
                                 "          protocol: TCP\n"
                                 "        resources:\n"
                                 "          requests: {cpu: 100m, memory: 64Mi}\n"
                                 "          limits: {memory: 128Mi}\n"
                                 "        readinessProbe:\n"
                                 "          httpGet: {path: /healthz, port: 8080}\n"
                                 "          initialDelaySeconds: 5\n"
                                 "        securityContext:\n"
                                 "          readOnlyRootFilesystem: true\n"
                                 "          runAsUser: 65532\n"
                                 "---\n";

static const char config_map[] = "apiVersion: v1\n"
                                 "kind: ConfigMap\n"
                                 "metadata:\n"
                                 "  name: config-%d\n"
                                 "  namespace: default\n"
                                 "data:\n"
                                 "  plugin.conf: |\n"
                                 "    {\n"
                                 "      \"cniVersion\": \"0.3.1\",\n"
                                 "      \"name\": \"pod-network-%d\",\n"
                                 "      \"plugins\": [{\"type\": \"bridge\", \"mtu\": 1450}]\n"
                                 "    }\n"
                                 "  run.sh: |\n"
                                 "    #!/bin/sh\n"
                                 "    # starts number %d\n"
                                 "    exec /usr/bin/agent --config /etc/agent/plugin.conf \"$@\"\n"
                                 "  mode: \"0644\"\n"
                                 "---\n";

static void make_manifests(struct buf *text)
{
    for (int i = 0; i < OBJECTS; i++) {
        buf_print(text, deployment, i, i, i);
        buf_print(text, config_map, i, i, i);
    }
}

static void make_laughs(struct buf *text)
{
    buf_add(text, STR("a: &a [x,x,x,x,x,x,x,x,x,x]\n"));
    for (int level = 'b'; level <= 'i'; level++) {
        buf_print(text, "%c: &%c [", level, level);
        for (int i = 0; i < 10; i++)
            buf_print(text, "*%c,", level - 1);
        buf_add(text, STR("]\n"));
    }
}

static void make_brackets(struct buf *text)
{
    buf_add(text, STR("a: "));
    for (int i = 0; i < 200000; i++)
        buf_add_char(text, '[');
}

static void read_ours(struct str text)
{
    SCOPED(manifest_list) list = {0};
    error_free(manifest_read(text, NULL, &list, NULL));
}

static void read_events(struct str text)
{
    yaml_parser_t parser;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text.ptr, text.len);
    for (yaml_event_type_t type = YAML_NO_EVENT; type != YAML_STREAM_END_EVENT;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser, &event))
            break;
        type = event.type;
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
}

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double seconds_of(void (*run)(struct str text), struct str text)
{
    const double start = now();
    run(text);
    return now() - start;
}

/*
 * The fastest run of each, taken in turns: both see the same machine, and what other programs do to
 * it shows as little as possible.
 */
static void measure(struct str text, double *ret_events, double *ret_ours)
{
    double events = SECONDS, ours = SECONDS;
    for (const double end = now() + SECONDS; now() < end;) {
        const double events_now = seconds_of(read_events, text);
        const double ours_now = seconds_of(read_ours, text);
        events = events_now < events ? events_now : events;
        ours = ours_now < ours ? ours_now : ours;
    }
    *ret_events = (double)text.len / events / 1e6;
    *ret_ours = (double)text.len / ours / 1e6;
}

static void measure_refusal(const char *name, void (*make)(struct buf *text))
{
    SCOPED(buf) text = {0};
    make(&text);
    printf("manifest: %-16s refused in %.1f ms\n", name,
           seconds_of(read_ours, buf_str(&text)) * 1e3);
}

void bench_manifest(void)
{
    SCOPED(buf) text = {0};
    make_manifests(&text);
    double events, ours;
    measure(buf_str(&text), &events, &ours);
    printf("manifest: %.0f KB to JSON %.1f MB/s, bare events %.1f MB/s, %.0f %%\n",
           (double)text.len / 1e3, ours, events, 100 * ours / events);
    measure_refusal("billion laughs", make_laughs);
    measure_refusal("200,000 brackets", make_brackets);
}
