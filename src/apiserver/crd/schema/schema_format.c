/*
 * Formats of strings (the keyword format).
 *
 * The list is that of Kubernetes: supportedVersionedFormats in
 * k8s.io/apiextensions-apiserver/pkg/apiserver/validation/formats.go. A format that is not in the
 * list is documentation and not checked. Most of these checks come from
 * github.com/asaskevich/govalidator and k8s.io/kube-openapi/pkg/validation/strfmt; they accept what
 * those accept, with the simplifications that the functions name.
 *
 * To add a format: a function bool is_...(struct str text) and a row in formats[], which is sorted
 * by name.
 */
#include <arpa/inet.h>

#include "apiserver/crd/schema/schema_internal.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/duration.h"
#include "base/timestamp.h"

/* Whether all characters of a text are of a class. */
static bool all(struct str text, bool (*is)(char c))
{
    for (size_t i = 0; i < text.len; i++)
        if (!is(text.ptr[i]))
            return false;
    return true;
}

static bool is_date_time(struct str text)
{
    timestamp time;
    /* Lower-case t and z are allowed here, but not by timestamp_read(). */
    char copy[TIMESTAMP_TEXT_MAX];
    if (text.len > sizeof(copy))
        return timestamp_read(text, &time);
    for (size_t i = 0; i < text.len; i++)
        copy[i] = text.ptr[i] == 't' ? 'T' : text.ptr[i] == 'z' ? 'Z' : text.ptr[i];
    return timestamp_read(str_from(copy, text.len), &time);
}

static bool is_date(struct str text)
{
    char copy[] = "0000-00-00T00:00:00Z";
    timestamp time;
    if (text.len != 10)
        return false;
    memcpy(copy, text.ptr, 10);
    return timestamp_read(str_from(copy, sizeof(copy) - 1), &time);
}

/* A Go duration, or a number with a word such as "3 weeks", singular or plural. */
static bool is_duration(struct str text)
{
    static const struct str units[] = {
        STR_INIT("ns"),     STR_INIT("nanosecond"),  STR_INIT("us"),   STR_INIT("microsecond"),
        STR_INIT("ms"),     STR_INIT("millisecond"), STR_INIT("s"),    STR_INIT("sec"),
        STR_INIT("second"), STR_INIT("m"),           STR_INIT("min"),  STR_INIT("minute"),
        STR_INIT("h"),      STR_INIT("hr"),          STR_INIT("hour"), STR_INIT("d"),
        STR_INIT("day"),    STR_INIT("w"),           STR_INIT("wk"),   STR_INIT("week"),
    };
    duration value;
    if (duration_read(text, &value))
        return true;
    size_t digits = 0;
    while (digits < text.len && ascii_is_digit(text.ptr[digits]))
        digits++;
    struct str unit = str_trim(str_skip(text, digits));
    for (size_t i = 0; digits && i < COUNT(units); i++)
        if (str_eq(unit, units[i]) ||
            (unit.len == units[i].len + 1 && unit.ptr[unit.len - 1] == 's' &&
             str_starts_with(unit, units[i])))
            return true;
    return false;
}

static bool is_address(int family, struct str text)
{
    char copy[INET6_ADDRSTRLEN + 1];
    unsigned char address[sizeof(struct in6_addr)];
    if (text.len >= sizeof(copy) || memchr(text.ptr, 0, text.len))
        return false;
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return inet_pton(family, copy, address) == 1;
}

static bool is_ipv4(struct str text)
{
    return text.len && is_address(AF_INET, text);
}

static bool is_ipv6(struct str text)
{
    return text.len && is_address(AF_INET6, text);
}

/* An address and the length of a prefix, without leading zeros. */
static bool is_cidr(struct str text)
{
    struct str bits = text, address;
    uint64_t count;
    if (!str_cut(&bits, '/', &address) || bits.len == 0 || !all(bits, ascii_is_digit) ||
        !str_to_uint64(bits, &count) || (bits.len > 1 && bits.ptr[0] == '0'))
        return false;
    return (is_ipv4(address) && count <= 32) || (is_ipv6(address) && count <= 128);
}

/* Six or eight bytes in hexadecimal, separated throughout by ":" or by "-". */
static bool is_mac(struct str text)
{
    const char separator = text.len > 2 ? text.ptr[2] : 0;
    if ((text.len != 17 && text.len != 23) || (separator != ':' && separator != '-'))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (i % 3 == 2 ? text.ptr[i] != separator : !ascii_is_hex(text.ptr[i]))
            return false;
    return true;
}

