#define _GNU_SOURCE /* syscall(), O_PATH */

#include "util/sandbox.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * System call numbers for old headers; they are the same on all architectures but one, whose
 * headers have them.
 */
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH 1
#define PATH_BENEATH_SIZE 12 /* bytes: u64 rights, s32 descriptor, packed */

enum {
	FS_EXECUTE = 1 << 0,
	FS_WRITE_FILE = 1 << 1,
	FS_READ_FILE = 1 << 2,
	FS_READ_DIR = 1 << 3,
	FS_REMOVE_DIR = 1 << 4,
	FS_REMOVE_FILE = 1 << 5,
	FS_MAKE_CHAR = 1 << 6,
	FS_MAKE_DIR = 1 << 7,
	FS_MAKE_REG = 1 << 8,
	FS_MAKE_SOCK = 1 << 9,
	FS_MAKE_FIFO = 1 << 10,
	FS_MAKE_BLOCK = 1 << 11,
	FS_MAKE_SYM = 1 << 12,
	FS_REFER = 1 << 13,    /* ABI 2 */
	FS_TRUNCATE = 1 << 14, /* ABI 3 */
	FS_FILES = FS_WRITE_FILE | FS_REMOVE_FILE | FS_MAKE_REG | FS_TRUNCATE,
	NET_TCP = 3 /* ABI 4: bind and connect */
};

struct ruleset {
	uint64_t fs, net;
};

/* A build that measures test coverage writes its counts beside its object files when it ends. */
#ifdef MEASURED
static const bool measured = true;
#else
static const bool measured = false;
#endif

static void allow_path(int rules, const char *path, uint64_t rights)
{
	uint8_t rule[PATH_BENEATH_SIZE];
	int32_t fd = path ? open(path, O_PATH | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	memcpy(rule, &rights, sizeof(rights));
	memcpy(rule + sizeof(rights), &fd, sizeof(fd));
	syscall(SYS_landlock_add_rule, rules, RULE_PATH_BENEATH, rule, 0);
	close(fd);
}

/*
 * The rights that a kernel with this ABI version can take away. Those to read and to execute remain
 * if they are not taken.
 */
static struct ruleset forbidden_rights(long abi, bool network, bool reading)
{
	struct ruleset all = { FS_FILES | FS_REMOVE_DIR | FS_MAKE_CHAR | FS_MAKE_DIR |
		                       FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_BLOCK | FS_MAKE_SYM |
		                       FS_REFER,
		               0 };

	if (reading)
		all.fs |= FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
	if (abi < 2)
		all.fs &= ~(uint64_t)FS_REFER;
	if (abi < 3)
		all.fs &= ~(uint64_t)FS_TRUNCATE;
	if (abi >= 4 && !network)
		all.net = NET_TCP;
	return all;
}

bool sandbox_enter(const struct sandbox *allowed)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
	struct ruleset all;
	int rules;
	bool entered;

	if (abi < 1)
		return false;
	all = forbidden_rights(abi, allowed->network, allowed->readable != NULL);
	rules = (int)syscall(SYS_landlock_create_ruleset, &all,
	                     abi < 4 ? sizeof(all.fs) : sizeof(all), 0);
	if (rules < 0)
		return false;
	allow_path(rules, allowed->output, all.fs & FS_FILES);
	allow_path(rules, allowed->folders,
	           all.fs & (FS_FILES | FS_MAKE_DIR | FS_REMOVE_DIR | FS_REFER));
	allow_path(rules, allowed->document, all.fs & FS_FILES);
	allow_path(rules, allowed->page, all.fs & FS_FILES);
	allow_path(rules, allowed->temp, all.fs & FS_FILES);
	allow_path(rules, allowed->summary, FS_REMOVE_FILE);
	allow_path(rules, allowed->junit, FS_REMOVE_FILE);
	allow_path(rules, allowed->made, FS_REMOVE_DIR);
	allow_path(rules, allowed->cache,
	           all.fs & (FS_FILES | FS_MAKE_DIR | FS_REMOVE_DIR | FS_REFER));
	for (size_t i = 0; allowed->readable && allowed->readable[i]; i++)
		allow_path(rules, allowed->readable[i], FS_EXECUTE | FS_READ_FILE);
	/* for the messages of addr2line, which are dropped */
	allow_path(rules, "/dev/null",
	           allowed->readable ? FS_WRITE_FILE | FS_READ_FILE : FS_WRITE_FILE);
	if (measured)
		allow_path(rules, "/", all.fs);
	entered = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	          syscall(SYS_landlock_restrict_self, rules, 0) == 0;
	close(rules);
	return entered && !measured;
}
