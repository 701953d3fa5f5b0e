/* Loads a library that only its own run path leads to, by name. */
#include <dlfcn.h>
#include <stdio.h>

int main(void)
{
    if (dlopen("libsonde-test-plugin.so", RTLD_NOW) != NULL)
        return 0;
    puts(dlerror());
    return 1;
}
