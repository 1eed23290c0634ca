/* Address spaces against a model with one entry per page. */
#include "decode/machine/space.h"
#include "decode/machine/spacenode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>
#include <time.h>

#define PAGES 400

/* Where the tests' mappings lie. */
struct scale {
	uint64_t unit;   /* bytes */
	uint64_t origin;
	uint64_t far;    /* bytes between the lower half and the upper one */
	uint32_t odd;    /* each such mapping shows what is no page; 0: none does */
	uint32_t binary; /* added to the number of each */
};

static const struct scale scales[] = {
	{ 1, 0, 0, 0, 0 },
	{ 4096, 0x7f0000000000, 0, 0, 0 },
	{ 4096, 0x555555554000, (uint64_t)1 << 45, 0, 63000 },
	{ 4096, 0xffff800000000000, ((uint64_t)1 << 28) - 100 * 4096, 7, 0 },
	{ 4096 * 700, 0x10000, 0, 0, 0 }, /* long ones */
};

static const struct scale *scale = scales;

static uint64_t address(uint64_t unit, uint64_t half)
{
	return scale->origin + unit * scale->unit + (unit >= half ? scale->far : 0);
}

/* What mapping i shows: a page, if the scale has nothing odd. */
static uint64_t shown(uint32_t i)
{
	return 1000 * (uint64_t)i % 66000 * 4096 + (scale->odd && i % scale->odd == 0);
}

/* Per unit of addresses: which binary, and where in it. */
struct model {
	uint32_t binary[PAGES]; /* 0: nothing */
	uint64_t pgoff[PAGES];
};

static uint64_t at(uint64_t unit)
{
	return address(unit, PAGES / 2);
}

static void expect_map(const struct space_map *map, const struct model *model, uint64_t unit)
{
	if (!model->binary[unit]) {
		assert_null(map);
		return;
	}
	assert_non_null(map);
	assert_in_range(at(unit), map->start, map->end - 1);
	assert_int_equal(map->binary, model->binary[unit]);
	assert_int_equal(at(unit) - map->start + map->pgoff, model->pgoff[unit]);
}

/* Levels of nodes. */
static unsigned height_of(const struct space *space)
{
	const struct space_node *node;
	unsigned height = 1;

	if (!space->root)
		return 0;
	for (node = space->root; node->kind == SPACE_INNER; height++)
		node = node->below[0];
	return height;
}

static void check(struct space *space, const struct model *model)
{
	struct space_map map, next;

	for (uint64_t i = 0; i < PAGES; i++)
		expect_map(space_find(space, at(i)), model, i);
	/* and in an order in which the remembered last place never helps */
	for (uint64_t i = 0; i < PAGES; i++)
		expect_map(space_find(space, at(i * 37 % PAGES)), model, i * 37 % PAGES);
	for (bool found = space_first_behind(space, 0, &map); found; map = next) {
		struct space_map before;

		assert_true(map.start < map.end);
		found = space_first_behind(space, map.end, &next);
		if (!found)
			break;
		assert_true(map.end <= next.start);
		assert_true(space_last_before(space, next.start, &before));
		assert_int_equal(before.start, map.start);
		assert_int_equal(before.binary, map.binary);
	}
}

static void insert(struct space **space, struct model *model, uint64_t start, uint64_t end,
                   uint32_t binary)
{
	struct space_map map = { at(start), at(end), shown(binary), binary + scale->binary };
	struct err err = { 0 };

	assert_true(space_insert(space, &map, &err));
	for (uint64_t unit = start; unit < end; unit++) {
		model->binary[unit] = map.binary;
		model->pgoff[unit] = map.pgoff + at(unit) - map.start;
	}
}

static void remove_range(struct space **space, struct model *model, uint64_t start, uint64_t end)
{
	struct err err = { 0 };

	assert_true(space_remove(space, at(start), at(end), &err));
	for (uint64_t unit = start; unit < end; unit++)
		model->binary[unit] = 0;
}

/* One old mapping [20, 40) and a new one at every place to it. */
static void overlaps_are_cut(void **state)
{
	(void)state;
	for (uint64_t start = 10; start < 50; start++) {
		for (uint64_t end = start; end < 55; end++) {
			struct err err = { 0 };
			struct space_pool pool = { 0 };
			struct space *space = space_new(&pool, &err);
			struct model model = { { 0 }, { 0 } };

			insert(&space, &model, 20, 40, 1);
			insert(&space, &model, start, end, 2);
			check(space, &model);
			remove_range(&space, &model, end / 2, end);
			check(space, &model);
			space_put(space);
			space_pool_release(&pool);
		}
	}
}

