/*
 * A program without a C library, so that every frame of its stacks is in this file: recursion
 * through two functions, calls of the kernel, and a stack deeper than a small copy of it. usage:
 * stacks ROUNDS
 */
#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned sink;

#ifdef __aarch64__
#define GET_RANDOM 278
#define EXIT 93

static long call_kernel(long number, long a, long b, long c)
{
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}
#else
#define GET_RANDOM 318
#define EXIT 60

static long call_kernel(long number, long a, long b, long c)
{
	long result;

	__asm__ volatile("syscall"
	                 : "=a"(result)
	                 : "a"(number), "D"(a), "S"(b), "d"(c)
	                 : "rcx", "r11", "memory");
	return result;
}
#endif

NOINLINE static unsigned spin(unsigned turns)
{
	for (unsigned i = 0; i < turns; i++)
		sink += i;
	return sink;
}

NOINLINE static long fill_randomly(void)
{
	static char random[1 << 14];

	return call_kernel(GET_RANDOM, (long)random, sizeof(random), 0) + (long)sink;
}

NOINLINE static unsigned odd(unsigned depth);

NOINLINE static unsigned even(unsigned depth)
{
	return depth ? odd(depth - 1) + 1 : spin(40000) + (unsigned)fill_randomly();
}

NOINLINE static unsigned odd(unsigned depth)
{
	return depth ? even(depth - 1) + 2 : spin(20000);
}

/* Every call of it needs more than 128 bytes of the stack. */
NOINLINE static unsigned go_deeper(unsigned depth)
{
	volatile char room[128];

	room[depth] = (char)depth;
	return depth ? go_deeper(depth - 1) + (unsigned)room[depth] : spin(60000);
}

/* Calls through a pointer, with a frame of a size that only the running program knows. */
NOINLINE static unsigned call_with_room(unsigned (*function)(unsigned), unsigned argument,
                                        unsigned size)
{
	volatile char room[size];

	room[0] = 1;
	return function(argument) + (unsigned)room[0];
}

__attribute__((noreturn, used)) void start(long *stack)
{
	unsigned rounds = 0;
	const char *text = stack[0] > 1 ? (const char *)stack[2] : "1";

	while (*text)
		rounds = rounds * 10 + (unsigned)(*text++ - '0');
	for (unsigned i = 0; i < rounds; i++) {
		even(i % 6);
		go_deeper(i % 12);
		call_with_room(spin, 50000, 16 + i % 8 * 16);
	}
	for (;;)
		call_kernel(EXIT, 0, 0, 0);
}

#ifdef __aarch64__
__asm__(".globl _start\n"
        ".type _start, %function\n"
        "_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined x30\n"
        "mov x29, 0\n"
        "mov x30, 0\n"
        "mov x0, sp\n"
        "bl start\n"
        "brk 1\n"
        ".cfi_endproc\n"
        ".size _start, .-_start\n");
#else
__asm__(".globl _start\n"
        ".type _start, @function\n"
        "_start:\n"
        ".cfi_startproc\n"
        ".cfi_undefined rip\n"
        "xor %ebp, %ebp\n"
        "mov %rsp, %rdi\n"
        "and $-16, %rsp\n"
        "call start\n"
        "hlt\n"
        ".cfi_endproc\n"
        ".size _start, .-_start\n");
#endif
