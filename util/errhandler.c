#include "util/errhandler.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PRINTF_LIKE(4, 0)
static void err_fill(struct err *err, enum err_code code, uint64_t offset, const char *fmt,
                     va_list args)
{
	if (!err || err->code != ERR_NONE)
		return;
	err->code = code;
	err->offset = offset;
	err->fmt = fmt;
	vsnprintf(err->text, sizeof(err->text), fmt, args);
}

bool err_at(struct err *err, enum err_code code, uint64_t offset, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	err_fill(err, code, offset, fmt, args);
	va_end(args);
	return false;
}

bool err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	err_fill(err, code, ERR_NO_OFFSET, fmt, args);
	va_end(args);
	return false;
}

bool err_errno(struct err *err, const char *fmt, ...)
{
	int number = errno;
	va_list args;
	size_t used;

	if (err->code != ERR_NONE)
		return false;
	va_start(args, fmt);
	err_fill(err, ERR_IO, ERR_NO_OFFSET, fmt, args);
	va_end(args);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", strerror(number));
	return false;
}

bool err_pass(struct err *err, const struct err *other)
{
	if (err->code == ERR_NONE)
		*err = *other;
	return false;
}

bool err_nomem(struct err *err, size_t size)
{
	if (err->code == ERR_NONE)
		err->size = size;
	return err_set(err, ERR_NOMEM, "out of memory: %zu more bytes were needed", size);
}

void diag_init(struct diag *diag, void (*print)(void *, uint64_t, const char *), void *context)
{
	memset(diag, 0, sizeof(*diag));
	diag->print = print;
	diag->context = context;
}

void diag_release(struct diag *diag)
{
	free(diag->kinds);
	diag->kinds = NULL;
	diag->count = diag->capacity = 0;
}

static struct diag_kind *kind_of(struct diag *diag, const char *fmt)
{
	struct diag_kind *kind;

	for (size_t i = 0; i < diag->count; i++)
		if (diag->kinds[i].fmt == fmt)
			return &diag->kinds[i];
	if (diag->count == diag->capacity) {
		size_t capacity = diag->capacity ? 2 * diag->capacity : 16;
		struct diag_kind *kinds = realloc(diag->kinds, capacity * sizeof(*kinds));

		if (!kinds)
			return NULL;
		diag->kinds = kinds;
		diag->capacity = capacity;
	}
	kind = &diag->kinds[diag->count++];
	memset(kind, 0, sizeof(*kind));
	kind->fmt = fmt;
	return kind;
}

static void diag_add(struct diag *diag, uint64_t offset, const char *fmt, const char *text)
{
	struct diag_kind *kind = kind_of(diag, fmt);

	if (kind && kind->count++)
		return;
	if (kind) {
		kind->offset = offset;
		snprintf(kind->first, sizeof(kind->first), "%s", text);
	}
	diag->print(diag->context, offset, text);
}

void diag_warn(struct diag *diag, uint64_t offset, const char *fmt, ...)
{
	char text[ERR_TEXT_SIZE];
	va_list args;

	if (!diag)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	diag_add(diag, offset, fmt, text);
}

void diag_warn_err(struct diag *diag, const struct err *err)
{
	if (diag)
		diag_add(diag, err->offset, err->fmt, err->text);
}

void diag_replay(struct diag *to, const struct diag *from)
{
	for (size_t i = 0; to && i < from->count; i++)
		for (uint64_t n = 0; n < from->kinds[i].count; n++)
			diag_add(to, from->kinds[i].offset, from->kinds[i].fmt,
			         from->kinds[i].first);
}

void diag_finish(struct diag *diag)
{
	char text[ERR_TEXT_SIZE + 100];

	for (size_t i = 0; i < diag->count; i++) {
		if (diag->kinds[i].count < 2)
			continue;
		snprintf(text, sizeof(text), "%" PRIu64 " more like: %s", diag->kinds[i].count - 1,
		         diag->kinds[i].first);
		diag->print(diag->context, ERR_NO_OFFSET, text);
	}
}
