/*
 * Warnings about the volumes of Pods: plugins that are gone, and files that hide each other.
 *
 * Upstream: k8s.io/kubernetes/pkg/api/pod/warnings.go.
 */
#include "apiserver/registry/kind_warn_internal.h"
#include "base/array.h"
#include "base/memory.h"

/* Each path is compared with all before it. A volume with more is not looked at any further. */
#define PATHS_MAX 1000

static const struct warn_member plugins[] = {
    {"photonPersistentDisk", NULL,        "deprecated in v1.11, non-functional in v1.16+"         },
    {"gitRepo",              NULL,        "deprecated in v1.11, and disabled by default in v1.33+"},
    {"scaleIO",              NULL,        "deprecated in v1.16, non-functional in v1.22+"         },
    {"flocker",              NULL,        "deprecated in v1.22, non-functional in v1.25+"         },
    {"storageos",            "storageOS", "deprecated in v1.22, non-functional in v1.25+"         },
    {"quobyte",              NULL,        "deprecated in v1.22, non-functional in v1.25+"         },
    {"glusterfs",            NULL,        "deprecated in v1.25, non-functional in v1.26+"         },
};

/* These come behind the claim. */
static const struct warn_member late_plugins[] = {
    {"cephfs", NULL, "deprecated in v1.28, non-functional in v1.31+"},
    {"rbd",    NULL, "deprecated in v1.28, non-functional in v1.31+"},
};

static void warn_of_plugin(struct kind_warner *w, const struct json_value *volume, struct str path)
{
    warn_of_members(w, path, volume, plugins, COUNT(plugins));
    warn_of_claim_spec(w, ARENA_JOIN(w->arena, path, STR(".ephemeral.volumeClaimTemplate.spec")),
                       json_path(volume, "ephemeral.volumeClaimTemplate.spec"));
    warn_of_members(w, path, volume, late_plugins, COUNT(late_plugins));
}

/* A file of a volume; source tells in a projected volume where it comes from. */
struct file {
    struct str path, source;
};

struct files {
    struct kind_warner *w;
    struct str volume; /* its name */
    struct str what;   /* ConfigMap "settings" */
    struct file *items;
    size_t count, capacity;
};

static void files_done(struct files *files)
{
    mem_free(files->items);
}

/* Whether one is the other, or a folder in which the other is. */
static bool overlaps(struct str a, struct str b)
{
    const struct str outer = a.len < b.len ? a : b, inner = a.len < b.len ? b : a;
    return str_starts_with(inner, outer) && (inner.len == outer.len || inner.ptr[outer.len] == '/');
}

static struct str show_file(struct kind_warner *w, const struct file *file)
{
    const struct str path = warn_quote(w, file->path);
    return file->source.len ? ARENA_JOIN(w->arena, path, STR(" ("), file->source, STR(")")) : path;
}

static void warn_of_overlap(const struct files *files, const struct file *file,
                            const struct file *other)
{
    json_warn(files->w->warnings,
              arena_print(files->w->arena, "volume %.*s (%.*s): overlapping paths: %.*s with %.*s",
                          STR_ARG(warn_quote(files->w, files->volume)), STR_ARG(files->what),
                          STR_ARG(show_file(files->w, file)), STR_ARG(show_file(files->w, other))));
}

static void add_file(struct files *files, struct str path, struct str source)
{
    while (path.len && path.ptr[path.len - 1] == '/')
        path.len--;
    if (path.len == 0 || files->count == PATHS_MAX)
        return;
    const struct file file = {path, source};
    for (size_t i = 0; i < files->count && files->w->warnings->count < JSON_WARNINGS_MAX; i++)
        if (overlaps(path, files->items[i].path))
            warn_of_overlap(files, &file, &files->items[i]);
    ARRAY_PUSH(files->items, files->count, files->capacity, file);
}

