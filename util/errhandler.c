#include "util/errhandler.h"

#include "util/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a. Two subjects with the same hash would be counted together, and nothing else. */
static uint64_t subject_hash(uint64_t hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (uint8_t)*text) * 0x100000001b3u;
	return hash;
}

#define NO_SUBJECT 0xcbf29ce484222325u

/* The hash of what a message is about: the argument that its format begins with, if it does. */
static uint64_t subject_of(const char *fmt, va_list args)
{
	uint64_t hash = NO_SUBJECT;
	va_list first;

	if (!text_starts(fmt, "%s"))
		return hash;
	va_copy(first, args);
	hash = subject_hash(hash, va_arg(first, const char *));
	va_end(first);
	return hash;
}

PRINTF_LIKE(4, 0)
static void err_fill(struct err *err, enum err_code code, uint64_t offset, const char *fmt,
                     va_list args)
{
	if (!err || err->code != ERR_NONE)
		return;
	err->code = code;
	err->offset = offset;
	err->fmt = fmt;
	err->subject = subject_of(fmt, args);
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

bool err_pass_nomem(struct err *err, const struct err *other)
{
	if (other->code == ERR_NOMEM)
		err_pass(err, other);
	return err->code == ERR_NONE;
}

bool err_nomem(struct err *err, size_t size)
{
	if (err->code == ERR_NONE)
		err->size = size;
	return err_set(err, ERR_NOMEM, "out of memory: %zu more bytes were needed", size);
}

/* Puts "name: " in front of a message. Of a long name, the first half of the message's room. */
static void put_in_front(char text[ERR_TEXT_SIZE], const char *name)
{
	size_t size = strnlen(name, ERR_TEXT_SIZE / 2);

	memmove(text + size + 2, text, ERR_TEXT_SIZE - size - 3);
	memcpy(text, name, size);
	memcpy(text + size, ": ", 2);
	text[ERR_TEXT_SIZE - 1] = '\0';
}

void err_prefix(struct err *err, const char *name)
{
	err->subject = subject_hash(err->subject, name);
	put_in_front(err->text, name);
}

/* Puts "file: at 0x1a40: " in front of a message; its offset is then told. */
static void name_place(char text[ERR_TEXT_SIZE], uint64_t *offset, const char *file)
{
	char where[40];

	snprintf(where, sizeof(where), "at 0x%" PRIx64, *offset);
	if (*offset != ERR_NO_OFFSET)
		put_in_front(text, where);
	put_in_front(text, file);
	*offset = ERR_NO_OFFSET;
}

void err_name_file(struct err *err, const char *file)
{
	err->subject = subject_hash(err->subject, file);
	name_place(err->text, &err->offset, file);
}

void diag_init(struct diag *diag, void (*print)(void *, uint64_t, const char *), void *context)
{
	memset(diag, 0, sizeof(*diag));
	diag->print = print;
	diag->context = context;
}

void diag_release(struct diag *diag)
{
	while (diag->formats) {
		struct diag_format *format = diag->formats;

		for (struct diag_kind *kind = format->kinds, *next; kind; kind = next) {
			next = kind->next;
			free(kind);
		}
		diag->formats = format->next;
		free(format);
	}
}

/* NULL when memory is refused. */
static struct diag_format *format_of(struct diag *diag, const char *fmt)
{
	struct diag_format **at = &diag->formats;

	while (*at && (*at)->fmt != fmt)
		at = &(*at)->next;
	if (!*at && (*at = calloc(1, sizeof(**at))))
		(*at)->fmt = fmt;
	return *at;
}

/* Counts warnings of a kind that is not kept separately. */
static void add_other(struct diag_format *format, const struct diag_kind *kind)
{
	uint64_t before = format->others.count;

	if (before == 0)
		format->others = *kind;
	format->others.count = before + kind->count;
}

static void say_kind(struct diag *diag, struct diag_format *format, struct diag_kind *kind)
{
	kind->said = true;
	format->said++;
	if (diag->print)
		diag->print(diag->context, kind->offset, kind->text);
}

/* Records warnings of one kind. */
static void diag_add(struct diag *diag, const char *fmt, struct diag_kind *kind)
{
	struct diag_format *format = diag ? format_of(diag, fmt) : NULL;
	struct diag_kind **at;

	if (!diag)
		return;
	if (diag->file && kind->offset != ERR_NO_OFFSET) {
		kind->subject = subject_hash(kind->subject, diag->file);
		name_place(kind->text, &kind->offset, diag->file);
	}
	if (!format) {
		if (diag->print)
			diag->print(diag->context, kind->offset, kind->text);
		return;
	}
	for (at = &format->kinds; *at; at = &(*at)->next)
		if ((*at)->subject == kind->subject) {
			(*at)->count += kind->count;
			(*at)->samples += kind->samples;
			return;
		}
	kind->said = false;
	kind->next = NULL;
	if (format->count == DIAG_KINDS_MOST || !(*at = malloc(sizeof(**at)))) {
		add_other(format, kind);
		return;
	}
	**at = *kind;
	format->count++;
	if (kind->samples == 0 && format->said < DIAG_SAID_MOST)
		say_kind(diag, format, *at);
}

/* Records a warning with the text of fmt. */
PRINTF_LIKE(3, 0)
static void warn(struct diag *diag, struct diag_kind *kind, const char *fmt, va_list args)
{
	vsnprintf(kind->text, sizeof(kind->text), fmt, args);
	diag_add(diag, fmt, kind);
}

void diag_warn(struct diag *diag, uint64_t offset, const char *fmt, ...)
{
	struct diag_kind kind = { .count = 1, .offset = offset };
	va_list args;

	va_start(args, fmt);
	kind.subject = subject_of(fmt, args);
	warn(diag, &kind, fmt, args);
	va_end(args);
}

void diag_warn_about(struct diag *diag, struct diag_about about, const char *fmt, ...)
{
	struct diag_kind kind = { .subject = subject_hash(NO_SUBJECT, about.subject),
		                  .count = 1,
		                  .samples = about.samples,
		                  .offset = ERR_NO_OFFSET };
	va_list args;

	va_start(args, fmt);
	warn(diag, &kind, fmt, args);
	va_end(args);
}

void diag_warn_err(struct diag *diag, const struct err *err)
{
	struct diag_kind kind = { .subject = err->subject, .count = 1, .offset = err->offset };

	memcpy(kind.text, err->text, sizeof(kind.text));
	diag_add(diag, err->fmt, &kind);
}

void diag_replay(struct diag *to, const struct diag *from, uint64_t samples)
{
	const struct diag_format *format = to ? from->formats : NULL;

	for (; format; format = format->next) {
		struct diag_format *own;

		for (const struct diag_kind *k = format->kinds; k; k = k->next) {
			struct diag_kind kind = *k;

			kind.samples = samples;
			diag_add(to, format->fmt, &kind);
		}
		own = format->others.count ? format_of(to, format->fmt) : NULL;
		if (own)
			add_other(own, &format->others);
	}
}

void diag_start_again(struct diag *diag)
{
	for (struct diag_format *format = diag->formats; format; format = format->next) {
		struct diag_kind **at = &format->kinds;

		while (*at) {
			struct diag_kind *kind = *at;

			kind->count = kind->samples = 0;
			if (kind->said) {
				at = &kind->next;
				continue;
			}
			*at = kind->next;
			format->count--;
			free(kind);
		}
		format->others.count = 0;
	}
}

/*
 * Prints the postponed kinds, those with most samples first, up to the limit; the rest are counted
 * as others.
 */
static void say_waiting(struct diag *diag, struct diag_format *format)
{
	struct diag_kind *most;

	do {
		most = NULL;
		for (struct diag_kind *kind = format->kinds; kind; kind = kind->next)
			if (!kind->said && (!most || kind->samples > most->samples))
				most = kind;
		if (most && format->said < DIAG_SAID_MOST) {
			say_kind(diag, format, most);
		} else if (most) {
			add_other(format, most);
			most->said = true;
			most->count = 0;
		}
	} while (most);
}

static void say_count(struct diag *diag, uint64_t count, const char *like, const char *text)
{
	char line[ERR_TEXT_SIZE + 100];

	snprintf(line, sizeof(line), "%" PRIu64 " %s: %s", count, like, text);
	if (diag->print)
		diag->print(diag->context, ERR_NO_OFFSET, line);
}

void diag_finish(struct diag *diag)
{
	for (struct diag_format *format = diag->formats; format; format = format->next)
		say_waiting(diag, format);
	for (const struct diag_format *format = diag->formats; format; format = format->next) {
		for (const struct diag_kind *kind = format->kinds; kind; kind = kind->next)
			if (kind->count > 1)
				say_count(diag, kind->count - 1, "more like", kind->text);
		if (format->others.count)
			say_count(diag, format->others.count, "more about others, as",
			          format->others.text);
	}
}
