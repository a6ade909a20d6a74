/*
 * Functions that truncate, overflow or keep hidden state. Using one is a compile error.
 *
 * Force-included by the build in front of every source of ours, after the system headers it needs.
 */
#pragma once

#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#undef strcpy
#undef strcat
#undef strncpy
#undef strncat
#undef sprintf
#undef vsprintf
#undef strtok
#undef atoi
#undef atol
#undef atof
#undef gmtime
#undef localtime
#undef ctime
#undef asctime
#undef alloca

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf strtok
#pragma GCC poison atoi atol atof gmtime localtime ctime asctime alloca

/* OpenSSL's headers name parameters "rand", so the word stays usable and only calls are refused. */
int rand(void) __attribute__((unavailable("use base/random.h")));
