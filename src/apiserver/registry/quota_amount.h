/*
 * How much is used or allowed of a resource of a quota: thousandths, and the format in which a sum
 * is shown. Amounts that do not fit stay at the greatest one.
 */
#pragma once

#include <stdint.h>

#include "apimachinery/quantity.h"
#include "json/json.h"

struct quota_amount {
    int64_t milli;
    enum quantity_format format;
};

struct quota_amount quota_amount_of(int64_t whole);

/* False when the value is no quantity. */
bool quota_amount_read(const struct json_value *value, struct quota_amount *ret_amount);

/* A sum that was nothing takes the format of what is added, as in Kubernetes. */
void quota_amount_add(struct quota_amount *sum, struct quota_amount amount);
void quota_amount_subtract(struct quota_amount *from, struct quota_amount amount);

/* As a canonical quantity: "500m", "252Mi". */
void quota_amount_write(struct buf *out, struct quota_amount amount);
