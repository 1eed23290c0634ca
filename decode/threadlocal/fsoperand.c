#include "decode/threadlocal/fsoperand.h"

#include "util/cursor.h"

/* Opcodes have up to two escape bytes: 0F, 0F 38, 0F 3A. */
enum opcode_map { MAP_ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A, MAP_OTHER };

/* An instruction while it is read. */
struct reading {
	const uint8_t *bytes;
	size_t size, used;
	bool fs;      /* it has the prefix of %fs */
	bool indexed; /* index register 4 is r12; otherwise it is none */
	enum opcode_map map;
};

/* The next byte; behind the end it is one that no instruction here begins or goes on with. */
static uint8_t next_byte(struct reading *reading)
{
	return reading->used < reading->size ? reading->bytes[reading->used++] : 0xff;
}

/* Reads prefixes; returns the first byte behind them. */
static uint8_t skip_prefixes(struct reading *reading)
{
	for (;;) {
		const uint8_t byte = next_byte(reading);

		switch (byte) {
		case 0x64:
			reading->fs = true;
			break;
		case 0x66: /* other sizes of operands */
		case 0xf0: /* lock */
		case 0xf2:
		case 0xf3:
			break;
		default:
			return byte;
		}
	}
}

/* Reads up to the opcode, which it returns; sets how the opcode is meant. */
static uint8_t read_opcode(struct reading *reading)
{
	uint8_t byte = skip_prefixes(reading);

	if (byte == 0xc4 || byte == 0xc5) {
		reading->map = MAP_0F;
		if (byte == 0xc4) {
			const uint8_t second = next_byte(reading);

			reading->indexed = !(second & 0x40);
			reading->map = second & 3 ? (enum opcode_map)(second & 3) : MAP_OTHER;
			if (second & 0x1c)
				reading->map = MAP_OTHER;
		}
		next_byte(reading);
		return next_byte(reading);
	}
	if (byte >> 4 == 4) { /* REX */
		reading->indexed = byte & 2;
		byte = next_byte(reading);
	}
	if (byte != 0x0f)
		return byte;
	reading->map = MAP_0F;
	byte = next_byte(reading);
	if (byte != 0x38 && byte != 0x3a)
		return byte;
	reading->map = byte == 0x38 ? MAP_0F38 : MAP_0F3A;
	return next_byte(reading);
}

struct opcode_range {
	uint8_t map, first, last;
};

/*
 * Opcodes with a ModRM byte whose memory operand is all that they access. Not: LEA, which accesses
 * nothing; PUSH, POP and CALL, which access the stack, too; BT and others with a register, which
 * may lead far from the operand; what saves whole states, of which an access may be any part.
 */
static const struct opcode_range accessing[] = {
	{ MAP_ONE_BYTE, 0x63, 0x63 }, { MAP_ONE_BYTE, 0x69, 0x69 }, { MAP_ONE_BYTE, 0x6b, 0x6b },
	{ MAP_ONE_BYTE, 0x80, 0x81 }, { MAP_ONE_BYTE, 0x83, 0x8b }, { MAP_ONE_BYTE, 0xc0, 0xc1 },
	{ MAP_ONE_BYTE, 0xc6, 0xc7 }, { MAP_ONE_BYTE, 0xd0, 0xd3 }, { MAP_ONE_BYTE, 0xf6, 0xf7 },
	{ MAP_ONE_BYTE, 0xfe, 0xff }, { MAP_0F, 0x10, 0x17 },       { MAP_0F, 0x28, 0x2f },
	{ MAP_0F, 0x40, 0x70 },       { MAP_0F, 0x74, 0x76 },       { MAP_0F, 0x7c, 0x7f },
	{ MAP_0F, 0x90, 0x9f },       { MAP_0F, 0xaf, 0xb1 },       { MAP_0F, 0xb6, 0xb8 },
	{ MAP_0F, 0xba, 0xba },       { MAP_0F, 0xbc, 0xc2 },       { MAP_0F, 0xc4, 0xc4 },
	{ MAP_0F, 0xc6, 0xc6 },       { MAP_0F, 0xd0, 0xfe },       { MAP_0F38, 0x00, 0x7f },
	{ MAP_0F38, 0x94, 0xf7 },     { MAP_0F3A, 0x00, 0xff },
};

static bool is_accessing(const struct reading *reading, uint8_t opcode, uint8_t modrm)
{
	/* the others of this group call, jump and push */
	if (reading->map == MAP_ONE_BYTE && opcode == 0xff && (modrm >> 3 & 7) > 1)
		return false;
	if (reading->map == MAP_ONE_BYTE && opcode < 0x40 && (opcode & 7) < 4)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(accessing); i++)
		if (accessing[i].map == reading->map && opcode >= accessing[i].first &&
		    opcode <= accessing[i].last)
			return true;
	return false;
}

bool fs_operand(const uint8_t *bytes, size_t size, int32_t *displacement)
{
	struct reading reading = { .bytes = bytes, .size = size };
	const uint8_t opcode = read_opcode(&reading);
	const uint8_t modrm = next_byte(&reading), sib = next_byte(&reading);

	/* neither base nor index: 32 bits follow, which are the address */
	if (!reading.fs || reading.indexed || (modrm & 0xc7) != 0x04 || (sib & 0x3f) != 0x25 ||
	    reading.size - reading.used < 4 || !is_accessing(&reading, opcode, modrm))
		return false;
	*displacement = (int32_t)load_u32(bytes + reading.used, must_swap(false));
	return true;
}
