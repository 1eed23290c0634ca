/*
 * Demangles with libiberty's streaming functions. They keep all their state on the stack, so a name
 * that expands without end can be abandoned without leaking memory.
 */
#include "decode/symbols/demangle.h"

#include "decode/symbols/othernames.h"
#include "util/errhandler.h"
#include "util/memory.h"
#include "util/text.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define PLT_SUFFIX "@plt"

#ifdef HAVE_LIBIBERTY

#include <libiberty/demangle.h>

/* libiberty puts up to 64 bytes per character on the stack, and rejects names half as long. */
#define NAME_MAX_LENGTH 8192
#define OUTPUT_MAX 65536
#define D_REFERENCES_MAX 32
#define D_MEMORY ((size_t)1 << 20) /* bytes that must be left */
#define ADA_ROOM ((size_t)16)      /* bytes that must be left, for each byte of a name */

struct output {
	jmp_buf stop;
	char *text;
	size_t length, capacity;
	bool refused; /* memory was refused */
};

static void collect_text(const char *text, size_t length, void *context)
{
	struct output *output = context;

	if (length >= output->capacity - output->length) {
		size_t wanted = 2 * (output->length + length) + 128;
		char *moved = wanted > OUTPUT_MAX ? NULL : realloc(output->text, wanted);

		output->refused = !moved && wanted <= OUTPUT_MAX;
		if (!moved)
			longjmp(output->stop, 1);
		output->text = moved;
		output->capacity = wanted;
	}
	memcpy(output->text + output->length, text, length);
	output->length += length;
	output->text[output->length] = '\0';
}

/* Demangles name into output. False if it is not mangled. */
static bool demangle_into(const char *name, bool parameters, struct output *output)
{
	if (setjmp(output->stop))
		return false;
	if (rust_demangle_callback(name, DMGL_NO_OPTS, collect_text, output))
		return output->length != 0;
	output->length = 0;
	return cplus_demangle_v3_callback(name, parameters ? DMGL_PARAMS | DMGL_ANSI : DMGL_NO_OPTS,
	                                  collect_text, output) &&
	       output->length;
}

static char *demangle_streaming(const char *name, bool parameters, bool *refused)
{
	struct output output;

	memset(&output, 0, sizeof(output));
	if (demangle_into(name, parameters, &output))
		return output.text;
	*refused = output.refused;
	free(output.text);
	return NULL;
}

/*
 * Demangles a name of D. libiberty builds that text itself, cannot be stopped, and ends the process
 * when memory is refused. Each pair of back references can double the text, so names with many of
 * them are not demangled. It does not know what compilers append to the names of copies of a
 * function (".constprop.0"), which is left out as in names of C++.
 */
static char *demangle_d(const char *name, bool *refused)
{
	const size_t length = strcspn(name, ".");
	struct err err = { .code = ERR_NONE };
	size_t references = 0;
	char *mangled, *readable;

	for (size_t i = 0; i < length; i++)
		references += name[i] == 'Q';
	if (references > D_REFERENCES_MAX)
		return NULL;
	mangled = memory_has(D_MEMORY, &err) ? strndup(name, length) : NULL;
	readable = mangled ? dlang_demangle(mangled, DMGL_NO_OPTS) : NULL;
	*refused = !mangled;
	free(mangled);
	return readable;
}

/*
 * Demangles a name of Ada: those of library level, and of the packages that come with the language,
 * for names of other packages look like names of C. libiberty ends the process when memory is
 * refused, and puts what it does not understand into angle brackets.
 */
static char *demangle_ada(const char *name, bool *refused)
{
	struct err err = { .code = ERR_NONE };
	char *readable;

	*refused = !memory_has(NAME_MAX_LENGTH * ADA_ROOM, &err);
	if (*refused)
		return NULL;
	readable = ada_demangle(name, DMGL_GNAT);
	if (readable && *readable != '<')
		return readable;
	free(readable);
	return NULL;
}

static bool is_ada(const char *name)
{
	static const char *const starts[] = { "_ada_", "ada__", "gnat__", "interfaces__",
		                              "system__" };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++)
		if (text_starts(name, starts[i]))
			return true;
	return false;
}

/* Malloc'd; NULL if it is no mangled name or, with *refused set, if memory is refused. */
static char *demangle_plain(const char *name, bool parameters, bool *refused)
{
	if (strlen(name) > NAME_MAX_LENGTH)
		return NULL;
	if (is_ada(name))
		return demangle_ada(name, refused);
	if (name[0] == '_' && name[1] == 'D')
		return demangle_d(name, refused);
	if (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R'))
		return demangle_streaming(name, parameters, refused);
	/*
	 * constructors of a whole file: _GLOBAL__sub_I_..., and names with an extra underscore in
	 * front
	 */
	if (text_starts(name, "_GLOBAL_") || text_starts(name, "__Z") || text_starts(name, "__R"))
		return demangle_streaming(name, parameters, refused);
	return NULL;
}
#else
static char *demangle_plain(const char *name, bool parameters, bool *refused)
{
	(void)name, (void)parameters, (void)refused;
	return NULL;
}
#endif

static char *demangle_any(const char *name, bool parameters)
{
	bool refused = false;
	char *readable = demangle_plain(name, parameters, &refused);

	return readable || refused ? readable : other_name_demangle(name, parameters);
}

char *symbol_demangle(const char *name, bool parameters)
{
	size_t length = strlen(name), suffix = strlen(PLT_SUFFIX);
	char *plain, *readable, *whole;

	if (length <= suffix || strcmp(name + length - suffix, PLT_SUFFIX) != 0)
		return demangle_any(name, parameters);
	plain = strndup(name, length - suffix);
	readable = plain ? demangle_any(plain, parameters) : NULL;
	whole = readable ? malloc(strlen(readable) + sizeof(PLT_SUFFIX)) : NULL;
	if (whole)
		strcpy(stpcpy(whole, readable), PLT_SUFFIX);
	free(plain);
	free(readable);
	return whole;
}
