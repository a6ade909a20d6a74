/* The program: finds the command and runs it. */
#include <sys/prctl.h>

#include "base/memory.h"
#include "base/sanitizer.h"
#include "cmd/program.h"

/*
 * No core file, and no other process of the same user that looks into the memory: both would find
 * the credentials of all clusters. Sanitizers look into it themselves.
 */
static void close_memory(void)
{
#if !SANITIZE_ADDRESS && !SANITIZE_THREAD
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

int main(int argc, char **argv)
{
    close_memory();
    mem_return_large();
    return program_run(argc, argv);
}
