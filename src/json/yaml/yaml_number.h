/*
 * Numbers as go-yaml reads them from text and as Kubernetes writes them back.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

enum scalar_number_type {
    SCALAR_NONE,
    SCALAR_INT,   /* fits int64 */
    SCALAR_UINT,  /* above int64, fits uint64 */
    SCALAR_FLOAT, /* finite */
};

struct scalar_number {
    enum scalar_number_type type;
    union {
        int64_t int64;
        uint64_t uint64;
        double real;
    };
};

/*
 * Reads a plain scalar that starts with a digit or a sign: decimal, 0x, 0o, 0b and leading-zero
 * octal integers, floats without a base, '_' anywhere. SCALAR_NONE is text, and so is a float that
 * overflows a double. There are no base 60 numbers.
 */
struct scalar_number scalar_number_read(struct str text);

/* Reads a plain scalar that starts with a dot: ".5", ".5e3"; '_' is allowed between digits only. */
struct scalar_number scalar_number_read_fraction(struct str text);

double scalar_number_to_double(struct scalar_number number);

/* JSON text as Go's encoding/json writes it: shortest digits, exponents below 1e-6 and from 1e21.
 */
void scalar_number_write(struct buf *buf, struct scalar_number number);

/* Text of a float that is a mapping key: Go's %g of the value rounded to 32 bits. */
void scalar_number_write_key(struct buf *buf, double real);
