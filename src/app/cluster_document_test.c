#include "app/cluster_document.h"

#include "testing/test.h"

TEST(cluster_document_is_of_a_cluster_that_is_ready)
{
    SCOPED(json_builder) builder = {0};
    OWNED(json_doc) doc = NULL;
    SCOPED(buf) text = {0};
    json_builder_object(&builder);
    cluster_document_add_spec(&builder, STR("api.test"), 6443);
    cluster_document_add_status(&builder);
    json_builder_end(&builder);
    CHECK_OK(json_builder_finish(&builder, &doc));
    json_write(&text, json_doc_root(doc));
    CHECK_EQ(buf_str(&text),
             STR("{\"spec\":{\"controlPlaneEndpoint\":{\"host\":\"api.test\",\"port\":6443}},"
                 "\"status\":{\"initialization\":{\"infrastructureProvisioned\":true,"
                 "\"controlPlaneInitialized\":true},\"phase\":\"Provisioned\"}}"));
}
