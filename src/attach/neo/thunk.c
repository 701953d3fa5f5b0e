#include "attach/neo/thunk.h"

#include "attach/neo/trust.h"

#define ATTACH_THUNK_SIZE 64

__attribute__((used, visibility("hidden"))) void *attach_thunk_targets[ATTACH_THUNK_LIMIT];
extern char attach_thunks[] __attribute__((visibility("hidden")));

__attribute__((used)) static void note_call(void *queue)
{
    attach_trust_note_call(queue);
}

#define TEXT(x)  TEXT_(x)
#define TEXT_(x) #x

/* All six argument registers are kept, and the stack as the caller left it:
 * these functions have up to fourteen arguments, none of them floating-point. */
__asm__(".text\n"
        ".p2align 6\n"
        ".hidden attach_thunks\n"
        ".globl attach_thunks\n"
        "attach_thunks:\n"
        ".set attach_thunk_number, 0\n"
        ".rept " TEXT(
            ATTACH_THUNK_LIMIT) "\n"
                                "    .p2align 6\n"
                                "    endbr64\n"
                                "    pushq %rdi\n"
                                "    pushq %rsi\n"
                                "    pushq %rdx\n"
                                "    pushq %rcx\n"
                                "    pushq %r8\n"
                                "    pushq %r9\n"
                                "    subq $8, %rsp\n"
                                "    call note_call\n"
                                "    addq $8, %rsp\n"
                                "    popq %r9\n"
                                "    popq %r8\n"
                                "    popq %rcx\n"
                                "    popq %rdx\n"
                                "    popq %rsi\n"
                                "    popq %rdi\n"
                                "    jmp *(attach_thunk_targets + 8 * attach_thunk_number)(%rip)\n"
                                "    .set attach_thunk_number, attach_thunk_number + 1\n"
                                ".endr\n");

void *attach_thunk_make(void *target)
{
    static size_t taken;
    if (taken == ATTACH_THUNK_LIMIT || target == NULL)
        return NULL;
    attach_thunk_targets[taken] = target;
    return attach_thunks + ATTACH_THUNK_SIZE * taken++;
}
