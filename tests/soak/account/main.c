#include "soak/account/account.h"

int main(int argc, char **argv)
{
    return seeds_main(account_run, argc, argv);
}
