/*
 * The expressions in print formats of tracepoints. They are C, with REC->NAME for fields and with
 * functions that give texts; what is not understood is no expression.
 */
#ifndef READPERF_PERFFILE_FIELDS_EXPRESSION_H
#define READPERF_PERFFILE_FIELDS_EXPRESSION_H

#include "util/arena.h"

enum expression_kind {
	EXPR_NUMBER,
	EXPR_FIELD,
	EXPR_CAST, /* of a, to an integer of `width` bytes */
	EXPR_NEGATIVE,
	EXPR_NOT,        /* ! */
	EXPR_COMPLEMENT, /* ~ */
	EXPR_MULTIPLY,
	EXPR_DIVIDE,
	EXPR_MODULO,
	EXPR_ADD,
	EXPR_SUBTRACT,
	EXPR_SHIFT_LEFT,
	EXPR_SHIFT_RIGHT,
	EXPR_LESS,
	EXPR_LESS_EQUAL,
	EXPR_GREATER,
	EXPR_GREATER_EQUAL,
	EXPR_EQUAL,
	EXPR_UNEQUAL,
	EXPR_AND,
	EXPR_XOR,
	EXPR_OR,
	EXPR_BOTH,     /* && */
	EXPR_EITHER,   /* || */
	EXPR_CHOICE,   /* a ? b : c; a text if b and c are */
	EXPR_TEXT,     /* a literal */
	EXPR_FLAGS,    /* __print_flags(a, "text", names) */
	EXPR_SYMBOLIC, /* __print_symbolic(a, names) */
	EXPR_CONTENT   /* __get_str(FIELD) and the like: the bytes of a field */
};

struct value_name {
	uint64_t value;
	const char *name;
};

#define EXPR_NO_FIELD UINT32_MAX          /* it depends on no field */
#define EXPR_MANY_FIELDS (UINT32_MAX - 1) /* it depends on several */

struct expression {
	enum expression_kind kind;
	uint32_t field;                 /* the number of the only field that it depends on */
	bool is_text;                   /* otherwise a number */
	bool is_unsigned;               /* of 64 bits: comparisons with it are unsigned */
	bool names;                     /* FLAGS or SYMBOLIC is in it */
	bool is_bits;                   /* CONTENT: a set of bits */
	uint8_t width;                  /* CAST: bytes */
	bool is_signed;                 /* CAST */
	uint16_t height;                /* operators within each other */
	uint64_t number;                /* NUMBER */
	const char *text;               /* TEXT; of FLAGS what stands between two names */
	const struct value_name *items; /* of FLAGS and SYMBOLIC */
	size_t item_count;
	const struct expression *a, *b, *c;
};

/* Text that is left to read: [at, end). */
struct expression_source {
	const char *at, *end;
	uint8_t long_size; /* bytes of a long of the recorded kernel */
	/* The number of the field with this name; EXPR_NO_FIELD: there is none. */
	uint32_t (*find_field)(const void *context, const char *name, size_t length);
	const void *context;
	struct arena *arena; /* of the expressions */
	struct err *err;     /* set when memory is refused */
	size_t nodes;        /* so many were made */
	unsigned depth;      /* so deep is the expression that is being read */
};

/*
 * Reads an expression, and stops behind it. NULL: there is none that is understood, or the source's
 * err is set.
 */
const struct expression *expression_read(struct expression_source *source);

void expression_skip_blanks(struct expression_source *source);
/* Takes this text if it comes next, behind blanks. */
bool expression_take(struct expression_source *source, const char *text);
/* The length of the word that comes next, behind blanks; 0: none does. */
size_t expression_word_length(struct expression_source *source);
/* Takes this word if it comes next, behind blanks, as a whole. */
bool expression_take_word(struct expression_source *source, const char *word);
/*
 * Takes literals, which may stand one behind the other, and returns their contents, in the arena,
 * terminated. NULL: there is none.
 */
const char *expression_literal(struct expression_source *source);
/* Moves to the comma or parenthesis that ends this argument, or to the end. */
void expression_skip_argument(struct expression_source *source);

/* The value of an expression that is no text, where its field has this value. */
uint64_t expression_number(const struct expression *expression, uint64_t field);

#endif
