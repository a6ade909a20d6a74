/* Attributes for the declarations of the other headers. Authors of controllers do not need them. */
#ifndef CORSET_EXPORT_H
#define CORSET_EXPORT_H

#if defined(__GNUC__)
#define CORSET_EXPORT                  __attribute__((visibility("default")))
#define CORSET_MUST_USE                __attribute__((warn_unused_result))
#define CORSET_PRINTF_LIKE(text, args) __attribute__((format(printf, text, args)))
#define CORSET_ENDS_IN_NULL            __attribute__((sentinel))
#else
#define CORSET_EXPORT
#define CORSET_MUST_USE
#define CORSET_PRINTF_LIKE(text, args)
#define CORSET_ENDS_IN_NULL
#endif

#if defined(__cplusplus)
#define CORSET_BEGIN extern "C" {
#define CORSET_END   }
#else
#define CORSET_BEGIN
#define CORSET_END
#endif

#endif