static void add_files(struct files *files, const struct json_value *items, struct str source)
{
    const struct json_value *item;
    JSON_FOREACH (key, item, items)
        add_file(files, json_path_str(item, "path"), source);
}

static struct str named(struct kind_warner *w, const char *what, struct str name)
{
    return ARENA_JOIN(w->arena, str_from_c(what), STR(" "), warn_quote(w, name));
}

/* A volume that is filled from one object. */
static void warn_of_files(struct files *files, const struct json_value *items, struct str what)
{
    files->count = 0;
    files->what = what;
    add_files(files, items, STR(""));
}

static void add_bundle(struct files *files, const struct json_value *bundle)
{
    const struct json_value *name = json_path(bundle, "name");
    add_file(files, json_path_str(bundle, "path"),
             named(files->w, "ClusterTrustBundle",
                   name ? json_to_str(name) : json_path_str(bundle, "signerName")));
}

static void add_certificate(struct files *files, const struct json_value *certificate)
{
    add_file(files, json_path_str(certificate, "certificateChainPath"),
             STR("PodCertificate chain"));
    add_file(files, json_path_str(certificate, "keyPath"), STR("PodCertificate key"));
    add_file(files, json_path_str(certificate, "credentialBundlePath"),
             STR("PodCertificate credential bundle"));
}

/* The first of these that it has counts; validation refuses a second one. */
static void add_source(struct files *files, const struct json_value *source)
{
    struct kind_warner *w = files->w;
    add_files(files, json_path(source, "configMap.items"),
              named(w, "ConfigMap", json_path_str(source, "configMap.name")));
    add_files(files, json_path(source, "secret.items"),
              named(w, "Secret", json_path_str(source, "secret.name")));
    add_files(files, json_path(source, "downwardAPI.items"), STR("DownwardAPI"));
    add_file(files, json_path_str(source, "serviceAccountToken.path"), STR("ServiceAccountToken"));
    if (json_path(source, "clusterTrustBundle"))
        add_bundle(files, json_path(source, "clusterTrustBundle"));
    add_certificate(files, json_path(source, "podCertificate"));
}

static void warn_of_projection(struct files *files, const struct json_value *projected)
{
    const struct json_value *source;
    files->count = 0;
    files->what = STR("Projected");
    JSON_FOREACH (key, source, json_path(projected, "sources")) {
        if (json_count(source))
            add_source(files, source);
        else
            json_warn(files->w->warnings,
                      arena_print(files->w->arena,
                                  "volume %.*s (Projected) has no sources provided",
                                  STR_ARG(warn_quote(files->w, files->volume))));
    }
}

static void warn_of_content(struct files *files, const struct json_value *volume)
{
    struct kind_warner *w = files->w;
    files->volume = json_path_str(volume, "name");
    if (json_path(volume, "configMap.items"))
        warn_of_files(files, json_path(volume, "configMap.items"),
                      named(w, "ConfigMap", json_path_str(volume, "configMap.name")));
    if (json_path(volume, "secret.items"))
        warn_of_files(files, json_path(volume, "secret.items"),
                      named(w, "Secret", json_path_str(volume, "secret.secretName")));
    if (json_path(volume, "downwardAPI.items"))
        warn_of_files(files, json_path(volume, "downwardAPI.items"), STR("DownwardAPI"));
    if (json_path(volume, "projected"))
        warn_of_projection(files, json_path(volume, "projected"));
}

void warn_of_volumes(const struct warn_pod *pod)
{
    const struct json_value *volumes = json_path(pod->spec, "volumes"), *volume;
    const struct str place = ARENA_JOIN(pod->w->arena, pod->prefix, STR("spec.volumes"));
    size_t index = 0;
    if (!volumes)
        return;
    JSON_FOREACH (key, volume, volumes)
        warn_of_plugin(pod->w, volume, warn_path(pod->w, place, index++, ""));
    SCOPED(files) files = {.w = pod->w};
    JSON_FOREACH (key, volume, volumes)
        warn_of_content(&files, volume);
}
