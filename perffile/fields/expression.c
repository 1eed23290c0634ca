#include "perffile/fields/expression.h"

#include "perffile/fields/integertype.h"
#include "util/digits.h"
#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MOST 65536 /* of a print format; each is one operator or operand in it */
/*
 * Parentheses, operators and choices within each other. Kernels nest some 40; each takes about 1 kB
 * of stack.
 */
#define DEPTH_MOST 400
#define HEIGHT_MOST 1000 /* operators within each other that depend on a field */
#define NAME_MOST 255    /* bytes of a name of a value */

/* What both make together depends on. */
static uint32_t common_field(uint32_t a, uint32_t b)
{
	return a == EXPR_NO_FIELD || a == b ? b : b == EXPR_NO_FIELD ? a : EXPR_MANY_FIELDS;
}

static struct expression *new_node(struct expression_source *source, enum expression_kind kind)
{
	struct expression *node;

	if (source->err->code != ERR_NONE || source->nodes == NODES_MOST)
		return NULL;
	node = arena_alloc(source->arena, sizeof(*node), source->err);
	if (!node)
		return NULL;
	source->nodes++;
	node->kind = kind;
	node->field = EXPR_NO_FIELD;
	return node;
}

static const struct expression *make_constant(struct expression_source *source, uint64_t value,
                                              bool is_unsigned)
{
	struct expression *node = new_node(source, EXPR_NUMBER);

	if (node) {
		node->number = value;
		node->is_unsigned = is_unsigned;
	}
	return node;
}

/* An operator of one or two operands. Its value, where that is known. */
static const struct expression *make_operation(struct expression_source *source,
                                               enum expression_kind kind,
                                               const struct expression *a,
                                               const struct expression *b)
{
	struct expression e = { .kind = kind, .a = a, .b = b };
	struct expression *node;

	if (!a || !b || a->is_text || b->is_text)
		return NULL;
	e.field = common_field(a->field, b->field);
	e.is_unsigned = a->is_unsigned || b->is_unsigned;
	if (e.field == EXPR_NO_FIELD)
		return make_constant(source, expression_number(&e, 0), e.is_unsigned);
	e.height = (uint16_t)((a->height > b->height ? a->height : b->height) + 1);
	node = e.height < HEIGHT_MOST ? new_node(source, kind) : NULL;
	if (node)
		*node = e;
	return node;
}

static const struct expression *make_choice(struct expression_source *source,
                                            const struct expression *condition,
                                            const struct expression *yes,
                                            const struct expression *no)
{
	struct expression *node;

	if (!condition || !yes || !no || condition->is_text || yes->is_text != no->is_text)
		return NULL;
	node = condition->height < HEIGHT_MOST && yes->height < HEIGHT_MOST &&
	                       no->height < HEIGHT_MOST
	               ? new_node(source, EXPR_CHOICE)
	               : NULL;
	if (!node)
		return NULL;
	node->height = (uint16_t)(condition->height + 1);
	if (yes->height >= node->height)
		node->height = (uint16_t)(yes->height + 1);
	if (no->height >= node->height)
		node->height = (uint16_t)(no->height + 1);
	node->a = condition;
	node->b = yes;
	node->c = no;
	node->field = common_field(condition->field, common_field(yes->field, no->field));
	node->is_text = yes->is_text;
	node->names = yes->names || no->names;
	return node;
}

