/*
 * Functions that truncate, overflow or keep hidden state. Using one is a compile error.
 *
 * The build includes this header in front of every source of ours. The system headers come first,
 * since they declare what is poisoned below.
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

/*
 * OpenSSL's headers have parameters called "rand", so the word is not poisoned; only calls are
 * refused.
 */
int rand(void) __attribute__((unavailable("use base/random.h")));
