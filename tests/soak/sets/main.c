#include "soak/sets/sets.h"

int main(int argc, char **argv)
{
    return seeds_main(sets_run, argc, argv);
}
