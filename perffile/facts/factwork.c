#include "perffile/facts/factwork.h"

#include "perffile/session/features.h"
#include "util/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE_MAX_SIZE ((size_t)1 << 20) /* bytes; no valid recording has a longer value */
#define KEY_SIZE 256
#define YEARS_MAX_SECONDS UINT64_C(253402300800) /* the year 10000 */

void facts_release(struct facts *facts)
{
	free(facts->items);
	free(facts->line);
	facts->items = NULL;
	facts->line = NULL;
}

PRINTF_LIKE(2, 0)
static void say_args(struct facts *facts, const char *fmt, va_list args)
{
	va_list again;
	size_t need;
	int length;

	if (facts->c.err->code != ERR_NONE)
		return;
	va_copy(again, args);
	length = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (length < 0)
		return;
	need = facts->used + (size_t)length + 1;
	if (need > LINE_MAX_SIZE)
		err_set(facts->c.err, ERR_LIMIT, "a value of more than %zu bytes", LINE_MAX_SIZE);
	if (need > LINE_MAX_SIZE || !vec_reserve(&facts->line, need, &facts->size, 1, facts->c.err))
		return;
	vsnprintf(facts->line + facts->used, facts->size - facts->used, fmt, args);
	facts->used += (size_t)length;
}

void facts_say(struct facts *facts, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_args(facts, fmt, args);
	va_end(args);
}

void facts_put(struct facts *facts, const char *key, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say_args(facts, fmt, args);
	va_end(args);
	facts_add(facts, "%s", key);
}

void facts_add(struct facts *facts, const char *key_fmt, ...)
{
	char key[KEY_SIZE];
	struct fact fact;
	va_list args;
	size_t used = facts->used;

	facts->used = 0;
	if (facts->c.err->code != ERR_NONE)
		return;
	va_start(args, key_fmt);
	vsnprintf(key, sizeof(key), key_fmt, args);
	va_end(args);
	fact.feature = facts->number;
	fact.key = arena_text(&facts->session->arena, key, strlen(key), facts->c.err);
	fact.value = arena_text(&facts->session->arena, used ? facts->line : "", used,
	                        facts->c.err);
	if (fact.key && fact.value)
		vec_append(&facts->items, &facts->count, &facts->capacity, &fact, sizeof(fact),
		           facts->c.err);
}

const char *facts_str(struct facts *facts)
{
	return feature_str(&facts->c, &facts->session->arena);
}

uint32_t facts_count(struct facts *facts, size_t size_min)
{
	uint32_t count = cur_u32(&facts->c);

	return facts_fine(facts) && cur_fits(&facts->c, count, size_min, "entries") ? count : 0;
}

void facts_put_str(struct facts *facts, const char *key)
{
	facts_put(facts, key, "%s", facts_str(facts));
}

void facts_put_list(struct facts *facts, const char *key)
{
	uint32_t count = facts_count(facts, STR_SIZE_MIN);

	for (uint32_t i = 0; i < count && facts_fine(facts); i++)
		facts_put_str(facts, key);
}

const char *clock_name(uint32_t clockid)
{
	static const char *const names[] = {
		[0] = "realtime", [1] = "monotonic", [4] = "monotonic_raw",
		[7] = "boottime", [11] = "tai",
	};

	return clockid < ARRAY_SIZE(names) && names[clockid] ? names[clockid] : "(not found)";
}

void format_utc(char out[32], uint64_t seconds, char separator)
{
	time_t when = (time_t)(seconds < YEARS_MAX_SECONDS ? seconds : YEARS_MAX_SECONDS - 1);
	struct tm tm;
	size_t length;

	out[0] = '\0';
	if (!gmtime_r(&when, &tm))
		return;
	length = strftime(out, 32, "%Y-%m-%d", &tm);
	out[length++] = separator;
	strftime(out + length, 32 - length, "%H:%M:%S", &tm);
}
