#include "decode/intervals/callnames.h"

#include "util/sharedlibrary.h"

#include <inttypes.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

/* call_list and error_list, made by the Makefile from sys/syscall.h and errno.h */
#include "calls.h"
#include "util/text.h"

#define LIBRARY "libseccomp.so.2"

/* What libseccomp calls a machine; NULL: as uname does. */
static const char *library_name(const char *machine)
{
	if (machine[0] == 'i' && strcmp(machine + 2, "86") == 0)
		return "x86";
	if (text_starts(machine, "arm"))
		return "arm";
	return machine;
}

static bool is_own(const char *machine)
{
#if defined(__x86_64__)
	return strcmp(machine, "x86_64") == 0;
#elif defined(__aarch64__)
	return strcmp(machine, "aarch64") == 0;
#elif defined(__arm__)
	return text_starts(machine, "arm");
#elif defined(__i386__)
	return machine[0] == 'i' && strcmp(machine + 2, "86") == 0;
#elif defined(__s390x__)
	return strcmp(machine, "s390x") == 0;
#elif defined(__riscv) && __riscv_xlen == 64
	return strcmp(machine, "riscv64") == 0;
#elif defined(__powerpc64__)
	return text_starts(machine, "ppc64");
#else
	struct utsname own;

	return !uname(&own) && strcmp(machine, own.machine) == 0;
#endif
}

void call_names_init(struct call_names *names, const char *machine)
{
	void *library = machine ? dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL) : NULL;
	uint32_t (*number_of)(const char *name);

	*names = (struct call_names){ .known = true, .built_in = machine && is_own(machine) };
	if (!library || !shared_function(library, "seccomp_arch_resolve_name", &number_of) ||
	    !shared_function(library, "seccomp_syscall_resolve_num_arch", &names->resolve))
		return;
	names->machine = number_of(library_name(machine));
}

/* A name of the library, which is malloc'd. */
static bool ask_library(const struct call_names *names, int number, char out[CALL_NAME_SIZE])
{
	char *name = names->resolve && names->machine ? names->resolve(names->machine, number)
	                                              : NULL;
	const bool found = name && strlen(name) < CALL_NAME_SIZE;

	if (found)
		strcpy(out, name);
	free(name);
	return found;
}

void call_name(const struct call_names *names, uint64_t number, char out[CALL_NAME_SIZE])
{
	for (size_t i = 0; names->built_in && i < ARRAY_SIZE(call_list); i++)
		if ((uint64_t)call_list[i].number == number) {
			snprintf(out, CALL_NAME_SIZE, "%s", call_list[i].name);
			return;
		}
	if (number > INT32_MAX || !ask_library(names, (int)number, out))
		snprintf(out, CALL_NAME_SIZE, "%" PRId64, (int64_t)number);
}

/* The kernel's own errors (include/linux/errno.h): calls that it restarts. */
static const struct {
	uint16_t number;
	const char *name;
} restarts[] = {
	{ 512, "ERESTARTSYS" },
	{ 513, "ERESTARTNOINTR" },
	{ 514, "ERESTARTNOHAND" },
	{ 516, "ERESTART_RESTARTBLOCK" },
};

static const char *restart_name(uint64_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(restarts); i++)
		if (restarts[i].number == number)
			return restarts[i].name;
	return NULL;
}

bool call_is_error(int64_t result)
{
	return result < 0 && result >= -4095 && !restart_name((uint64_t)-result);
}

const char *error_name(uint64_t number)
{
	for (size_t i = 0; i < ARRAY_SIZE(error_list); i++)
		if ((uint64_t)error_list[i].number == number)
			return error_list[i].name;
	return restart_name(number);
}