/* Constants that kernels before 4.6 left in their print formats. Linux: include/linux/. */
static bool known_constant(const char *word, size_t length, uint64_t *value)
{
	static const struct {
		const char *name;
		uint64_t value;
	} constants[] = {
		{ "HI_SOFTIRQ", 0 },           { "TIMER_SOFTIRQ", 1 },   { "NET_TX_SOFTIRQ", 2 },
		{ "NET_RX_SOFTIRQ", 3 },       { "BLOCK_SOFTIRQ", 4 },   { "IRQ_POLL_SOFTIRQ", 5 },
		{ "BLOCK_IOPOLL_SOFTIRQ", 5 }, { "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 },
		{ "HRTIMER_SOFTIRQ", 8 },      { "RCU_SOFTIRQ", 9 },     { "HRTIMER_NORESTART", 0 },
		{ "HRTIMER_RESTART", 1 },      { "false", 0 },           { "true", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(constants); i++)
		if (text_is(word, length, constants[i].name)) {
			*value = constants[i].value;
			return true;
		}
	return false;
}

static const struct expression *read_number(struct expression_source *source)
{
	unsigned base = expression_take(source, "0x") || expression_take(source, "0X") ? 16 : 10;
	struct expression *node = new_node(source, EXPR_NUMBER);
	const char *start = source->at;

	if (base == 10 && source->at < source->end && *source->at == '0')
		base = 8;
	for (; node && source->at < source->end; source->at++) {
		const char c = *source->at;
		const unsigned digit = is_digit(c)            ? (unsigned)(c - '0')
		                       : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
		                       : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
		                                              : base;

		if (digit >= base)
			break;
		node->number = node->number * base + digit;
	}
	if (source->at == start)
		return NULL;
	while (source->at < source->end && strchr("uUlL", *source->at) && *source->at)
		node->is_unsigned |= strchr("uU", *source->at++) != NULL;
	return node;
}

static const struct expression *read_literal(struct expression_source *source)
{
	const char *text = expression_literal(source);
	struct expression *node = text ? new_node(source, EXPR_TEXT) : NULL;

	if (!node)
		return NULL;
	node->text = text;
	node->is_text = true;
	return node;
}

/*
 * One of { VALUE, "NAME" }. *known: both are there, and VALUE is a constant. False: it is something
 * else, or the source's err is set.
 */
static bool read_item(struct expression_source *source, struct value_name *item, bool *known)
{
	const struct expression *value;
	const char *name;

	if (!expression_take(source, "{"))
		return false;
	value = expression_read(source);
	if (!value)
		expression_skip_argument(source);
	if (!expression_take(source, ","))
		return false;
	name = expression_literal(source);
	if (!name) /* the end of a list: { 0, ((void *)0) } */
		expression_skip_argument(source);
	*known = value && name && value->field == EXPR_NO_FIELD && !value->is_text &&
	         strlen(name) <= NAME_MOST;
	if (*known)
		*item = (struct value_name){ expression_number(value, 0), name };
	return source->err->code == ERR_NONE && expression_take(source, "}");
}

/* The list of names up to the parenthesis that ends it, which is taken. */
static bool read_items(struct expression_source *source, struct expression *node)
{
	struct value_name *items = NULL, *kept;
	size_t count = 0, capacity = 0;
	bool ok = true;

	while (ok && expression_take(source, ",")) {
		struct value_name item;
		bool known;

		ok = read_item(source, &item, &known) &&
		     (!known ||
		      vec_append(&items, &count, &capacity, &item, sizeof(item), source->err));
	}
	ok = ok && expression_take(source, ")");
	kept = ok && count ? arena_alloc(source->arena, count * sizeof(*items), source->err) : NULL;
	if (kept) {
		memcpy(kept, items, count * sizeof(*items));
		node->items = kept;
		node->item_count = count;
	}
	free(items);
	return kept != NULL;
}

/* Behind "__print_flags(" or "__print_symbolic(". */
static const struct expression *read_names(struct expression_source *source,
                                           enum expression_kind kind)
{
	struct expression *node = new_node(source, kind);

	if (!node)
		return NULL;
	node->a = expression_read(source);
	if (!node->a || node->a->is_text)
		return NULL;
	if (kind == EXPR_FLAGS) {
		node->text = expression_take(source, ",") ? expression_literal(source) : NULL;
		if (!node->text)
			return NULL;
	}
	node->field = node->a->field;
	node->height = (uint16_t)(node->a->height + 1);
	node->is_text = node->names = true;
	return read_items(source, node) ? node : NULL;
}

/* The field whose name comes next. EXPR_NO_FIELD: there is none. */
static uint32_t read_field_name(struct expression_source *source)
{
	size_t length = expression_word_length(source);
	uint32_t field = length ? source->find_field(source->context, source->at, length)
	                        : EXPR_NO_FIELD;

	source->at += length;
	return field;
}

/* Behind "__get_str(" and the like. */
static const struct expression *read_content(struct expression_source *source, bool is_bits)
{
	struct expression *node = new_node(source, EXPR_CONTENT);
	uint32_t field = read_field_name(source);

	if (!node || field == EXPR_NO_FIELD || !expression_take(source, ")"))
		return NULL;
	node->field = field;
	node->is_text = true;
	node->is_bits = is_bits;
	return node;
}

static const struct expression *read_function(struct expression_source *source)
{
	if (expression_take_word(source, "__print_flags") ||
	    expression_take_word(source, "__print_flags_u64"))
		return expression_take(source, "(") ? read_names(source, EXPR_FLAGS) : NULL;
	if (expression_take_word(source, "__print_symbolic") ||
	    expression_take_word(source, "__print_symbolic_u64"))
		return expression_take(source, "(") ? read_names(source, EXPR_SYMBOLIC) : NULL;
	if (expression_take_word(source, "__get_str") ||
	    expression_take_word(source, "__get_rel_str"))
		return expression_take(source, "(") ? read_content(source, false) : NULL;
	if (expression_take_word(source, "__get_bitmask") ||
	    expression_take_word(source, "__get_cpumask") ||
	    expression_take_word(source, "__get_rel_bitmask") ||
	    expression_take_word(source, "__get_rel_cpumask"))
		return expression_take(source, "(") ? read_content(source, true) : NULL;
	return NULL;
}

/* A word: REC->NAME, a function, or a constant. */
static const struct expression *read_word(struct expression_source *source)
{
	const size_t length = expression_word_length(source);
	struct expression *node;
	uint64_t value;

	if (expression_take_word(source, "REC")) {
		node = new_node(source, EXPR_FIELD);
		if (!node || !expression_take(source, "->"))
			return NULL;
		node->field = read_field_name(source);
		expression_skip_blanks(source);
		/* an element of an array is not the field's value */
		return node->field == EXPR_NO_FIELD ||
		                       (source->at < source->end && *source->at == '[')
		               ? NULL
		               : node;
	}
	if (!known_constant(source->at, length, &value))
		return read_function(source);
	source->at += length;
	return make_constant(source, value, false);
}

static const struct expression *read_unary(struct expression_source *source);

/* Behind "(": the type of a cast and its ")". False, and nothing is taken: it is something else. */
static bool take_type(struct expression_source *source, uint8_t *width, bool *is_signed)
{
	const char *start = source->at, *stop;
	bool pointer = false;
	size_t words = 0, length;

	while ((length = expression_word_length(source)) > 0 &&
	       !text_is(source->at, length, "REC")) {
		source->at += length;
		words++;
	}
	stop = source->at;
	while (words && expression_take(source, "*"))
		pointer = true;
	if (!words || !expression_take(source, ")")) {
		source->at = start;
		return false;
	}
	expression_skip_blanks(source);
	/* "(CONSTANT) - 1" looks like a cast */
	if (source->at == source->end ||
	    !(begins_identifier(*source->at) || is_digit(*source->at) ||
	      strchr("(~!\"", *source->at) || (strchr("-*&", *source->at) && pointer))) {
		source->at = start;
		return false;
	}
	*width = pointer ? source->long_size
	                 : integer_width(start, (size_t)(stop - start), source->long_size,
	                                 is_signed);
	if (pointer)
		*is_signed = false;
	return true;
}

static const struct expression *read_parenthesis(struct expression_source *source)
{
	const struct expression *inner;
	struct expression *cast;
	uint8_t width;
	bool is_signed = false;

	if (!take_type(source, &width, &is_signed)) {
		inner = expression_read(source);
		return inner && expression_take(source, ")") ? inner : NULL;
	}
	inner = read_unary(source);
	if (!inner || inner->is_text || !width)
		return inner; /* a type that is not known changes nothing */
	cast = inner->height < HEIGHT_MOST ? new_node(source, EXPR_CAST) : NULL;
	if (!cast)
		return NULL;
	*cast = (struct expression){ .kind = EXPR_CAST,
		                     .a = inner,
		                     .field = inner->field,
		                     .width = width,
		                     .is_signed = is_signed,
		                     .is_unsigned = !is_signed && width == 8,
		                     .height = (uint16_t)(inner->height + 1) };
	return cast->field == EXPR_NO_FIELD
	               ? make_constant(source, expression_number(cast, 0), cast->is_unsigned)
	               : cast;
}

static const struct expression *read_unary_of(struct expression_source *source,
                                              enum expression_kind kind)
{
	const struct expression *inner = read_unary(source);

	return make_operation(source, kind, inner, inner);
}

static const struct expression *read_operand(struct expression_source *source)
{
	expression_skip_blanks(source);
	if (source->at == source->end)
		return NULL;
	if (begins_identifier(*source->at))
		return read_word(source);
	if (is_digit(*source->at))
		return read_number(source);
	if (*source->at == '"')
		return read_literal(source);
	if (expression_take(source, "("))
		return read_parenthesis(source);
	if (expression_take(source, "-"))
		return read_unary_of(source, EXPR_NEGATIVE);
	if (expression_take(source, "~"))
		return read_unary_of(source, EXPR_COMPLEMENT);
	if (expression_take(source, "!"))
		return read_unary_of(source, EXPR_NOT);
	return NULL;
}

static const struct expression *read_unary(struct expression_source *source)
{
	const struct expression *result = NULL;

	if (source->depth == DEPTH_MOST)
		return NULL;
	source->depth++;
	result = read_operand(source);
	source->depth--;
	return result;
}

/* Operators of two operands; those that bind more strongly have a higher level. */
static bool take_operator(struct expression_source *source, unsigned least,
                          enum expression_kind *kind, unsigned *level)
{
	/* longer ones first */
	static const struct {
		const char *text;
		enum expression_kind kind;
		unsigned level;
	} operators[] = {
		{ "||", EXPR_EITHER, 1 },     { "&&", EXPR_BOTH, 2 },
		{ "==", EXPR_EQUAL, 6 },      { "!=", EXPR_UNEQUAL, 6 },
		{ "<<", EXPR_SHIFT_LEFT, 8 }, { ">>", EXPR_SHIFT_RIGHT, 8 },
		{ "<=", EXPR_LESS_EQUAL, 7 }, { ">=", EXPR_GREATER_EQUAL, 7 },
		{ "<", EXPR_LESS, 7 },        { ">", EXPR_GREATER, 7 },
		{ "|", EXPR_OR, 3 },          { "^", EXPR_XOR, 4 },
		{ "&", EXPR_AND, 5 },         { "+", EXPR_ADD, 9 },
		{ "-", EXPR_SUBTRACT, 9 },    { "*", EXPR_MULTIPLY, 10 },
		{ "/", EXPR_DIVIDE, 10 },     { "%", EXPR_MODULO, 10 },
	};
	const char *start = source->at;

	for (size_t i = 0; i < ARRAY_SIZE(operators); i++)
		if (expression_take(source, operators[i].text)) {
			if (operators[i].level >= least) {
				*kind = operators[i].kind;
				*level = operators[i].level;
				return true;
			}
			break;
		}
	source->at = start;
	return false;
}

static const struct expression *read_binary(struct expression_source *source, unsigned least)
{
	const struct expression *left = read_unary(source);
	enum expression_kind kind;
	unsigned level;

	while (left && take_operator(source, least, &kind, &level))
		left = make_operation(source, kind, left, read_binary(source, level + 1));
	return left;
}

const struct expression *expression_read(struct expression_source *source)
{
	const struct expression *result, *yes;

	if (source->depth == DEPTH_MOST)
		return NULL;
	source->depth++;
	result = read_binary(source, 1);
	if (result && expression_take(source, "?")) {
		yes = expression_read(source);
		result = yes && expression_take(source, ":")
		                 ? make_choice(source, result, yes, expression_read(source))
		                 : NULL;
	}
	source->depth--;
	return result;
}
