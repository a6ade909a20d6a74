#include "testing/test.h"

int main(int argc, char **argv)
{
    return test_main(argc, argv);
}
