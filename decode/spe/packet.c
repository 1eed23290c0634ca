#include "decode/spe/packet.h"

#include "util/bytes.h"

/* First byte of a packet; of address and counter packets, of the second byte of long headers. */
#define HEADER_PAD 0x00u
#define HEADER_END 0x01u
#define HEADER_TIME 0x71u
#define HEADER_LONG 0x20u /* in bits 7 to 2: a second byte follows */
#define HEADER_EVENTS 0x42u
#define HEADER_SOURCE 0x43u
#define HEADER_CONTEXT 0x64u
#define HEADER_OPERATION 0x48u
#define HEADER_ADDRESS 0xb0u
#define HEADER_COUNTER 0x98u
#define ALIGNMENT 0x00u /* second byte of a long header */

#define SIZE_SHIFT 4 /* bits 5 and 4 of a header: log2 of the bytes of payload */
#define SIZE_MASK 3u

enum packet_type {
	PACKET_PAD,
	PACKET_END,
	PACKET_TIME,
	PACKET_EVENTS,
	PACKET_SOURCE,
	PACKET_CONTEXT,
	PACKET_OPERATION,
	PACKET_ADDRESS,
	PACKET_COUNTER
};

struct packet {
	enum packet_type type;
	uint8_t index;    /* which context, class, address or counter */
	uint64_t payload; /* little-endian, whatever the byte order of the kernel */
};

enum { ADDRESS_PC, ADDRESS_TARGET, ADDRESS_DATA, ADDRESS_PHYSICAL };
enum { COUNTER_TOTAL };
enum { CLASS_OTHER, CLASS_LOAD_STORE, CLASS_BRANCH };

/* Payload of addresses of code: the exception level, and whether the world is not secure. */
#define LEVEL_SHIFT 61
#define LEVEL_MASK 3u
#define NOT_SECURE_SHIFT 63
#define ADDRESS_MASK ((UINT64_C(1) << 56) - 1)
#define TOP_BYTE (UINT64_C(0xff) << 56)
/* The kernel's data have these bits below the tag. */
#define KERNEL_DATA (UINT64_C(0xf) << 52)

/* Payload of operations. */
#define OPERATION_STORE 1u
#define OPERATION_CONDITIONAL 1u
#define OPERATION_INDIRECT 2u
#define BRANCH_CLASS_SHIFT 3
#define BRANCH_CLASS_MASK 3u

static bool header_type(uint8_t header, enum packet_type *type)
{
	if (header == HEADER_TIME)
		*type = PACKET_TIME;
	else if ((header & 0xcfu) == HEADER_EVENTS)
		*type = PACKET_EVENTS;
	else if ((header & 0xcfu) == HEADER_SOURCE)
		*type = PACKET_SOURCE;
	else if ((header & 0xfcu) == HEADER_CONTEXT)
		*type = PACKET_CONTEXT;
	else if ((header & 0xfcu) == HEADER_OPERATION)
		*type = PACKET_OPERATION;
	else if ((header & 0xf8u) == HEADER_ADDRESS)
		*type = PACKET_ADDRESS;
	else if ((header & 0xf8u) == HEADER_COUNTER)
		*type = PACKET_COUNTER;
	else
		return false;
	return true;
}

/* Bytes up to the boundary that an alignment packet asks for. */
static size_t alignment_size(const struct spe_trace *trace)
{
	const uint64_t alignment = UINT64_C(2) << (trace->data[trace->pos] & 0xfu);
	const uint64_t at = trace->start + trace->pos;

	return (size_t)(alignment - (at & (alignment - 1)));
}

/* Reads the packet at pos. Returns its bytes; 0: there is none; more than are left: it is cut off.
 */
static size_t read_packet(const struct spe_trace *trace, struct packet *packet)
{
	const uint8_t *data = trace->data + trace->pos;
	const size_t left = trace->size - trace->pos;
	const bool is_long = (data[0] & 0xfcu) == HEADER_LONG;
	const size_t header = is_long ? 2 : 1;
	size_t payload;

	*packet = (struct packet){ .type = data[0] == HEADER_END ? PACKET_END : PACKET_PAD };
	if (data[0] == HEADER_PAD || data[0] == HEADER_END)
		return 1;
	if (left < header)
		return header;
	if (is_long && data[1] == ALIGNMENT)
		return alignment_size(trace);
	if (!header_type(data[header - 1], &packet->type) ||
	    (is_long && packet->type != PACKET_ADDRESS && packet->type != PACKET_COUNTER))
		return 0;
	payload = (size_t)1 << (data[header - 1] >> SIZE_SHIFT & SIZE_MASK);
	if (left < header + payload)
		return header + payload;
	for (size_t i = 0; i < payload; i++)
		packet->payload |= (uint64_t)data[header + i] << 8 * i;
	packet->index = data[header - 1] & 7u;
	if (packet->type == PACKET_CONTEXT || packet->type == PACKET_OPERATION)
		packet->index &= 3u;
	if (is_long)
		packet->index |= (uint8_t)((data[0] & 3u) << 3);
	return header + payload;
}

