/* The symbols of the preloaded library that are not Sonde's own.
 *
 * dlopen is replaced to see the OpenCL driver come in: whoever loads it (a
 * linked loader, one that was itself loaded later, a static one) calls dlopen.
 * Programs that never use OpenCL never load the driver, and nothing happens in
 * them. The C library looks at dlopen's return address to find the caller's
 * search path, so every call that is not for the driver must reach the real
 * function by a jump, with the caller's return address in place. */
#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/neo/attach.h"
#include "attach/neo/timestamps.h"
#include "sonde/status.h"

typedef void *dlopen_function(const char *path, int mode);

SONDE_API int OpenGTPin(void *arguments);
SONDE_API int OpenGTPinOCL(void *arguments);

static dlopen_function *real_dlopen(void)
{
    static dlopen_function *real;
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "dlopen");
    return real;
}

__attribute__((used)) static void *load_driver(const char *path, int mode)
{
    attach_timestamps_begin();
    void *handle = real_dlopen()(path, mode);
    attach_timestamps_end();
    /* A program that unloads OpenCL must not take the driver away under the
     * calls that the end of the program makes into it. */
    if (handle != NULL && attach_to_driver(handle))
        real_dlopen()(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    return handle;
}

/* Where dlopen is to jump to. */
__attribute__((used)) static dlopen_function *choose(const char *path)
{
    return attach_is_driver(path) ? load_driver : real_dlopen();
}

#if defined(__x86_64__)
__asm__(".text\n"
        ".globl dlopen\n"
        ".type dlopen, @function\n"
        "dlopen:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rdi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    pushq %rsi\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    subq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset 8\n"
        "    call choose\n"
        "    addq $8, %rsp\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rsi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    popq %rdi\n"
        "    .cfi_adjust_cfa_offset -8\n"
        "    jmp *%rax\n"
        "    .cfi_endproc\n"
        ".size dlopen, .-dlopen\n");
#else
#error "the jump to the real dlopen is written for x86-64"
#endif

static int find_driver(struct dl_phdr_info *info, size_t size, void *name)
{
    (void)size;
    if (!attach_is_driver(info->dlpi_name))
        return 0;
    *(const char **)name = info->dlpi_name;
    return 1;
}

static int attach_to_loaded(void)
{
    const char *name = NULL;
    dl_iterate_phdr(find_driver, &name);
    void *handle = name == NULL ? NULL : real_dlopen()(name, RTLD_LAZY | RTLD_NOLOAD);
    return handle != NULL && attach_to_driver(handle) ? 0 : 1;
}

/* Newer drivers load "libgtpin.so" and call one of these; 0 = attached. */
int OpenGTPin(void *arguments)
{
    (void)arguments;
    return attach_to_loaded();
}

int OpenGTPinOCL(void *arguments)
{
    (void)arguments;
    return attach_to_loaded();
}
