#include "apiserver/endpoints/route.h"

#include "apiserver/apiserver_fixture_test.h"

#define REVIEWS "/apis/authorization.k8s.io/v1/subjectaccessreviews"
#define ASK                                                                                    \
    "\"spec\":{\"user\":\"u\",\"resourceAttributes\":{\"verb\":\"get\",\"resource\":\"pods\"," \
    "\"fieldSelector\":{\"requirements\":[{\"key\":\"k\",\"operator\":\"Exists\"}]}}}"

SIM_TEST(a_review_has_owners_of_its_fields)
{
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    CHECK_EQ(apiserver_fixture_call(&fixture, "POST", REVIEWS "?fieldManager=me", "{" ASK "}"),
             201);
    const struct json_value *answer = json_doc_root(fixture.doc);
    const struct json_value *owner = json_path(answer, "metadata.managedFields.0");
    CHECK_EQ(json_count(json_path(answer, "metadata")), (size_t)1);
    CHECK_EQ(json_path_str(owner, "manager"), STR("me"));
    CHECK_EQ(json_path_str(owner, "operation"), STR("Update"));
    CHECK(json_path(owner, "fieldsV1.f:spec.f:resourceAttributes.f:verb") != NULL);
    CHECK(json_path(owner, "fieldsV1.f:status") == NULL);
    CHECK_EQ(apiserver_fixture_text(&fixture, "status.evaluationError"),
             STR("spec.resourceAttributes.fieldSelector ignored due to parse error"));
}

SIM_TEST(a_review_has_no_owners_of_what_is_wiped)
{
    static const char *const metadata[] = {
        "{\"managedFields\":[{}]}",
        "{\"managedFields\":[]}",
        "{\"deletionTimestamp\":\"2020-01-01T00:00:00Z\",\"deletionGracePeriodSeconds\":1}",
        "{\"uid\":\"u\",\"creationTimestamp\":\"2020-01-01T00:00:00Z\",\"selfLink\":\"/x\"}",
    };
    SCOPED(apiserver_fixture) fixture;
    apiserver_fixture_init(&fixture);
    CHECK_OK(apiserver_fixture_start(&fixture));
    for (size_t i = 0; i < COUNT(metadata); i++) {
        char body[512];
        TEST_CASE("%s", metadata[i]);
        snprintf(body, sizeof(body), "{\"metadata\":%s," ASK "}", metadata[i]);
        CHECK_EQ(apiserver_fixture_call(&fixture, "POST", REVIEWS, body), 201);
        const struct json_value *answer = json_doc_root(fixture.doc);
        CHECK_EQ(json_count(json_path(answer, "metadata")), (size_t)1);
        CHECK_EQ(json_count(json_path(answer, "metadata.managedFields")), (size_t)1);
        CHECK_EQ(json_count(json_path(answer, "metadata.managedFields.0.fieldsV1")), (size_t)1);
    }
}
