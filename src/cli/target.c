#include "cli/target.h"

#include <dirent.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/neo/protocol.h"

#define DRIVER_VARIABLE "SONDE_OPENCL_DRIVER"
#define DRIVER_NAME     "libigdrcl.so"
#define DRIVER_PACKAGE  "intel-opencl-icd"
#define VENDORS         "/etc/OpenCL/vendors"

/* First line of a small file without its line end; false when unreadable. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    bool read = fgets(line, (int)size, file) != NULL;
    fclose(file);
    if (read)
        line[strcspn(line, "\r\n")] = '\0';
    return read;
}

bool target_find_hardware(char *name, size_t name_size, char *why, size_t why_size)
{
    snprintf(why, why_size, "there is no Intel GPU under /dev/dri");
    DIR *directory = opendir("/dev/dri");
    if (directory == NULL)
        return false;
    bool found = false;
    struct dirent *entry;
    while (!found && (entry = readdir(directory)) != NULL) {
        char path[PATH_MAX], vendor[32], device[32] = "";
        if (strncmp(entry->d_name, "renderD", 7) != 0)
            continue;
        snprintf(path, sizeof path, "/sys/class/drm/%s/device/vendor", entry->d_name);
        if (!read_line(path, vendor, sizeof vendor) || strcmp(vendor, "0x8086") != 0)
            continue;
        snprintf(path, sizeof path, "/sys/class/drm/%s/device/device", entry->d_name);
        read_line(path, device, sizeof device);
        snprintf(path, sizeof path, "/dev/dri/%s", entry->d_name);
        int fd = open(path, O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            snprintf(why, why_size, "%.100s is an Intel GPU, but may not be opened", path);
            continue;
        }
        close(fd);
        snprintf(name, name_size, "hw:%s", device);
        found = true;
    }
    closedir(directory);
    return found;
}

static bool unknown_device(const char *device)
{
    struct base_suggestion suggestion;
    char list[512] = "auto, hw", names[16][40];
    const struct device_model *model;
    base_suggestion_begin(&suggestion, device);
    base_suggestion_offer(&suggestion, "auto");
    base_suggestion_offer(&suggestion, "hw");
    for (unsigned i = 0; i < 16 && (model = device_model_at(i)) != NULL; i++) {
        snprintf(names[i], sizeof names[i], "emu:%s", model->name);
        base_suggestion_offer(&suggestion, names[i]);
        if (strcmp(device, model->name) == 0)
            suggestion = (struct base_suggestion){device, names[i], 0};
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, ", %s", names[i]);
    }
    const char *meant = base_suggestion_end(&suggestion);
    if (meant != NULL)
        cli_error("there is no device '%s'; did you mean '%s'? (one of %s)", device, meant, list);
    else
        cli_error("there is no device '%s'; devices are %s", device, list);
    return false;
}

bool target_choose(const char *device, struct target *target)
{
    *target = (struct target){.model = NULL};
    char why[sizeof target->why];
    bool automatic = strcmp(device, "auto") == 0;
    if (automatic || strcmp(device, "hw") == 0) {
        if (target_find_hardware(target->name, sizeof target->name, why, sizeof why)) {
            if (automatic)
                snprintf(target->why, sizeof target->why, "found by --device auto");
            return true;
        }
        if (!automatic) {
            cli_error("--device hw: %s", why);
            cli_hint("--device auto uses the emulated GPU then");
            return false;
        }
        snprintf(target->why, sizeof target->why, "%s", why);
        target->model = device_model_at(0);
    } else if (strncmp(device, "emu:", 4) == 0) {
        target->model = device_model_find(device + 4);
    }
    if (target->model == NULL)
        return unknown_device(device);
    snprintf(target->name, sizeof target->name, "emu:%s", target->model->name);
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* An ICD file names one library, by path or for the loader to search. */
static bool driver_of_icd(const char *icd, struct target_driver *driver)
{
    char library[PATH_MAX];
    if (!read_line(icd, library, sizeof library) || strstr(library, DRIVER_NAME) == NULL)
        return false;
    if (strchr(library, '/') != NULL && access(library, R_OK) != 0)
        return false;
    snprintf(driver->library, sizeof driver->library, "%s", library);
    snprintf(driver->vendors, sizeof driver->vendors, "%s", icd);
    return true;
}

static bool driver_of_directory(const char *vendors, struct target_driver *driver)
{
    DIR *directory = opendir(vendors);
    if (directory == NULL)
        return false;
    bool found = false;
    struct dirent *entry;
    while (!found && (entry = readdir(directory)) != NULL) {
        char path[PATH_MAX];
        int length = snprintf(path, sizeof path, "%s/%s", vendors, entry->d_name);
        if (length > 0 && (size_t)length < sizeof path && ends_with(path, ".icd"))
            found = driver_of_icd(path, driver);
    }
    closedir(directory);
    return found;
}

static bool take_library(const char *path, struct target_driver *driver)
{
    snprintf(driver->library, sizeof driver->library, "%s", path);
    snprintf(driver->vendors, sizeof driver->vendors, "%s", path);
    return access(path, R_OK) == 0;
}

bool target_find_driver(struct target_driver *driver)
{
    const char *chosen = getenv(DRIVER_VARIABLE);
    if (chosen != NULL && *chosen != '\0') {
        if (take_library(chosen, driver))
            return true;
        cli_error("there is no OpenCL driver %s, which " DRIVER_VARIABLE " names", chosen);
        return false;
    }
    const char *vendors = getenv("OCL_ICD_VENDORS");
    if (vendors == NULL || *vendors == '\0')
        vendors = VENDORS;
    if (ends_with(vendors, ".icd") ? driver_of_icd(vendors, driver)
        : ends_with(vendors, ".so")
            ? ends_with(vendors, DRIVER_NAME) && take_library(vendors, driver)
            : driver_of_directory(vendors, driver))
        return true;
    cli_error("the Intel OpenCL driver (" DRIVER_NAME ") is not installed: no file in %s names it",
              vendors);
    cli_hint("install it with: apt-get install " DRIVER_PACKAGE);
    return false;
}

static bool try_library(const char *directory, const char *place, char *path, size_t size)
{
    char candidate[2 * PATH_MAX];
    snprintf(candidate, sizeof candidate, "%s/%s/" ATTACH_LIBRARY_NAME, directory, place);
    char resolved[PATH_MAX];
    if (realpath(candidate, resolved) == NULL || access(resolved, R_OK) != 0)
        return false;
    snprintf(path, size, "%s", resolved);
    return true;
}

bool target_find_attach_library(char *path, size_t size)
{
    /* The build tree; then an installation, wherever its root was moved to. */
    static const char *const places[] = {"../attach/neo", SONDE_LIBRARY_PLACE,
                                         SONDE_LIBRARY_PLACE "/sonde"};
    const char *chosen = getenv("SONDE_ATTACH_LIBRARY");
    if (chosen != NULL && *chosen != '\0') {
        snprintf(path, size, "%s", chosen);
        if (access(chosen, R_OK) == 0)
            return true;
        cli_error("there is no file %s, which SONDE_ATTACH_LIBRARY names", chosen);
        return false;
    }
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length > 0) {
        self[length] = '\0';
        const char *directory = dirname(self);
        for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
            if (try_library(directory, places[i], path, size))
                return true;
        }
        cli_error(ATTACH_LIBRARY_NAME " is not where it belongs to %s/sonde; install Sonde again",
                  directory);
    } else {
        cli_error("cannot tell where this program is: /proc/self/exe is unreadable");
    }
    return false;
}