/* Hexadecimal digits in groups of 8, 4, 4, 4 and 12. Each dash between groups may be left out. */
static bool is_uuid(struct str text)
{
    size_t digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        const bool edge = digits == 8 || digits == 12 || digits == 16 || digits == 20;
        if (text.ptr[i] == '-' && edge && text.ptr[i - 1] != '-')
            continue;
        if (!ascii_is_hex(text.ptr[i]))
            return false;
        digits++;
    }
    return digits == 32 && text.ptr[text.len - 1] != '-';
}

/* A UUID of a version. Version 3 has no check of the variant digit, as upstream. */
static bool is_uuid_of(struct str text, char version)
{
    char digits[32] = {0};
    size_t count = 0;
    if (!is_uuid(text))
        return false;
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '-')
            digits[count++] = text.ptr[i];
    return digits[12] == version && (version == '3' || memchr("89abAB", digits[16], 6));
}

static bool is_uuid3(struct str text)
{
    return is_uuid_of(text, '3');
}

static bool is_uuid4(struct str text)
{
    return is_uuid_of(text, '4');
}

static bool is_uuid5(struct str text)
{
    return is_uuid_of(text, '5');
}

/* Base64, not empty. */
static bool is_byte(struct str text)
{
    SCOPED(buf) bytes = {.limit = 0};
    OWNED(error) err = base64_decode(&bytes, text);
    return !err && text.len > 0;
}

/* As Go's url.ParseRequestURI(): a scheme, or a path from the root. */
static bool is_uri(struct str text)
{
    struct str rest = text, scheme;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f)
            return false;
    if (text.len && text.ptr[0] == '/')
        return true;
    if (!str_cut(&rest, ':', &scheme) || scheme.len == 0 || ascii_is_digit(scheme.ptr[0]))
        return false;
    for (size_t i = 0; i < scheme.len; i++)
        if (!ascii_is_alphanumeric(scheme.ptr[i]) && !memchr("+-.", scheme.ptr[i], 3))
            return false;
    return rest.len && rest.ptr[0] == '/';
}

/* Labels of letters, digits and dashes, as in RFC 1034. A trailing dot is fine. */
static bool is_hostname(struct str text)
{
    if (text.len == 0 || text.len > 255)
        return false;
    for (struct str label; text.len;) {
        str_cut(&text, '.', &label);
        if (label.len == 0 || label.len > 63 || !ascii_is_alphanumeric(label.ptr[0]) ||
            !ascii_is_alphanumeric(label.ptr[label.len - 1]))
            return false;
        for (size_t i = 0; i < label.len; i++)
            if (!ascii_is_alphanumeric(label.ptr[i]) && label.ptr[i] != '-')
                return false;
    }
    return true;
}

/*
 * One "@" between a local part without special characters and a host name. Quoted local parts and
 * comments of RFC 5322 are refused.
 */
static bool is_email(struct str text)
{
    const size_t at = str_find_last_char(text, '@');
    if (at == STR_NONE || at == 0 || at + 1 == text.len)
        return false;
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ' || memchr("<>()[],;:\\\"", text.ptr[i], 11))
            return false;
    return str_find_char(text, '@') == at && is_hostname(str_skip(text, at + 1));
}

static bool is_hexcolor(struct str text)
{
    struct str digits = text.len && text.ptr[0] == '#' ? str_skip(text, 1) : text;
    return (digits.len == 3 || digits.len == 6) && all(digits, ascii_is_hex);
}

/* A colour value from 0 to 255. */
static bool is_channel(struct str text)
{
    uint64_t value;
    return text.len <= 3 && all(text, ascii_is_digit) && str_to_uint64(text, &value) &&
           value <= 255;
}

static bool is_rgbcolor(struct str text)
{
    struct str red, green;
    if (!str_starts_with(text, STR("rgb(")) || !str_ends_with(text, STR(")")))
        return false;
    struct str rest = str_slice(text, 4, text.len - 1);
    return str_cut(&rest, ',', &red) && str_cut(&rest, ',', &green) && is_channel(str_trim(red)) &&
           is_channel(str_trim(green)) && is_channel(str_trim(rest));
}

/* A US social security number: 123-45-6789, or with spaces. */
static bool is_ssn(struct str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (i == 3 || i == 6 ? text.ptr[i] != '-' && text.ptr[i] != ' '
                             : !ascii_is_digit(text.ptr[i]))
            return false;
    return text.len == 11;
}

