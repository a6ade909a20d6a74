/* Files of deploy/ that no other tool of ours reads. */
#include "json/json.h"
#include "json/path.h"
#include "testing/test.h"

#define DEPLOY "../../../deploy/"

TEST(the_dashboard_is_json_and_asks_something_in_every_panel)
{
    OWNED(json_doc) doc = NULL;
    const struct json_value *panel;
    CHECK_OK(json_read(test_data(DEPLOY "monitoring/dashboard.json"), &doc));
    const struct json_value *panels = json_path(json_doc_root(doc), "panels");
    CHECK(json_count(panels) > 10);
    JSON_FOREACH (key, panel, panels) {
        TEST_CASE("%.*s", STR_ARG(json_path_str(panel, "title")));
        CHECK(json_path_str(panel, "targets.0.expr").len > 0);
        CHECK_EQ(json_path_str(panel, "datasource.uid"), STR("${datasource}"));
    }
}