static void random_changes(void **state)
{
	struct err err = { 0 };
	struct space_pool pool = { 0 };
	struct space *space = space_new(&pool, &err);
	struct model model = { { 0 }, { 0 } };
	uint64_t random = 1;
	size_t large = 0;

	(void)state;
	for (uint32_t i = 1; i <= 5000; i++) {
		uint64_t start, end, most;

		random = random * 6364136223846793005u + 1442695040888963407u;
		start = (random >> 40) % PAGES;
		/* most of the time small ones: so many that they fill several nodes */
		most = i % 1000 < 800 && PAGES - start > 3 ? 3 : PAGES - start;
		end = start + (random >> 50) % (most + 1);
		if (i % 5)
			insert(&space, &model, start, end, i);
		else
			remove_range(&space, &model, start, end);
		check(space, &model);
		large += height_of(space) > 1;
	}
	assert_in_range(large, 1000, 5000);
	space_put(space);
	space_pool_release(&pool);
}

/* A child shares its parent's space until one of them changes it. */
static void copy_on_write(void **state)
{
	struct err err = { 0 };
	struct space_pool pool = { 0 };
	struct space *parent = space_new(&pool, &err), *child;
	struct model old = { { 0 }, { 0 } }, changed;

	(void)state;
	insert(&parent, &old, 10, 20, 1);
	insert(&parent, &old, 30, 40, 2);
	for (int who = 0; who <= 1; who++) {
		struct space **changing;

		child = space_share(parent);
		assert_ptr_equal(child, parent);
		changing = who ? &parent : &child;
		changed = old;
		insert(changing, &changed, 15, 35, 3);
		assert_ptr_not_equal(child, parent);
		check(*changing, &changed);
		check(who ? child : parent, &old);
		space_put(child);
		if (who == 0)
			check(parent, &old);
	}
	/* the last user changes it in place */
	child = parent;
	insert(&parent, &changed, 0, 5, 4);
	assert_ptr_equal(child, parent);
	check(parent, &changed);
	space_put(parent);
	space_put(NULL);
	space_pool_release(&pool);
}

static void the_whole_address_space(void **state)
{
	struct space_map all = { 0, UINT64_MAX, 0, 1 }, top = { UINT64_MAX - 10, UINT64_MAX, 0, 2 };
	struct space_map none = { 5, 5, 0, 3 }, backwards = { 6, 5, 0, 3 }, map;
	struct err err = { 0 };
	struct space_pool pool = { 0 };
	struct space *space = space_new(&pool, &err);

	(void)state;
	assert_null(space_find(space, 0));
	assert_true(space_insert(&space, &all, &err));
	assert_true(space_insert(&space, &top, &err));
	assert_true(space_insert(&space, &none, &err));
	assert_true(space_insert(&space, &backwards, &err));
	assert_false(space_first_behind(space, UINT64_MAX, &map));
	assert_true(space_last_before(space, UINT64_MAX, &map));
	assert_int_equal(map.start, UINT64_MAX - 10);
	assert_int_equal(space_find(space, 0)->binary, 1);
	assert_int_equal(space_find(space, UINT64_MAX - 11)->binary, 1);
	assert_int_equal(space_find(space, UINT64_MAX - 10)->binary, 2);
	assert_int_equal(space_find(space, UINT64_MAX - 1)->binary, 2);
	assert_null(space_find(space, UINT64_MAX));
	space_put(space);
	space_pool_release(&pool);
}

#define MANY 20000u

/* Each mapping i is [16 * i, 16 * i + 8), in units, if its bit is set. */
static uint64_t many_at(uint64_t unit)
{
	return address(unit, 16 * (MANY / 3));
}

static void check_many(struct space *space, const bool *there)
{
	struct space_map last;
	size_t count = 0;

	for (uint32_t i = 0; i < MANY; i++) {
		const uint64_t start = 16 * (uint64_t)i;
		const struct space_map *map = space_search(space, many_at(start + 3));

		assert_int_equal(map != NULL, there[i]);
		assert_true(!map || (map->start == many_at(start) && map->binary == i + scale->binary));
		assert_null(space_find(space, many_at(start + 8)));
	}
	for (bool found = space_first_behind(space, 0, &last); found;
	     found = space_first_behind(space, last.end, &last))
		count++;
	for (uint32_t i = 0; i < MANY; i++)
		count -= there[i];
	assert_int_equal(count, 0);
}

static void change_one(struct space **space, bool *there, uint32_t i)
{
	struct space_map map = { many_at(16 * (uint64_t)i), many_at(16 * (uint64_t)i + 8), shown(i), i + scale->binary };
	struct err err = { 0 };

	assert_true(there[i] ? space_remove(space, map.start, map.end, &err)
	                     : space_insert(space, &map, &err));
	there[i] = !there[i];
}

