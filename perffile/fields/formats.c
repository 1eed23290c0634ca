#include "perffile/fields/formats.h"

#include "util/digits.h"
#include "util/search.h"
#include "util/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/*
 * The tracing data of a file is read before the first record, that of a pipe has come with a
 * record. Handlers may run in a second thread, so that neither uses memory of the session.
 */
static bool read_tracing(struct formats *formats, struct err *err)
{
	const struct session *session = formats->session;
	struct err broken = { .code = ERR_NONE };
	struct cursor c = cursor_over(session->tracing_bytes, session->tracing_size,
	                              session->tracing_offset, "tracing data", false, &broken);

	formats->has_tracing = true;
	if (cur_left(&c))
		tracing_data_parse(&formats->tracing, c, &formats->arena);
	return err_pass_nomem(err, &broken);
}

bool formats_init(struct formats *formats, struct session *session, struct err *err)
{
	*formats = (struct formats){ .session = session };
	if (!session->features[PERF_FEATURE_TRACING_DATA].present)
		return true; /* it comes with a record, or never */
	formats->has_tracing = true;
	return session_tracing_data(session, &formats->tracing, err);
}

void formats_release(struct formats *formats)
{
	tracing_data_release(&formats->tracing);
	free(formats->items);
	free(formats->texts);
	arena_release(&formats->arena);
}

static struct event_format *make_format(struct formats *formats, const struct event_attr *attr,
                                        struct err *err)
{
	struct event_format *item = arena_alloc(&formats->arena, sizeof(*item), err);
	const char *text;

	if (!item)
		return NULL;
	if (attr->type != PERF_TYPE_TRACEPOINT)
		return item;
	item->name = numbered_names_find(&formats->tracing.tracepoints, attr->config);
	text = numbered_names_find(&formats->tracing.formats, attr->config);
	if (text &&
	    !format_parse(&item->format, text, formats->tracing.long_size, &formats->arena, err))
		return NULL;
	return item;
}

const struct event_format *formats_of(struct formats *formats, uint32_t event, struct err *err)
{
	static struct event_format *const none = NULL;

	if (event < formats->count && formats->items[event])
		return formats->items[event];
	if (!formats->has_tracing && !read_tracing(formats, err))
		return NULL;
	while (formats->count <= event)
		if (!vec_append(&formats->items, &formats->count, &formats->capacity, &none,
		                sizeof(none), err))
			return NULL;
	formats->items[event] = make_format(formats, &formats->session->events[event].attr, err);
	return formats->items[event];
}

/* 0xffffffff8208e5c9 : "text", a line for each */
static bool add_text(struct formats *formats, const char *line, const char *end, struct err *err)
{
	const char *quote = memchr(line, '"', (size_t)(end - line));
	struct kernel_text item = { .address = strtoull(line, NULL, 16) };

	if (!quote || !item.address)
		return true;
	quote++;
	while (end > quote && end[-1] != '"')
		end--;
	if (end == quote)
		return true;
	item.text = arena_text(&formats->arena, quote, (size_t)(end - 1 - quote), err);
	return item.text && vec_append(&formats->texts, &formats->text_count,
	                               &formats->text_capacity, &item, sizeof(item), err);
}

static bool read_texts(struct formats *formats, struct err *err)
{
	const char *all = arena_text(&formats->arena, formats->tracing.printk,
	                             formats->tracing.printk_size, err);

	formats->has_texts = true;
	if (!all)
		return false;
	while (*all) {
		const char *end = strchr(all, '\n');

		if (!end)
			end = all + strlen(all);
		if (!add_text(formats, all, end, err))
			return false;
		all = *end ? end + 1 : end;
	}
	if (formats->text_count)
		qsort(formats->texts, formats->text_count, sizeof(*formats->texts), search_compare);
	return true;
}

const char *formats_text(struct formats *formats, uint64_t address, struct err *err)
{
	size_t number;

	if (!formats->has_texts && formats->tracing.printk && !read_texts(formats, err))
		return NULL;
	number = search_equal(formats->texts, formats->text_count, sizeof(*formats->texts),
	                      address);
	return number < formats->text_count ? formats->texts[number].text : NULL;
}

/* The text of a number without names. Returns where it ends. */
static char *number_text(struct formats *formats, const struct field *field, uint64_t value,
                         char out[FIELD_TEXT_ROOM], struct err *err)
{
	const char *text = field->kind == FIELD_TEXT_POINTER ? formats_text(formats, value, err)
	                                                     : NULL;
	size_t length;

	if (text) {
		length = strnlen(text, FIELD_TEXT_ROOM - 1);
		return (char *)memcpy(out, text, length) + length;
	}
	if (field->kind == FIELD_HEX || field->kind == FIELD_TEXT_POINTER)
		return format_hex(out, value);
	if (field->kind == FIELD_SIGNED && value >> 63) {
		*out++ = '-';
		value = -value;
	}
	return format_u64(out, value);
}

bool formats_field_text(struct formats *formats, const struct field *field,
                        const struct raw_data *raw, char out[FIELD_TEXT_ROOM], struct err *err)
{
	struct raw_data bytes;
	uint64_t value;
	char *end;

	if (field_is_number(field)) {
		if (!field_number(field, raw, &value))
			return false;
		end = field->names ? out + value_names_text(field->names, value,
		                                            field_decision(field, raw), out)
		                   : number_text(formats, field, value, out, err);
	} else {
		bytes = field_bytes(field, raw);
		if (!bytes.data)
			return false;
		if (field->kind == FIELD_TEXT)
			end = (char *)memcpy(out, bytes.data, bytes.size) + bytes.size;
		else
			end = out + field_print(field, &bytes, out, FIELD_TEXT_ROOM - 1);
	}
	*end = '\0';
	return err->code == ERR_NONE;
}

bool formats_are_damaged(const struct formats *formats)
{
	bool damaged = formats->count && formats->tracing.doubled;

	for (size_t i = 0; i < formats->count; i++)
		damaged |= formats->items[i] && formats->items[i]->format.left_out;
	return damaged;
}

void formats_report(const struct formats *formats, struct diag *diag)
{
	size_t missing = 0;

	for (size_t i = 0; i < formats->count; i++) {
		const struct event_format *item = formats->items[i];
		const struct event_attr *attr = &formats->session->events[i].attr;

		missing += item && attr->type == PERF_TYPE_TRACEPOINT &&
		           !numbered_names_find(&formats->tracing.formats, attr->config);
		if (item && item->format.left_out)
			diag_warn(diag, ERR_NO_OFFSET,
			          "the format of %.200s: fields that make no sense, or are too "
			          "many, are left out: %zu",
			          item->name, item->format.left_out);
	}
	if (formats->count && formats->tracing.doubled)
		diag_warn(diag, ERR_NO_OFFSET,
		          "ids of tracepoints with two formats, of which none is used: %zu (the "
		          "first is %" PRIu64 ")",
		          formats->tracing.doubled, formats->tracing.doubled_id);
	if (missing)
		diag_warn(diag, ERR_NO_OFFSET,
		          "tracepoints whose format the recording does not have, so that their "
		          "fields are not known: %zu",
		          missing);
}
