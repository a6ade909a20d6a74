#include "app/cluster_document.h"

void cluster_document_add_spec(struct json_builder *builder, struct str host, uint16_t port)
{
    json_builder_add_object(builder, "spec");
    json_builder_add_object(builder, "controlPlaneEndpoint");
    json_builder_add_str(builder, "host", host);
    json_builder_add_int(builder, "port", port);
    json_builder_end(builder);
    json_builder_end(builder);
}

void cluster_document_add_status(struct json_builder *builder)
{
    json_builder_add_object(builder, "status");
    json_builder_add_object(builder, "initialization");
    json_builder_add_bool(builder, "infrastructureProvisioned", true);
    json_builder_add_bool(builder, "controlPlaneInitialized", true);
    json_builder_end(builder);
    json_builder_add_str(builder, "phase", STR("Provisioned"));
    json_builder_end(builder);
}
