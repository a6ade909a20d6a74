#include "apiserver/registry/quota_amount.h"

struct quota_amount quota_amount_of(int64_t whole)
{
    struct quota_amount amount = {.format = QUANTITY_DECIMAL_SI};
    if (__builtin_mul_overflow(whole, 1000, &amount.milli))
        amount.milli = INT64_MAX;
    return amount;
}

bool quota_amount_read(const struct json_value *value, struct quota_amount *ret_amount)
{
    struct quantity quantity;
    OWNED(error) wrong = quantity_read(json_to_str(value), &quantity);
    if (wrong)
        return false;
    ret_amount->format = quantity.format;
    if (!quantity_milli(&quantity, &ret_amount->milli))
        ret_amount->milli = quantity_sign(&quantity) < 0 ? -INT64_MAX : INT64_MAX;
    return true;
}

void quota_amount_add(struct quota_amount *sum, struct quota_amount amount)
{
    if (sum->milli == 0)
        sum->format = amount.format;
    if (__builtin_add_overflow(sum->milli, amount.milli, &sum->milli))
        sum->milli = amount.milli < 0 ? -INT64_MAX : INT64_MAX;
}

void quota_amount_subtract(struct quota_amount *from, struct quota_amount amount)
{
    amount.milli = -amount.milli;
    quota_amount_add(from, amount);
}

void quota_amount_write(struct buf *out, struct quota_amount amount)
{
    char text[32];
    struct quantity quantity;
    snprintf(text, sizeof(text), "%lldm", (long long)amount.milli);
    error_free(quantity_read(str_from_c(text), &quantity)); /* such a text is a quantity */
    quantity.format = amount.format;
    quantity_write_canonical(out, &quantity);
}
