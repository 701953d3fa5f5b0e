/* Every program of this folder is one function whose result is the program's:
 * it is kept in exit_status, and the same function runs on the host. */
#include "program.h"

int main(void)
{
    return (int)run();
}
