#include "decode/machine/binaries.h"

#include "util/text.h"
#include "util/vec.h"

#include <stdlib.h>
#include <string.h>

bool machine_is_64_bit(const char *machine)
{
	return strstr(machine, "64") || strcmp(machine, "s390x") == 0;
}

bool is_jitdump(const char *path)
{
	const char *name = strrchr(path, '/');

	return name && text_starts(name, "/jit-") &&
	       !strcmp(name + 5 + strspn(name + 5, "0123456789"), ".dump");
}

/* The size without padding zeros, which do not change a build id. */
static size_t id_length(const struct build_id *id)
{
	size_t length = id->size;

	while (length && !id->bytes[length - 1])
		length--;
	return length;
}

static bool has_start(const struct binary *binary)
{
	return binary->kind == BINARY_MODULE || binary->kind == BINARY_KSYMBOL;
}

static uint64_t binary_hash(const struct binary *binary, uint64_t seed)
{
	uint64_t hash = hash_pair(seed, (uint64_t)binary->kind << 32 | binary->name,
	                          (uint64_t)binary->guest << 32 | binary->path);

	if (binary->build_id.size) {
		hash += hash_bytes(seed, binary->build_id.bytes, id_length(&binary->build_id));
	} else {
		hash = hash_pair(seed, hash, binary->inode);
		hash = hash_pair(seed, hash, binary->generation);
		hash = hash_pair(seed, hash, (uint64_t)binary->major << 32 | binary->minor);
	}
	if (binary_is_run_time_code(binary))
		hash = hash_pair(seed, hash, (uint32_t)binary->pid);
	if (has_start(binary))
		hash = hash_pair(seed, hash, binary->start);
	return hash;
}

static bool same_file(const struct binary *a, const struct binary *b)
{
	if (a->build_id.size || b->build_id.size)
		return build_id_equal(&a->build_id, &b->build_id);
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor &&
	       a->generation == b->generation;
}

static bool same_binary(const struct binary *a, const struct binary *b)
{
	return a->kind == b->kind && a->name == b->name && a->path == b->path &&
	       a->guest == b->guest && same_file(a, b) &&
	       (!binary_is_run_time_code(a) || a->pid == b->pid) &&
	       (!has_start(a) || a->start == b->start);
}

/* The binary that is looked for stands behind those that have a number. */
static bool is_wanted_binary(const void *context, uint32_t number)
{
	const struct binaries *binaries = context;

	return same_binary(&binaries->items[number], &binaries->items[binaries->count]);
}

uint32_t binaries_put(struct binaries *binaries, const struct binary *binary, struct err *err)
{
	uint32_t number;

	if (!vec_room(&binaries->items, binaries->count, &binaries->capacity, sizeof(*binary), err))
		return UINT32_MAX;
	binaries->items[binaries->count] = *binary;
	number = hash_index_put(&binaries->index, binary_hash(binary, binaries->seed),
	                        (uint32_t)binaries->count, is_wanted_binary, binaries, err);
	binaries->count += number == binaries->count;
	return number;
}

void binaries_note_extent(struct binaries *binaries, uint32_t number, uint64_t offset,
                          uint64_t size)
{
	struct binary *binary = &binaries->items[number];

	for (size_t i = 0; i < binary->extent_count; i++)
		if (binary->extents[i].offset == offset && binary->extents[i].size == size)
			return;
	if (binary->extent_count == BINARY_EXTENTS)
		binary->extents_cut = true;
	else
		binary->extents[binary->extent_count++] = (struct binary_extent){ offset, size };
}

bool binaries_init(struct binaries *binaries, struct strings *strings, struct err *err)
{
	static const char *const names[] = {
		[UNKNOWN_BINARY] = "[unknown]",  [GUEST_KERNEL_BINARY] = "[guest.kernel]",
		[GUEST_USER_BINARY] = "[guest]", [HYPERVISOR_BINARY] = "[hypervisor]",
		[DAMAGED_BINARY] = "[damaged]",
	};

	memset(binaries, 0, sizeof(*binaries));
	binaries->seed = hash_seed();
	for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct binary binary = { .kind = i ? BINARY_SPECIAL : BINARY_UNKNOWN,
			                       .name = strings_put_text(strings, names[i], err),
			                       .guest = i && i <= HYPERVISOR_BINARY,
			                       .damaged = i == DAMAGED_BINARY,
			                       .pid = -1 };

		if (binary.name == STRING_NONE || binaries_put(binaries, &binary, err) != i)
			return false;
	}
	return true;
}

void binaries_release(struct binaries *binaries)
{
	free(binaries->items);
	hash_index_release(&binaries->index);
	memset(binaries, 0, sizeof(*binaries));
}
