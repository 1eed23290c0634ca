/*
 * A field of a tracepoint's raw data: where it is, what kind of value it holds, what its values are
 * called, and how it is read.
 */
#ifndef READPERF_PERFFILE_FIELDS_FIELD_H
#define READPERF_PERFFILE_FIELDS_FIELD_H

#include "perffile/fields/valuenames.h"
#include "util/bytes.h"

enum field_kind {
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_HEX,          /* an unsigned integer that people read in hex: pointers, and %p, %x */
	FIELD_TEXT,         /* up to a NUL or the end of the field */
	FIELD_TEXT_POINTER, /* the address of a text in the recorded kernel; a number */
	FIELD_NUMBERS,      /* an array of integers */
	FIELD_BITS,         /* a set of bits such as a cpumask, an array of words */
	FIELD_BYTES         /* anything else */
};

/* Where the bytes of a field are. */
enum field_place {
	FIELD_HERE,     /* at its offset */
	FIELD_DATA_LOC, /* at its offset: u32 with the size << 16 | offset in the raw data */
	FIELD_REL_LOC   /* the same, but the offset counts from the end of this u32 */
};

struct field {
	const char *name;      /* in the arena of the format */
	uint32_t offset, size; /* bytes in the raw data */
	enum field_kind kind;
	enum field_place place;
	uint8_t width;             /* bytes of an integer or of each in the array: 1, 2, 4, 8 */
	bool is_signed;            /* it is declared so, or the elements of an array are */
	bool is_function;          /* the print format shows the function at this address */
	struct value_names *names; /* NULL: the print format has no names for its values */
	/* whose value decides which of the names are shown; NULL: all of them are */
	const struct field *decider;
};

/* The raw data of a sample, or a part of them. */
struct raw_data {
	const uint8_t *data; /* borrowed; NULL: there are none */
	size_t size;
	bool swap; /* they are in the other byte order */
};

/* The bytes of a field; NULL: the raw data end before the field does. */
struct raw_data field_bytes(const struct field *field, const struct raw_data *raw);

/* Whether it holds one number. */
static inline bool field_is_number(const struct field *field)
{
	return field->kind <= FIELD_HEX || field->kind == FIELD_TEXT_POINTER;
}

/*
 * The value of a field with one number, of FIELD_SIGNED with its sign extended to 64 bits. False:
 * the raw data ends before it.
 */
static inline bool field_number(const struct field *field, const struct raw_data *raw,
                                uint64_t *value)
{
	const bool sign = field->kind == FIELD_SIGNED;
	const uint8_t *at;

	if (raw->size < (uint64_t)field->offset + field->width)
		return false;
	at = raw->data + field->offset;
	switch (field->width) {
	case 1:
		*value = sign ? (uint64_t)(int8_t)*at : *at;
		break;
	case 2:
		*value = load_u16(at, raw->swap);
		*value = sign ? (uint64_t)(int16_t)*value : *value;
		break;
	case 4:
		*value = load_u32(at, raw->swap);
		*value = sign ? (uint64_t)(int32_t)*value : *value;
		break;
	default:
		*value = load_u64(at, raw->swap);
		break;
	}
	return true;
}

/*
 * Whether a value of a field with one number is negative. Fields that people read in hex may be, as
 * the results of system calls; *value gets its sign extended.
 */
static inline bool field_is_negative(const struct field *field, uint64_t *value)
{
	if (!field->is_signed)
		return false;
	if (field->width < 8 && *value >> (8 * field->width - 1) & 1)
		*value |= UINT64_MAX << (8 * field->width);
	return *value >> 63;
}

/* The value that decides which names of a field are shown; 0: none does, or the raw data end early.
 */
uint64_t field_decision(const struct field *field, const struct raw_data *raw);

/*
 * Writes the value of a field that is neither a number nor a text: numbers with a blank between
 * them, a set of bits as the kernel prints it ("00000000,00000003"), other bytes in hex. Returns
 * the length, cut to what `size` bytes at out can hold.
 */
size_t field_print(const struct field *field, const struct raw_data *bytes, char *out, size_t size);

#endif
