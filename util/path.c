#include "util/path.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

char *path_format(struct err *err, const char *fmt, ...)
{
	va_list args;
	char *text;
	int length;

	va_start(args, fmt);
	length = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	text = length < 0 ? NULL : malloc((size_t)length + 1);
	if (!text) {
		err_nomem(err, (size_t)length + 1);
		return NULL;
	}
	va_start(args, fmt);
	vsnprintf(text, (size_t)length + 1, fmt, args);
	va_end(args);
	return text;
}
