#include "apiserver/webhooks/conversion_review.h"

#include "json/path.h"
#include "testing/test.h"

static struct json_doc *read(const char *text)
{
    SCOPED(buf) json = {.limit = 0};
    struct json_doc *doc = NULL;
    for (const char *c = text; *c; c++)
        buf_add_char(&json, *c == '\'' ? '"' : *c);
    CHECK_OK(json_read(buf_str(&json), &doc));
    return doc;
}

#define OBJECT(version, name)                                                                      \
    "{'apiVersion':'a.io/" version "','kind':'App','metadata':{'name':'" name "','namespace':'d'," \
    "'uid':'u-" name "','labels':{'a':'b'}}}"

#define ANSWER(objects)                                                            \
    "{'kind':'ConversionReview','apiVersion':'apiextensions.k8s.io/v1','response'" \
    ":{'uid':'r','convertedObjects':[" objects "],'result':{'status':'Success'}}}"

static struct error *read_answer(const struct conversion_review *review, const char *text,
                                 struct json_doc **converted)
{
    SCOPED(buf) json = {.limit = 0};
    for (const char *c = text; *c; c++)
        buf_add_char(&json, *c == '\'' ? '"' : *c);
    return conversion_review_read(review, buf_str(&json), converted);
}

TEST(a_conversion_review_asks_and_is_answered)
{
    struct crd_question questions[] = {{.object = read(OBJECT("v1", "a"))},
                                       {.object = read(OBJECT("v1", "b"))}};
    struct conversion_review review = {.version = STR("v1"),
                                       .uid = STR("r"),
                                       .to = GVK("a.io", "v2", "App"),
                                       .questions = questions,
                                       .count = COUNT(questions)};
    struct json_doc *converted[2] = {NULL, NULL};
    SCOPED(buf) text = {.limit = 0};
    OWNED(json_doc) doc = NULL;
    CHECK_OK(conversion_review_write(&review, &text));
    CHECK_OK(json_read(buf_str(&text), &doc));
    const struct json_value *root = json_doc_root(doc);
    CHECK_EQ(json_path_str(root, "apiVersion"), STR("apiextensions.k8s.io/v1"));
    CHECK_EQ(json_path_str(root, "request.desiredAPIVersion"), STR("a.io/v2"));
    CHECK_EQ(json_path_str(root, "request.objects.1.metadata.name"), STR("b"));
    CHECK_OK(read_answer(&review, ANSWER(OBJECT("v2", "a") "," OBJECT("v2", "b")), converted));
    CHECK_EQ(json_path_str(json_doc_root(converted[1]), "metadata.name"), STR("b"));
    for (size_t i = 0; i < COUNT(questions); i++) {
        json_doc_free(converted[i]);
        json_doc_free(questions[i].object);
    }
}

/* One of several objects is named by its index. */
TEST(an_answer_for_several_objects_keeps_their_order)
{
    static const struct {
        const char *answer, *message;
    } cases[] = {
        {ANSWER(OBJECT("v2",                                                        "b") "," OBJECT("v2", "a")),
         "conversion webhook for a.io/v1, Kind=App returned invalid converted object at index 0: "
         "must have the same name: a != b"},
        {ANSWER(OBJECT("v2",                                         "a") "," OBJECT("v1",                                                             "b")),
         "conversion webhook for a.io/v1, Kind=App returned invalid converted object at index 1: "
         "invalid groupVersion (expected a.io/v2, received a.io/v1)"},
        {ANSWER(OBJECT("v2",             "a")),
         "conversion webhook for a.io/v1, Kind=App returned 1 objects, expected 2"},
        {ANSWER(OBJECT("v2",                                                                         "a") ",null"),
         "conversion webhook for a.io/v1, Kind=App returned invalid converted object at index 1: "
         "invalid groupVersion (expected a.io/v2, received )"},
        {ANSWER(OBJECT("v2", "a") ",{'apiVersion':'a.io/v2','kind':'App','metadata':{'name':'b',"
                                  "'namespace':'d','uid':'u-b','annotations':[]}}"),
         "conversion webhook for a.io/v1, Kind=App returned invalid metadata in object at index 1: "
         "invalid metadata.annotations of type []interface {} in converted object"},
        {"[]","conversion webhook for a.io/v1, Kind=App failed: expected webhook response of "
               "apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind="                                           },
    };
    struct crd_question questions[] = {{.object = read(OBJECT("v1", "a"))},
                                       {.object = read(OBJECT("v1", "b"))}};
    const struct conversion_review review = {.version = STR("v1"),
                                             .uid = STR("r"),
                                             .to = GVK("a.io", "v2", "App"),
                                             .questions = questions,
                                             .count = COUNT(questions)};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct json_doc *converted[2] = {NULL, NULL};
        TEST_CASE("%s", cases[i].answer);
        OWNED(error) err = read_answer(&review, cases[i].answer, converted);
        CHECK(err);
        CHECK_EQ(str_from_c(err->message), str_from_c(cases[i].message));
        CHECK_EQ(err->http_status, 500);
        CHECK(!converted[0] && !converted[1]);
    }
    for (size_t i = 0; i < COUNT(questions); i++)
        json_doc_free(questions[i].object);
}
