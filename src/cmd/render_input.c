#include "cmd/render_input.h"

#include "clusterresourceset/types/content_resources.h"
#include "cmd/manifest_files.h"

static struct error *add_resources(void *data, struct str text, const char *name)
{
    return content_resources_read(text, str_from_c(name), data);
}

struct error *render_input_read(const char *name, struct content_items *resources)
{
    const struct manifest_reader reader = {add_resources, resources};
    return manifest_files_read(name, &reader);
}
