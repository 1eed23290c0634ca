#include "util/errhandler.h"

#ifdef HAVE_XLSXWRITER
#include "decode/tables/xlsxlibrary.h"

#include "util/sharedlibrary.h"

#include <dlfcn.h>

#define LIBRARY "libxlsxwriter.so." LXW_SOVERSION

bool xlsx_library_open(struct xlsx_library *library, struct err *err)
{
	bool found;

	library->handle = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
	found = library->handle != NULL;
#define XLSX_FIND(name) found = found && shared_function(library->handle, #name, &library->name);
	XLSX_FUNCTIONS(XLSX_FIND)
#undef XLSX_FIND
	return found ||
	       err_set(err, ERR_UNSUPPORTED, "--workbook needs libxlsxwriter: %s", dlerror());
}

void xlsx_library_close(struct xlsx_library *library)
{
	if (library->handle)
		dlclose(library->handle);
	library->handle = NULL;
}
#endif
