#include "cmd/render_input.h"

#include "clusterresourceset/types/content_resources.h"
#include "cmd/manifest_files.h"

struct render_input {
    struct content_items *resources, *policies;
};

static struct error *add_resources(void *data, struct str text, const char *name)
{
    const struct render_input *input = data;
    return content_resources_read(text, str_from_c(name), input->resources, input->policies);
}

struct error *render_input_read(const char *name, struct content_items *resources,
                                struct content_items *policies)
{
    struct render_input input = {resources, policies};
    const struct manifest_reader reader = {add_resources, &input};
    return manifest_files_read(name, &reader);
}
