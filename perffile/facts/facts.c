#include "perffile/facts/facts.h"

#include "util/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LINE_MAX_SIZE ((size_t)1 << 20) /* bytes; no valid recording has a longer value */
#define KEY_SIZE 256
#define YEARS_MAX_SECONDS UINT64_C(253402300800) /* the year 10000 */

void facts_init(struct facts *facts, struct arena *arena, struct err *err)
{
	memset(facts, 0, sizeof(*facts));
	facts->arena = arena;
	facts->err = err;
}

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

	if (facts->err->code != ERR_NONE)
		return;
	va_copy(again, args);
	length = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (length < 0)
		return;
	need = facts->used + (size_t)length + 1;
	if (need > LINE_MAX_SIZE)
		err_set(facts->err, ERR_LIMIT, "a value of more than %zu bytes", LINE_MAX_SIZE);
	if (need > LINE_MAX_SIZE || !vec_reserve(&facts->line, need, &facts->size, 1, facts->err))
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
	if (facts->err->code != ERR_NONE)
		return;
	va_start(args, key_fmt);
	vsnprintf(key, sizeof(key), key_fmt, args);
	va_end(args);
	if (!vec_room(&facts->items, facts->count, &facts->capacity, sizeof(fact), facts->err))
		return;
	fact.key = arena_text(facts->arena, key, strlen(key), facts->err);
	fact.value = arena_text(facts->arena, used ? facts->line : "", used, facts->err);
	if (fact.key && fact.value)
		facts->items[facts->count++] = fact;
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