/* The address of code without its top byte, which the level stands in. */
static uint64_t code_address(uint64_t payload, bool *kernel)
{
	const unsigned level = payload >> LEVEL_SHIFT & LEVEL_MASK;
	const bool not_secure = payload >> NOT_SECURE_SHIFT;
	const uint64_t address = payload & ADDRESS_MASK;

	*kernel = not_secure && (level == 1 || level == 2);
	return *kernel ? address | TOP_BYTE : address;
}

static void take_address(struct spe_record *record, const struct packet *packet)
{
	const uint64_t address = packet->payload & ADDRESS_MASK;
	bool ignored;

	switch (packet->index) {
	case ADDRESS_PC:
		record->ip = code_address(packet->payload, &record->kernel);
		record->has_ip = true;
		break;
	case ADDRESS_TARGET:
		record->target = code_address(packet->payload, &ignored);
		record->has_target = true;
		break;
	case ADDRESS_DATA:
		/* the top byte may be a tag */
		record->address = (address & KERNEL_DATA) == KERNEL_DATA ? address | TOP_BYTE
		                                                         : address;
		break;
	case ADDRESS_PHYSICAL:
		record->physical = address;
		break;
	}
}

static void take_operation(struct spe_record *record, const struct packet *packet)
{
	static const enum spe_branch branches[] = { SPE_BRANCH_PLAIN, SPE_BRANCH_CALL,
		                                    SPE_BRANCH_RETURN, SPE_BRANCH_PLAIN };
	const uint64_t payload = packet->payload;

	switch (packet->index) {
	case CLASS_LOAD_STORE:
		record->kind = payload & OPERATION_STORE ? SPE_STORE : SPE_LOAD;
		break;
	case CLASS_BRANCH:
		record->kind = SPE_BRANCH;
		record->conditional = payload & OPERATION_CONDITIONAL;
		record->indirect = payload & OPERATION_INDIRECT;
		record->branch = branches[payload >> BRANCH_CLASS_SHIFT & BRANCH_CLASS_MASK];
		break;
	default:
		record->kind = SPE_OTHER;
	}
}

static void take_packet(struct spe_record *record, const struct packet *packet)
{
	switch (packet->type) {
	case PACKET_TIME:
		record->time = packet->payload;
		break;
	case PACKET_EVENTS:
		record->events = packet->payload;
		break;
	case PACKET_SOURCE:
		record->source = packet->payload;
		break;
	case PACKET_CONTEXT:
		record->context = packet->payload;
		break;
	case PACKET_OPERATION:
		take_operation(record, packet);
		break;
	case PACKET_ADDRESS:
		take_address(record, packet);
		break;
	case PACKET_COUNTER:
		if (packet->index == COUNTER_TOTAL)
			record->latency = (uint32_t)packet->payload;
		break;
	case PACKET_PAD:
	case PACKET_END:
		break;
	}
}

bool spe_next(struct spe_trace *trace, struct spe_record *record)
{
	bool any = false;

	*record = (struct spe_record){ .time = SPE_NO_TIME,
		                       .context = SPE_NO_CONTEXT,
		                       .kind = SPE_OTHER };
	while (trace->pos < trace->size) {
		struct packet packet;
		const size_t size = read_packet(trace, &packet);

		if (size > trace->size - trace->pos) {
			trace->pos = trace->size;
			any = true;
			break;
		}
		trace->pos += size ? size : 1;
		trace->skipped += !size;
		if (!size || packet.type == PACKET_PAD)
			continue;
		take_packet(record, &packet);
		any = true;
		/* a time stamp is the last packet, too */
		if (packet.type == PACKET_END || packet.type == PACKET_TIME)
			return true;
	}
	trace->cut += any;
	return false;
}