/* Upwards, downwards, or all over. */
static uint32_t in_order(uint32_t order, uint32_t i)
{
	return order == 0 ? i : order == 1 ? MANY - 1 - i : i * 7919 % MANY;
}

/* Filled upwards, downwards and at random; emptied likewise, while a copy of the full one stays. */
static void many_mappings(void **state)
{
	static bool there[MANY], full[MANY];
	struct space_pool pool = { 0 };
	struct err err = { 0 };

	(void)state;
	memset(there, 0, sizeof(there));
	for (uint32_t order = 0; order < 9; order++) {
		struct space *space = space_new(&pool, &err), *copy;

		for (uint32_t i = 0; i < MANY; i++)
			change_one(&space, there, in_order(order % 3, i));
		check_many(space, there);
		/* full nodes, where they are filled from one end; else half of them may be empty */
		assert_in_range(height_of(space), 5, order % 3 == 2 ? 7 : order % 3 == 1 ? 6 : 5);
		copy = space_share(space);
		memcpy(full, there, sizeof(there));
		for (uint32_t i = 0; i < MANY; i++) {
			change_one(&space, there, in_order(order / 3, i));
			if (i == MANY / 2)
				check_many(space, there);
		}
		check_many(space, there);
		assert_null(space->root);
		check_many(copy, full);
		space_put(space);
		space_put(copy);
	}
	space_pool_release(&pool);
}

/* A child of a large process that maps one file more costs some nodes, not all of them. */
static void a_copy_costs_its_change(void **state)
{
	static struct space *children[1000];
	struct space_pool pool = { 0 };
	struct err err = { 0 };
	struct space *space = space_new(&pool, &err);
	static bool there[MANY];
	size_t size;

	(void)state;
	memset(there, 0, sizeof(there));
	for (uint32_t i = 0; i < MANY; i++)
		change_one(&space, there, i);
	for (uint32_t i = 0; i < 1000; i++) {
		uint64_t unit = 16 * 7919 * (uint64_t)i % (16 * MANY);
		struct space_map other = { many_at(unit), many_at(unit + 8), 5, 6 };

		children[i] = space_share(space);
		assert_true(space_insert(&children[i], &other, &err));
	}
	size = pool.arena.size;
	check_many(space, there);
	for (uint32_t i = 0; i < 1000; i++)
		space_put(children[i]);
	space_put(space);
	space_pool_release(&pool);
	/* 240 bytes for each 8 mappings; for each child as much, and 144 for each level above */
	assert_in_range(size, 1, 280 * (MANY / 8) + 1000 * (300 + 4 * 150));
	assert_int_equal(pool.arena.size, 0);
}

#define ALIKE 300u
#define ALIKE_MAPS 1000u

/* A process like all others, but for what it maps at the place of its own number. */
static struct space *one_of_many(struct space_pool *pool, uint32_t number, uint32_t order)
{
	struct err err = { 0 };
	struct space *space = space_new(pool, &err);
	uint32_t own = 16 * (number % ALIKE_MAPS);
	struct space_map other = { address(own, UINT64_MAX), address(own + 8, UINT64_MAX), 4096, 100000 + number };

	for (uint32_t i = 0; i < ALIKE_MAPS; i++) {
		uint32_t unit = order ? ALIKE_MAPS - 1 - i : i;
		struct space_map map = { address(16 * unit, UINT64_MAX), address(16 * unit + 8, UINT64_MAX), shown(unit), unit };

		assert_true(space_insert(&space, &map, &err));
	}
	assert_true(space_insert(&space, &other, &err));
	return space;
}

/* Workers of a server, each with its own records: what they have in common is there once, until one changes it. */
static void processes_that_are_alike(void **state)
{
	static struct space *spaces[ALIKE];

	(void)state;
	for (uint32_t order = 0; order < 2; order++) {
		struct space_pool pool = { 0 };

		for (uint32_t i = 0; i < ALIKE; i++)
			spaces[i] = one_of_many(&pool, 7 * i, order);
		/* of each: some leaves and inner nodes at its end, and where it differs; alone it has 16 to 32 kB */
		assert_in_range(pool.arena.size, 1, (size_t)ALIKE * (3 * 256 + 10 * 128) + 128 * 1024);
		for (uint32_t i = 0; i < ALIKE; i++) {
			for (uint32_t k = 0; k < ALIKE_MAPS; k++) {
				const struct space_map *map = space_search(spaces[i], address(16 * k + 7, UINT64_MAX));

				assert_non_null(map);
				assert_int_equal(map->start, address(16 * k, UINT64_MAX));
				assert_int_equal(map->binary, k == 7 * i % ALIKE_MAPS ? 100000 + 7 * i : k);
			}
			/* those that are left keep theirs */
			space_put(spaces[i]);
		}
		space_pool_release(&pool);
	}
}

