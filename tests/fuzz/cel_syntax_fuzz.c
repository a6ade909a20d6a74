/* An expression in brackets is one too; what is none has a place where it goes wrong. */
#include "apiserver/crd/cel_syntax.h"
#include "base/buf.h"
#include "fuzz.h"
#include "testing/test.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct str text = {(const char *)data, size};
    struct cel_syntax_error err = {.line = 0}, inner = {.line = 0};
    SCOPED(buf) bracketed = {.limit = 0};
    buf_add_char(&bracketed, '(');
    buf_add(&bracketed, text);
    buf_add(&bracketed, STR("\n)"));
    const bool is_expression = cel_syntax_check(text, &err);
    if (!is_expression)
        CHECK(err.line > 0 && err.column > 0 && err.message);
    if (is_expression && !cel_syntax_check(buf_str(&bracketed), &inner))
        CHECK_EQ(inner.message, "expression is nested too deeply");
    return 0;
}
