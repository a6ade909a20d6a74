#include "cmd/render_input.h"

#include "clusterresourceset/types/content_resources.h"
#include "cmd/manifest_files.h"

static struct error *add_resources(void *data, struct str text, const char *name)
{
    return content_resources_read(text, str_from_c(name), data);
}

/* A file or folder without any ConfigMap or Secret is most likely a mistake, so it is an error. */
struct error *render_input_read(const char *name, struct content_items *resources)
{
    const struct manifest_reader reader = {add_resources, resources};
    const size_t before = resources->count;
    TRY(manifest_files_read(name, &reader));
    if (resources->count == before)
        return error_new(ERROR_INVALID, "%s: no ConfigMap and no Secret in it", name);
    return NULL;
}
