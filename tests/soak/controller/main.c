#include "soak/controller/soak.h"

int main(int argc, char **argv)
{
    return seeds_main(soak_run, argc, argv);
}
