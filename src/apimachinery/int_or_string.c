#include "apimachinery/int_or_string.h"

#include "json/struct_fields.h"

struct error *int_or_string_from_value(const struct json_value *value,
                                       struct int_or_string *ret_value)
{
    int64_t number;
    if (json_type(value) == JSON_STRING) {
        *ret_value = (struct int_or_string){.is_string = true, .text = json_to_str(value)};
        return NULL;
    }
    if (!json_to_int64(value, &number) || number < INT32_MIN || number > INT32_MAX)
        return error_new(ERROR_INVALID, "expected a string or a whole number of 32 bits, found %s",
                         json_type_name(json_type(value)));
    *ret_value = (struct int_or_string){.number = (int32_t)number};
    return NULL;
}

struct error *int_or_string_scale(struct int_or_string value, int32_t total, bool round_up,
                                  int64_t *ret_number)
{
    int64_t percent;
    if (!value.is_string) {
        *ret_number = value.number;
        return NULL;
    }
    if (!str_ends_with(value.text, STR("%")))
        return error_new(ERROR_INVALID, "invalid value for IntOrString: invalid type: string is "
                                        "not a percentage");
    const struct str digits = str_slice(value.text, 0, value.text.len - 1);
    if (!str_to_int64(digits, &percent) || percent < INT32_MIN || percent > INT32_MAX)
        return error_new(ERROR_INVALID, "invalid value for IntOrString: invalid value \"%.*s\"",
                         STR_ARG(value.text));
    const int64_t product = percent * total, remainder = product % 100;
    *ret_number = product / 100; /* towards zero, which is up for what is negative */
    if (round_up && remainder > 0)
        ++*ret_number;
    if (!round_up && remainder < 0)
        --*ret_number;
    return NULL;
}