/* 13 to 19 digits with the check digit of Luhn's algorithm; spaces and dashes are skipped. */
static bool is_creditcard(struct str text)
{
    unsigned sum = 0, digits = 0;
    for (size_t i = text.len; i > 0; i--) {
        if (!ascii_is_digit(text.ptr[i - 1])) {
            if (text.ptr[i - 1] != ' ' && text.ptr[i - 1] != '-')
                return false;
            continue;
        }
        unsigned digit = (unsigned)(text.ptr[i - 1] - '0') << (digits++ % 2);
        sum += digit > 9 ? digit - 9 : digit;
    }
    return digits >= 13 && digits <= 19 && sum % 10 == 0;
}

/* Ten digits weighted 1 to 10, the last of which may be X for ten; the sum is a multiple of 11. */
static bool is_isbn10(struct str text)
{
    unsigned sum = 0, digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if (c == '-' || c == ' ')
            continue;
        if (!ascii_is_digit(c) && !(c == 'X' && digits == 9))
            return false;
        sum += (c == 'X' ? 10 : (unsigned)(c - '0')) * ++digits;
    }
    return digits == 10 && sum % 11 == 0;
}

/* Thirteen digits weighted 1 and 3 in turn; the sum is a multiple of 10. */
static bool is_isbn13(struct str text)
{
    unsigned sum = 0, digits = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '-' || text.ptr[i] == ' ')
            continue;
        if (!ascii_is_digit(text.ptr[i]))
            return false;
        sum += (unsigned)(text.ptr[i] - '0') * (digits++ % 2 ? 3 : 1);
    }
    return digits == 13 && sum % 10 == 0;
}

static bool is_isbn(struct str text)
{
    return is_isbn10(text) || is_isbn13(text);
}

static bool is_bsonobjectid(struct str text)
{
    return text.len == 24 && all(text, ascii_is_hex);
}

static bool is_anything(struct str text)
{
    (void)text;
    return true;
}

static const struct {
    struct str name;
    bool (*holds)(struct str text);
} formats[] = {
    {STR_INIT("bsonobjectid"), is_bsonobjectid},
    {STR_INIT("byte"),         is_byte        },
    {STR_INIT("cidr"),         is_cidr        },
    {STR_INIT("creditcard"),   is_creditcard  },
    {STR_INIT("date"),         is_date        },
    {STR_INIT("date-time"),    is_date_time   },
    {STR_INIT("datetime"),     is_date_time   },
    {STR_INIT("duration"),     is_duration    },
    {STR_INIT("email"),        is_email       },
    {STR_INIT("hexcolor"),     is_hexcolor    },
    {STR_INIT("hostname"),     is_hostname    },
    {STR_INIT("ipv4"),         is_ipv4        },
    {STR_INIT("ipv6"),         is_ipv6        },
    {STR_INIT("isbn"),         is_isbn        },
    {STR_INIT("isbn10"),       is_isbn10      },
    {STR_INIT("isbn13"),       is_isbn13      },
    {STR_INIT("mac"),          is_mac         },
    {STR_INIT("password"),     is_anything    },
    {STR_INIT("rgbcolor"),     is_rgbcolor    },
    {STR_INIT("ssn"),          is_ssn         },
    {STR_INIT("uri"),          is_uri         },
    {STR_INIT("uuid"),         is_uuid        },
    {STR_INIT("uuid3"),        is_uuid3       },
    {STR_INIT("uuid4"),        is_uuid4       },
    {STR_INIT("uuid5"),        is_uuid5       },
};

bool schema_format_holds(struct str format, struct str text)
{
    for (size_t i = 0; i < COUNT(formats); i++)
        if (str_eq(formats[i].name, format))
            return formats[i].holds(text);
    return true;
}

/* Dashes in names of formats do not count here. */
static bool is_same_format(struct str known, struct str format)
{
    size_t at = 0;
    for (size_t i = 0; i < format.len; i++) {
        if (format.ptr[i] == '-')
            continue;
        if (at == known.len || known.ptr[at] != format.ptr[i])
            return false;
        at++;
    }
    return at == known.len;
}

static bool is_text_format(struct str format)
{
    for (size_t i = 0; i < COUNT(formats); i++)
        if (is_same_format(formats[i].name, format))
            return true;
    return is_same_format(STR("k8sshortname"), format) ||
           is_same_format(STR("k8slongname"), format);
}

bool schema_knows_format(struct str type, struct str format)
{
    if (type.len == 0 || str_eq(type, STR("string")))
        return is_text_format(format);
    if (str_eq(type, STR("integer")))
        return str_eq(format, STR("int32")) || str_eq(format, STR("int64"));
    if (str_eq(type, STR("number")))
        return str_eq(format, STR("float")) || str_eq(format, STR("double"));
    return false;
}
