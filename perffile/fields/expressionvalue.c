/* What an expression is, of a value of its field. */
#include "perffile/fields/expression.h"

static uint64_t cast_number(const struct expression *cast, uint64_t value)
{
	switch (cast->width) {
	case 1:
		return cast->is_signed ? (uint64_t)(int8_t)value : (uint8_t)value;
	case 2:
		return cast->is_signed ? (uint64_t)(int16_t)value : (uint16_t)value;
	case 4:
		return cast->is_signed ? (uint64_t)(int32_t)value : (uint32_t)value;
	default:
		return value;
	}
}

/* Of a comparison; -9ULL is greater than all numbers of trees of btrfs. */
static bool is_less(const struct expression *comparison, uint64_t a, uint64_t b)
{
	return comparison->is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

uint64_t expression_number(const struct expression *e, uint64_t field)
{
	uint64_t a, b;

	switch (e->kind) {
	case EXPR_NUMBER:
		return e->number;
	case EXPR_FIELD:
		return field;
	case EXPR_CHOICE:
		return expression_number(expression_number(e->a, field) ? e->b : e->c, field);
	case EXPR_BOTH:
		return expression_number(e->a, field) && expression_number(e->b, field);
	case EXPR_EITHER:
		return expression_number(e->a, field) || expression_number(e->b, field);
	default:
		break;
	}
	if (e->is_text)
		return 0;
	a = expression_number(e->a, field);
	if (e->kind == EXPR_CAST)
		return cast_number(e, a);
	b = e->b == e->a ? a : expression_number(e->b, field);
	switch (e->kind) {
	case EXPR_NEGATIVE:
		return -a;
	case EXPR_NOT:
		return !a;
	case EXPR_COMPLEMENT:
		return ~a;
	case EXPR_MULTIPLY:
		return a * b;
	case EXPR_DIVIDE:
		return b ? a / b : 0;
	case EXPR_MODULO:
		return b ? a % b : 0;
	case EXPR_ADD:
		return a + b;
	case EXPR_SUBTRACT:
		return a - b;
	case EXPR_SHIFT_LEFT:
		return b < 64 ? a << b : 0;
	case EXPR_SHIFT_RIGHT:
		return b < 64 ? a >> b : 0;
	case EXPR_LESS:
		return is_less(e, a, b);
	case EXPR_LESS_EQUAL:
		return !is_less(e, b, a);
	case EXPR_GREATER:
		return is_less(e, b, a);
	case EXPR_GREATER_EQUAL:
		return !is_less(e, a, b);
	case EXPR_EQUAL:
		return a == b;
	case EXPR_UNEQUAL:
		return a != b;
	case EXPR_AND:
		return a & b;
	case EXPR_XOR:
		return a ^ b;
	default:
		return a | b;
	}
}
