#include "clusterresourceset/types/bundled_crds.h"

#include "json/json.h"
#include "json/path.h"
#include "json/yaml/manifest.h"
#include "testing/test.h"

TEST(bundled_crds_are_what_their_names_say)
{
    CHECK_EQ(bundled_crd_count(), (size_t)4);
    for (size_t i = 0; i < bundled_crd_count(); i++) {
        const struct bundled_crd definition = bundled_crd(i);
        OWNED(json_doc) doc = NULL;
        TEST_CASE("%.*s", STR_ARG(definition.name));
        CHECK_OK(manifest_read_one(definition.text, NULL, &doc, NULL));
        const struct json_value *root = json_doc_root(doc);
        CHECK_EQ(json_path_str(root, "kind"), STR("CustomResourceDefinition"));
        CHECK_EQ(json_path_str(root, "metadata.name"), definition.name);
    }
}
