#include "attach/neo/attach.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/neo/dispatch.h"
#include "attach/neo/extensions.h"
#include "attach/neo/icd.h"
#include "attach/neo/kernel.h"
#include "attach/neo/protocol.h"
#include "attach/neo/session.h"
#include "attach/neo/socket.h"

static pthread_once_t exit_registered = PTHREAD_ONCE_INIT;
static bool attached; /* under the session's lock */

bool attach_is_driver(const char *path)
{
    static const char *driver;
    if (path == NULL)
        return false;
    if (driver == NULL) {
        const char *named = getenv(ATTACH_ENV_DRIVER);
        driver = named == NULL || named[0] == '\0' ? "libigdrcl.so" : strdup(named);
        if (driver == NULL)
            return false;
    }
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    size_t length = strlen(driver);
    return strncmp(name, driver, length) == 0 && (name[length] == '\0' || name[length] == '.');
}

/* Before the driver's own destructors: it was loaded earlier. Work that the
 * program did not wait for is waited for here. */
static void at_exit(void)
{
    attach_icd_finish_queues();
}

static void register_exit(void)
{
    atexit(at_exit);
}

static void remember_context(gtpin_handle handle, const struct gtpin_platform *platform)
{
    struct attach_context *context = attach_session.contexts;
    while (context != NULL && context->handle != handle)
        context = context->next;
    if (context == NULL) {
        context = calloc(1, sizeof *context);
        if (context == NULL)
            return;
        context->handle = handle;
        context->next = attach_session.contexts;
        attach_session.contexts = context;
    }
    context->platform = *platform;
}

static void on_context_create(gtpin_handle handle, struct gtpin_platform *platform,
                              struct gtpin_igc_init **igc_init)
{
    char version[128], device[128], driver[192];
    uint64_t frequency;
    if (!attach_session_lock())
        return;
    bool seen = attach_icd_hook(handle);
    attach_session_unlock();
    attach_icd_describe(handle, version, sizeof version, device, sizeof device, &frequency);
    snprintf(driver, sizeof driver, "Intel OpenCL %s", version);
    if (!attach_session.unmodified_registers)
        *igc_init = &attach_session.igc_init;
    if (!attach_session_lock())
        return;
    remember_context(handle, platform);
    if (attach_session.driver_name == NULL) {
        attach_session.driver_name = strdup(driver);
        attach_session.device_name = strdup(device);
        attach_session.clock_frequency = frequency;
    }
    attach_session_writer();
    if (!seen)
        attach_session_message("the driver's table of entry points was not found: dispatches of "
                               "kernels without a surface, and work that the program does not "
                               "wait for, are not seen");
    attach_session_unlock();
}

static void on_context_destroy(gtpin_handle handle)
{
    (void)handle;
}

static void on_kernel_submit(gtpin_handle command_buffer, uint64_t kernel_id,
                             uint32_t *entry_offset, gtpin_handle *resource)
{
    pthread_once(&exit_registered, register_exit);
    attach_kernel_submit(command_buffer, kernel_id, entry_offset, resource);
}

static const struct gtpin_events events = {
    .context_create = on_context_create,
    .context_destroy = on_context_destroy,
    .kernel_create = attach_kernel_create,
    .kernel_submit = on_kernel_submit,
    .command_buffer_create = attach_command_buffer_create,
    .command_buffer_complete = attach_command_buffer_complete,
};

static const char *connect_to(void *handle)
{
    gtpin_init_function *init;
    *(void **)&init = dlsym(handle, "GTPin_Init");
    if (init == NULL)
        return "this OpenCL driver has no GTPin_Init (removed in 26.27): Sonde cannot attach to it";
    struct gtpin_version version = {0};
    if (init(NULL, NULL, &version) == GTPIN_ALREADY_CREATED)
        return "another tool is attached to the OpenCL driver already";
    if (version.common < GTPIN_COMMON_VERSION)
        return "the GTPin interface of this OpenCL driver is too old";
    if (init(&events, &attach_session.services, &version) != GTPIN_OK)
        return "the OpenCL driver refused the attachment";
    return NULL;
}

bool attach_to_driver(void *handle)
{
    if (!attach_session_start() || !attach_session_lock())
        return false;
    bool before = attached;
    attached = true;
    attach_session_unlock();
    if (before)
        return true;
    if (attach_session.emulated)
        attach_socket_guard(handle);
    const char *problem = connect_to(handle);
    if (problem != NULL && attach_session_lock()) {
        attach_session_message("%s", problem);
        attach_session_unlock();
    }
    if (problem == NULL)
        attach_extensions_hook(handle);
    return problem == NULL;
}

/* The last thing of this library in the process. */
__attribute__((destructor)) static void end(void)
{
    if (!attach_session_is_on())
        return;
    attach_queue_abandon(NULL, "the program ended without waiting for it");
    if (!attach_session_lock())
        return;
    for (size_t i = 0; i < attach_session.tools.count && attach_session.writer != NULL; i++)
        if (attach_session.tools.tools[i]->on_finish != NULL)
            attach_session.tools.tools[i]->on_finish();
    attach_session_close();
    attach_session_unlock();
}
