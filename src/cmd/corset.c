/* The program: finds the command and runs it. */
#include "cmd/program.h"

int main(int argc, char **argv)
{
    return program_run(argc, argv);
}
