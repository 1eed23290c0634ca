#include "perffile/fields/printformat.h"

#include "util/text.h"

#include <string.h>

#define CONVERSIONS_MOST 256 /* of a print format; kernels have up to 40 */

/* A conversion such as %08lx or %pS. */
struct conversion {
	char letter;   /* the last one, or p of a pointer; 0: it takes the value of a * */
	char extended; /* the letter after p; 0: none */
	bool adjacent; /* nothing stands between it and the one before */
};

struct print_format {
	struct field *fields;
	size_t count;
	struct expression_source source;
	struct value_names *last; /* of the argument before; NULL: it had none */
	uint32_t last_field;
};

static uint32_t find_field(const void *context, const char *name, size_t length)
{
	const struct print_format *print = context;

	for (size_t i = 0; i < print->count; i++)
		if (text_is(name, length, print->fields[i].name))
			return (uint32_t)i;
	return EXPR_NO_FIELD;
}

/* Reads the conversions of a format as printf() would. Returns how many. */
static size_t read_conversions(const char *format, struct conversion *out)
{
	const char *end = NULL; /* of the conversion before */
	size_t count = 0;

	while ((format = strchr(format, '%')) && count < CONVERSIONS_MOST) {
		struct conversion each = { .adjacent = format == end };

		if (*++format == '%') {
			format++;
			continue;
		}
		for (; *format && strchr("-+ #0123456789.*hlLqjzt", *format); format++)
			if (*format == '*' && count < CONVERSIONS_MOST - 1)
				out[count++] = (struct conversion){ .letter = 0 };
		if (!*format)
			break;
		each.letter = *format++;
		if (each.letter == 'p') {
			size_t length = 0;

			while (is_of_identifier(format[length]) && format[length] != '_')
				length++;
			each.extended = length ? *format : 0;
			format += length;
		}
		out[count++] = each;
		end = format;
	}
	return count;
}

/* The field that an expression shows as it is; casts may stand around it. NULL: none. */
static struct field *field_of(const struct print_format *print, const struct expression *e)
{
	while (e->kind == EXPR_CAST)
		e = e->a;
	return e->kind == EXPR_FIELD || e->kind == EXPR_CONTENT ? &print->fields[e->field] : NULL;
}

static void apply_conversion(const struct print_format *print, const struct conversion *conversion,
                             const struct expression *e)
{
	struct field *field = field_of(print, e);

	if (!field)
		return;
	if (e->kind == EXPR_CONTENT && e->is_bits && field->kind != FIELD_TEXT)
		field->kind = FIELD_BITS;
	if (field->kind > FIELD_HEX)
		return;
	if (conversion->letter == 'p' || conversion->letter == 'x' || conversion->letter == 'X')
		field->kind = FIELD_HEX;
	if (conversion->letter == 'p' && conversion->extended &&
	    strchr("sSfFB", conversion->extended))
		field->is_function = true;
	else if (conversion->letter == 's' && field->width == print->source.long_size)
		field->kind = FIELD_TEXT_POINTER;
}

/* When names are shown: where the condition, which depends on one field, is true, or false. */
struct shown_when {
	const struct expression *condition; /* NULL: always */
	bool when;
};

/* One field decides about the names of another; those with a second condition are always shown. */
static void set_condition(const struct print_format *print, struct field *field,
                          struct value_names *names, const struct shown_when *shown)
{
	const struct field *decider;

	if (!shown->condition)
		return;
	decider = &print->fields[shown->condition->field];
	if (!field->decider && field_is_number(decider))
		field->decider = decider;
	if (field->decider != decider)
		return;
	names->condition = shown->condition;
	names->when = shown->when;
}

/* Adds an expression to the names of its field. */
static bool add_names(struct print_format *print, const struct expression *e,
                      const struct shown_when *shown, bool adjacent)
{
	struct field *field = &print->fields[e->field];
	struct value_names *names, *last;

	if (!field_is_number(field))
		return true;
	names = arena_alloc(print->source.arena, sizeof(*names), print->source.err);
	if (!names)
		return false;
	*names = (struct value_names){ .text = e, .between = "", .width = field->width };
	set_condition(print, field, names, shown);
	print->last = names;
	print->last_field = e->field;
	if (!field->names) {
		field->names = names;
		return true;
	}
	last = field->names;
	while (last->next)
		last = last->next;
	last->next = names;
	last->between = adjacent ? "" : " ";
	return true;
}

/* Adds the parts of an expression that name the values of one field each. */
static bool find_names(struct print_format *print, const struct expression *e,
                       struct shown_when shown)
{
	struct shown_when yes = shown, no = shown;

	if (!e->names)
		return true;
	if (e->field < EXPR_MANY_FIELDS)
		return add_names(print, e, &shown, false);
	if (e->kind != EXPR_CHOICE)
		return true;
	if (!shown.condition && e->a->field < EXPR_MANY_FIELDS) {
		yes = (struct shown_when){ e->a, true };
		no = (struct shown_when){ e->a, false };
	}
	return find_names(print, e->b, yes) && find_names(print, e->c, no);
}

static bool apply_argument(struct print_format *print, const struct conversion *conversion,
                           const struct expression *e)
{
	const struct shown_when always = { NULL, false };
	/* the "+" of "%s%s" */
	const bool goes_on = print->last && conversion->adjacent && print->last_field == e->field &&
	                     e->is_text && !e->names;

	if (e->is_text && e->field < EXPR_MANY_FIELDS && (e->names || goes_on))
		return add_names(print, e, &always,
		                 conversion->adjacent && print->last &&
		                         print->last_field == e->field);
	print->last = NULL;
	apply_conversion(print, conversion, e);
	return find_names(print, e, always);
}

bool print_format_apply(const char *text, struct field *fields, size_t count, uint8_t long_size,
                        struct arena *arena, struct err *err)
{
	struct print_format print = { .fields = fields, .count = count };
	struct conversion conversions[CONVERSIONS_MOST];
	const char *format;
	size_t conversion_count;

	print.source = (struct expression_source){ .at = text,
		                                   .end = text + strlen(text),
		                                   .long_size = long_size,
		                                   .find_field = find_field,
		                                   .context = &print,
		                                   .arena = arena,
		                                   .err = err };
	format = expression_literal(&print.source);
	if (!format)
		return err->code == ERR_NONE;
	conversion_count = read_conversions(format, conversions);
	for (size_t i = 0; i < conversion_count && expression_take(&print.source, ","); i++) {
		const char *start = print.source.at;
		const struct expression *e = expression_read(&print.source);
		const bool whole = e &&
		                   (expression_skip_blanks(&print.source),
		                    print.source.at == print.source.end || *print.source.at == ',');

		if (!whole) {
			print.source.at = start;
			expression_skip_argument(&print.source);
			print.last = NULL;
		} else if (!apply_argument(&print, &conversions[i], e)) {
			return false;
		}
		if (err->code != ERR_NONE)
			return false;
	}
	return true;
}
