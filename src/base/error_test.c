#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "base/memory.h"
#include "testing/test.h"

static struct error *fails(void)
{
    return error_new(ERROR_NOT_FOUND, "secret \"%s\" not found", "a/b");
}

static struct error *passes_up(void)
{
    TRY(fails(), "read kubeconfig of %s", "c1");
    return NULL;
}

TEST(error_context_stands_in_front)
{
    OWNED(error) err = passes_up();
    CHECK(error_is(err, ERROR_NOT_FOUND));
    CHECK_EQ((const char *)err->message, "read kubeconfig of c1: secret \"a/b\" not found");
}

TEST(error_join_keeps_the_first_code)
{
    OWNED(error) err = error_join(error_new(ERROR_CONFLICT, "a"), error_new(ERROR_GONE, "b"));
    CHECK(error_is(err, ERROR_CONFLICT));
    CHECK_EQ((const char *)err->message, "a; b");
    CHECK(error_join(NULL, NULL) == NULL);
    CHECK_ERROR(error_join(NULL, error_new(ERROR_GONE, "b")), ERROR_GONE);
}

TEST(error_ignore_frees_only_its_code)
{
    CHECK(error_ignore(error_new(ERROR_GONE, "x"), ERROR_GONE) == NULL);
    CHECK_ERROR(error_ignore(error_new(ERROR_GONE, "x"), ERROR_CONFLICT), ERROR_GONE);
}

TEST(error_long_messages_are_cut)
{
    OWNED_PTR char *text = mem_alloc_zero(2 * ERROR_MESSAGE_MAX);
    for (size_t i = 0; i + 2 < 2 * ERROR_MESSAGE_MAX; i += 2)
        memcpy(text + i, "\xc3\xa9", 2);
    OWNED(error) err = error_new(ERROR_INTERNAL, "x%s", text);
    CHECK(strlen(err->message) <= ERROR_MESSAGE_MAX);
    CHECK(str_is_utf8(str_from_c(err->message)));
    CHECK(str_ends_with(str_from_c(err->message), STR("…")));
}

TEST(error_from_errno_names_the_cause)
{
    CHECK_FAILS(error_from_errno(ECONNREFUSED, "connect to %s", "h:1"), ERROR_UNREACHABLE,
                "connect to h:1: Connection refused");
    CHECK_ERROR(error_from_errno(ENOSPC, "write"), ERROR_IO);
}

/* The client reads the table one way, the server the other. */
TEST(error_codes_survive_the_wire)
{
    for (enum error_code code = ERROR_BAD_REQUEST; code < ERROR_CODES; code++) {
        TEST_CASE("%s", error_code_name(code).ptr);
        const struct str reason = error_code_reason(code);
        if (reason.len)
            CHECK_EQ((int)error_code_from_reason(reason), (int)code);
        CHECK(error_code_http_status(code) >= 400 && error_code_http_status(code) <= 599);
        CHECK(error_code_name(code).len > 0);
    }
    CHECK_EQ((int)error_code_from_reason(STR("")), (int)ERROR_UNKNOWN);
    CHECK_EQ((int)error_code_from_reason(STR("NoSuchReason")), (int)ERROR_UNKNOWN);
}

TEST(error_codes_from_a_bare_status)
{
    const struct {
        int status;
        enum error_code code;
    } cases[] = {
        {400, ERROR_BAD_REQUEST        },
        {401, ERROR_UNAUTHORIZED       },
        {403, ERROR_FORBIDDEN          },
        {404, ERROR_NOT_FOUND          },
        {409, ERROR_CONFLICT           },
        {410, ERROR_GONE               },
        {429, ERROR_TOO_MANY_REQUESTS  },
        {500, ERROR_INTERNAL           },
        {502, ERROR_INTERNAL           },
        {503, ERROR_SERVICE_UNAVAILABLE},
        {504, ERROR_TIMEOUT            },
        {418, ERROR_UNKNOWN            },
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        TEST_CASE("%d", cases[i].status);
        CHECK_EQ((int)error_code_from_http_status(cases[i].status), (int)cases[i].code);
    }
}