/* A pool of many pieces gives all of them back. */
static void a_large_pool(void **state)
{
	const uint32_t count = 200000;
	struct space_pool pool = { 0 };
	struct err err = { 0 };
	struct space *space = space_new(&pool, &err);

	(void)state;
	for (uint32_t i = 0; i < count; i++) {
		struct space_map map = { 16 * (uint64_t)i, 16 * (uint64_t)i + 8, i, i };

		assert_true(space_insert(&space, &map, &err));
	}
	assert_in_range(pool.arena.size, 5800000, 7000000);
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(space_search(space, 16 * (uint64_t)i + 7)->binary, i);
		assert_null(space_search(space, 16 * (uint64_t)i + 8));
	}
	space_put(space);
	space_pool_release(&pool);
	assert_int_equal(pool.arena.size, 0);
}

/* Many mappings are taken out together, at every place, alone and while a copy stays. */
static void ranges_are_taken_out(void **state)
{
	static bool there[MANY], full[MANY];
	struct space_pool pool = { 0 };
	struct err err = { 0 };
	struct space *space = space_new(&pool, &err), *copy = NULL;
	uint64_t random = 1;
	size_t size = 0;

	(void)state;
	memset(there, 0, sizeof(there));
	for (uint32_t round = 0; round < 400; round++) {
		uint64_t start, end;

		for (uint32_t i = 0; i < MANY; i++)
			if (!there[i])
				change_one(&space, there, i);
		if (round % 4 == 0) {
			copy = space_share(space);
			memcpy(full, there, sizeof(there));
		}
		random = random * 6364136223846793005u + 1442695040888963407u;
		start = (random >> 40) % MANY;
		end = round % 50 == 0 ? MANY : start + (random >> 20) % (round % 3 ? 100 : MANY - start);
		if (round % 50 == 0)
			start = 0;
		assert_true(space_remove(&space, many_at(16 * start), many_at(16 * end - 8 * (round % 2)), &err));
		for (uint64_t i = start; i < end && i < MANY; i++)
			there[i] = false;
		if (round % 10 == 0)
			check_many(space, there);
		if (round % 20 == 3)
			check_many(copy, full);
		if (round % 4 == 3)
			space_put(copy);
		if (round == 100)
			size = pool.arena.size;
	}
	/* what was taken out is used again */
	assert_in_range(pool.arena.size, 1, 2 * size);
	space_put(space);
	space_pool_release(&pool);
}

/* Children that map something over all that they got from their parent: no work for each mapping. */
static void children_cover_all(void **state)
{
	struct space_map over = { many_at(100), many_at(16 * MANY - 100), 0, 1 };
	struct space_pool pool = { 0 };
	struct err err = { 0 };
	struct space *space = space_new(&pool, &err);
	static bool there[MANY];
	clock_t begin;

	(void)state;
	memset(there, 0, sizeof(there));
	for (uint32_t i = 0; i < MANY; i++)
		change_one(&space, there, i);
	begin = clock();
	for (uint32_t i = 0; i < 10000; i++) {
		struct space *child = space_share(space);

		assert_true(space_insert(&child, &over, &err));
		assert_int_equal(space_find(child, many_at(16 * MANY / 2))->binary, 1);
		space_put(child);
	}
	/* two hundred million mappings are covered: one at a time they would take 15 seconds */
	assert_in_range((clock() - begin) / CLOCKS_PER_SEC, 0, 2);
	check_many(space, there);
	space_put(space);
	space_pool_release(&pool);
}

static int choose_scale(void **state)
{
	scale = *state;
	return 0;
}

/* A test at a scale. */
#define AT(scaled, number) \
	{ #scaled "_" #number, scaled, choose_scale, NULL, (void *)(uintptr_t)&scales[number] }
#define AT_ALL(scaled) AT(scaled, 0), AT(scaled, 1), AT(scaled, 2), AT(scaled, 3), AT(scaled, 4)

int main(void)
{
	const struct CMUnitTest tests[] = {
		AT_ALL(overlaps_are_cut), AT_ALL(random_changes),        AT_ALL(copy_on_write),
		AT_ALL(many_mappings),    AT_ALL(a_copy_costs_its_change), AT_ALL(ranges_are_taken_out),
		AT_ALL(children_cover_all), AT_ALL(processes_that_are_alike), AT(a_large_pool, 0), AT(the_whole_address_space, 0),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
