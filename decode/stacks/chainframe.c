/* The frame of an address of a call chain, however the chain was recorded. */
#include "decode/stacks/chain.h"

#include "util/vec.h"

bool chain_reserve(struct chain_work *work, size_t more)
{
	struct chain *chain = work->chain;

	return chain->capacity - chain->count >= more ||
	       vec_reserve(&chain->frames, chain->count + more, &chain->capacity,
	                   sizeof(*chain->frames), work->err);
}

/*
 * Whether an address behind the kernel's text may be in the code that started it, which is the
 * caller of the first idle task for ever. MMAP records leave that out. It is in the same image, and
 * on x86-64 modules begin at the next GB. A sample's own address is placed without this.
 */
static bool is_start_up_code(const struct space_map *kernel, uint64_t ip)
{
	return ip >= kernel->end && ip >> 30 == kernel->end >> 30;
}

/* The range of the kernel's code around an address in which addresses have the same meaning. */
static bool find_kernel(struct chain_work *work, uint64_t ip, unsigned flags, struct space_map *map)
{
	struct mappings *mappings = work->reader->files.mappings;
	const struct space_map *found;

	if (mappings->kernel_binary == UINT32_MAX && !mapping_default_kernel(mappings, work->err))
		return false;
	found = mapping_kernel_find(mappings, ip);
	if (found)
		*map = *found;
	else if ((flags & FRAME_RETURN) && is_start_up_code(&mappings->kernel_map, ip))
		map->binary = mappings->kernel_binary;
	if (found != &mappings->kernel_map)
		return true;
	/*
	 * modules lie inside of the kernel's own range; here only the one address is known not to
	 * be in one
	 */
	map->start = u64_max(map->start, mappings->kernel->gap);
	map->end = u64_min(map->end, mappings->kernel->gap_end);
	map->pgoff += map->start - found->start;
	return true;
}

bool chain_find_map(struct chain_work *work, enum cpu_mode mode, uint64_t ip, unsigned flags,
                    struct space_map *map)
{
	*map = (struct space_map){
		.start = ip, .end = ip + 1, .pgoff = ip, .binary = binary_without_map(mode)
	};
	if (mode == MODE_KERNEL)
		return find_kernel(work, ip, flags, map);
	if (mode == MODE_USER)
		*map = chain_user_map(work->reader->space, work->record->misc, ip, flags);
	return true;
}

bool chain_append_ip(struct chain_work *work, enum cpu_mode mode, uint64_t ip, unsigned flags)
{
	const uint64_t call = ip - (flags & FRAME_RETURN);
	struct space_map map;

	if (!chain_find_map(work, mode, call, flags, &map) || !chain_reserve(work, 1))
		return false;
	work->chain->frames[work->chain->count++] = chain_frame_at(call, &map, mode, flags);
	return true;
}
