/*
 * Which run-time checkers this build works with. gcc and clang announce them differently.
 */
#pragma once

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZE_ADDRESS 1
#endif
#if __has_feature(thread_sanitizer)
#define SANITIZE_THREAD 1
#endif
#endif

#if defined(__SANITIZE_ADDRESS__) && !defined(SANITIZE_ADDRESS)
#define SANITIZE_ADDRESS 1
#endif
#if defined(__SANITIZE_THREAD__) && !defined(SANITIZE_THREAD)
#define SANITIZE_THREAD 1
#endif

#ifndef SANITIZE_ADDRESS
#define SANITIZE_ADDRESS 0
#endif
#ifndef SANITIZE_THREAD
#define SANITIZE_THREAD 0
#endif

#if __has_include(<valgrind/valgrind.h>)
#define KNOWS_VALGRIND 1
#else
#define KNOWS_VALGRIND 0
#endif
