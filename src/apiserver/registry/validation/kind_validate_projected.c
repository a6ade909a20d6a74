/*
 * Validation of volumes that show several sources as one, and of files from the downward API.
 *
 * Upstream: validateProjectedVolumeSource() and validateDownwardAPIVolumeFile() in
 * k8s.io/kubernetes/pkg/apis/core/validation/validation.go. Files of the downward API are told of
 * at the path of their list, and paths that occur twice at that of the volume, as there.
 * clusterTrustBundle and podCertificate are not looked at: the features are off.
 */
#include "apiserver/registry/validation/kind_validate_pod_internal.h"

/* In seconds. */
#define TOKEN_MIN 600
#define TOKEN_MAX ((int64_t)1 << 32)

static void validate_downward_file(struct kind_validator *v, const struct json_value *file,
                                   struct str path)
{
    const struct json_value *field = json_path(file, "fieldRef");
    const struct json_value *resource = json_path(file, "resourceFieldRef");
    (void)field_needs(v, file, path, "path");
    validate_inner_path(v, file, path, "path");
    if (field)
        validate_field_ref(v, field, field_path(v, path, "fieldRef"), FIELD_REF_VOLUME);
    if (field && resource)
        field_invalid_text(v, path, NULL, STR("resource"),
                           "fieldRef and resourceFieldRef can not be specified simultaneously");
    else if (resource)
        validate_resource_ref(v, resource, field_path(v, path, "resourceFieldRef"),
                              FIELD_REF_VOLUME);
    else if (!field)
        field_required(v, path, NULL, "one of fieldRef and resourceFieldRef is required");
    validate_file_mode(v, file, path, "mode");
}

void validate_downward_items(struct kind_validator *v, const struct json_value *object,
                             struct str path)
{
    const struct json_value *file;
    JSON_FOREACH (key, file, json_path(object, "items"))
        validate_downward_file(v, file, path);
}

/* A path that was there before, with what upstream quotes. */
static void validate_new_path(struct kind_validator *v, struct map *paths, struct str file,
                              struct str quoted, struct str path)
{
    if (file.len && map_has(paths, file))
        field_invalid_text(v, path, NULL, quoted, "conflicting duplicate paths");
    if (file.len)
        map_put(paths, file, NULL);
}

/* The files of a Secret or ConfigMap. */
static void validate_projected_object(struct kind_validator *v, struct map *paths,
                                      const struct json_value *object, struct str volume,
                                      struct str path)
{
    const struct json_value *item;
    if (!object)
        return;
    (void)field_needs(v, object, path, "name");
    validate_items(v, object, path);
    JSON_FOREACH (key, item, json_path(object, "items"))
        validate_new_path(v, paths, json_path_str(item, "path"), json_path_str(object, "name"),
                          volume);
}

static void validate_projected_fields(struct kind_validator *v, struct map *paths,
                                      const struct json_value *object, struct str volume,
                                      struct str path)
{
    const struct json_value *item;
    validate_downward_items(v, object, path);
    JSON_FOREACH (key, item, json_path(object, "items"))
        validate_new_path(v, paths, json_path_str(item, "path"), json_path_str(item, "path"),
                          volume);
}

static void validate_projected_token(struct kind_validator *v, const struct json_value *token,
                                     struct str volume, struct str path)
{
    const struct json_value *period = json_path(token, "expirationSeconds");
    int64_t seconds = 0;
    if (json_to_int64(period, &seconds) && seconds < TOKEN_MIN)
        field_invalid(v, path, "expirationSeconds", period,
                      "may not specify a duration less than 10 minutes");
    if (seconds > TOKEN_MAX)
        field_invalid(v, path, "expirationSeconds", period,
                      "may not specify a duration larger than 2^32 seconds");
    if (field_needs(v, token, volume, "path"))
        validate_inner_path(v, token, volume, "path");
}

static void validate_projection(struct kind_validator *v, struct map *paths,
                                const struct json_value *source, struct str volume, struct str path)
{
    static const char *const members[] = {"secret", "configMap", "downwardAPI",
                                          "serviceAccountToken"};
    size_t count = 0;
    for (size_t i = 0; i < COUNT(members); i++)
        count += json_path(source, members[i]) != NULL;
    for (size_t i = 0; i < 2; i++)
        validate_projected_object(v, paths, json_path(source, members[i]), volume,
                                  field_path(v, path, members[i]));
    validate_projected_fields(v, paths, json_path(source, members[2]), volume,
                              field_path(v, path, members[2]));
    if (json_path(source, members[3]))
        validate_projected_token(v, json_path(source, members[3]), volume,
                                 field_path(v, path, members[3]));
    if (count > 1)
        field_forbidden(v, path, NULL, "may not specify more than 1 volume type per source");
}

void validate_projected(struct kind_validator *v, const struct json_value *object, struct str path)
{
    SCOPED(map) paths = {.release = NULL};
    const struct str list = field_path(v, path, "sources");
    const struct json_value *source;
    size_t index = 0;
    validate_file_mode(v, object, path, "defaultMode");
    JSON_FOREACH (key, source, json_path(object, "sources"))
        validate_projection(v, &paths, source, path, field_path_index(v, list, index++));
}
