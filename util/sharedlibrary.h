/* Functions of libraries that are loaded only when they are needed. */
#ifndef READPERF_UTIL_SHAREDLIBRARY_H
#define READPERF_UTIL_SHAREDLIBRARY_H

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

/*
 * Sets *function, a function pointer, to the one of that name in a library that dlopen() has
 * returned. C does not define its conversion from the void * of dlsym(). False if there is none.
 */
static inline bool shared_function(void *handle, const char *name, void *function)
{
	void *found = dlsym(handle, name);

	memcpy(function, &found, sizeof(found));
	return found != NULL;
}

#endif
