#include "framework/framework_config.h"

#include "testing/test.h"

#define DEFAULTS "{}"

TEST(settings_have_defaults_and_the_own_ones_come_first)
{
    const struct {
        const char *own, *common;
        const char *class_name; /* NULL: refused */
        size_t workers;
        bool is_disabled;
    } cases[] = {
        {DEFAULTS,                                    DEFAULTS,                                 "",   1, false},
        {"{\"classname\":\"a\"}",                     "{\"classname\":\"b\"}",                  "a",  1, false},
        {DEFAULTS,                                    "{\"classname\":\"b\"}",                  "b",  1, false},
        {"{\"max-concurrent-reconciliation\":\"7\"}", DEFAULTS,                                 "",   7, false},
        {DEFAULTS,                                    "{\"web-controller-disabled\":\"true\"}", "",   1, true },
        {DEFAULTS,                                    "{\"db-controller-disabled\":\"true\"}",  "",   1, false},
        {"{\"unheard-of\":\"x\"}",                    DEFAULTS,                                 "",   1, false},
        {"{\"max-concurrent-reconciliation\":\"0\"}", DEFAULTS,                                 NULL, 0, false},
        {"{\"max-concurrent-reconciliation\":\"x\"}", DEFAULTS,                                 NULL, 0, false},
        {"{\"max-concurrent-reconciliation\":7}",     DEFAULTS,                                 NULL, 0, false},
        {"{\"web-controller-disabled\":\"yes\"}",     DEFAULTS,                                 NULL, 0, false},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        OWNED(json_doc) own = NULL;
        OWNED(json_doc) common = NULL;
        struct framework_config config;
        TEST_CASE("%s %s", cases[i].own, cases[i].common);
        CHECK_OK(json_read(str_from_c(cases[i].own), &own));
        CHECK_OK(json_read(str_from_c(cases[i].common), &common));
        struct error *err =
            framework_config_read(json_doc_root(own), json_doc_root(common), STR("web"), &config);
        if (!cases[i].class_name) {
            CHECK_ERROR(err, ERROR_INVALID);
            continue;
        }
        CHECK_OK(err);
        CHECK_EQ(config.class_name, str_from_c(cases[i].class_name));
        CHECK_EQ(config.workers, cases[i].workers);
        CHECK_EQ(config.is_disabled, cases[i].is_disabled);
    }
    struct framework_config config;
    CHECK_OK(framework_config_read(NULL, NULL, STR("web"), &config));
    CHECK_EQ(config.workers, 1);
}
