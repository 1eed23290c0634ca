#include "decode/run/machinefacts.h"

#include "util/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_MOST 4096 /* bytes: more is damage */

static uint64_t usable_size(const char *text)
{
	const uint64_t size = strtoull(text, NULL, 10);

	return size && size <= LINE_MOST && !(size & (size - 1)) ? size : 0;
}

uint64_t facts_line_size(const struct facts *facts)
{
	static const char before[] = "line size ";
	uint64_t size = 0;

	for (size_t i = 0; !size && i < facts->count; i++) {
		const struct fact *fact = &facts->items[i];
		const char *found;

		if (!strcmp(fact->key, "cache line size")) {
			size = usable_size(fact->value);
		} else if (!strcmp(fact->key, "CPU cache geometry") &&
		           text_starts(fact->value, "L1 Data")) {
			found = strstr(fact->value, before);
			size = found ? usable_size(found + sizeof(before) - 1) : 0;
		}
	}
	return size;
}

/* "0-7,16-23" */
static void take_cpus(const char *list, int16_t node, int16_t node_of[FACTS_CPUS])
{
	char *end;

	for (const char *at = list; *at; at = *end == ',' ? end + 1 : end) {
		const unsigned long first = strtoul(at, &end, 10);
		const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (end == at || (*end && *end != ','))
			return;
		for (unsigned long cpu = first; cpu <= last && cpu < FACTS_CPUS; cpu++)
			node_of[cpu] = node;
	}
}

void facts_nodes(const struct facts *facts, int16_t node_of[FACTS_CPUS])
{
	for (size_t i = 0; i < FACTS_CPUS; i++)
		node_of[i] = -1;
	for (size_t i = 0; i < facts->count; i++) {
		const struct fact *fact = &facts->items[i];
		int length = 0;
		int16_t node;

		if (sscanf(fact->key, "node%5hd cpu list%n", &node, &length) == 1 && length &&
		    !fact->key[length] && node >= 0)
			take_cpus(fact->value, node, node_of);
	}
}
