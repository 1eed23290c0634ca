/*
 * Markers as sys/sdt.h makes them (DTRACE_PROBE), written out by hand, so that systemtap-sdt-dev need not be installed.
 * Prints a line for each hit of a marker, in order: its name and the values it passes. PROVIDER is given on the command line.
 */
#include <stdint.h>
#include <stdio.h>

#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

/* a nop, and a note that says where it is and where its arguments are: "SIZE@PLACE", negative sizes are signed */
#define MARK(name, semaphore, arguments, ...)                                                      \
	__asm__ volatile("990: nop\n"                                                              \
	                 ".pushsection .note.stapsdt,\"\",%%note\n"                                \
	                 ".balign 4\n"                                                             \
	                 ".4byte 992f-991f, 994f-993f, 3\n"                                        \
	                 "991: .asciz \"stapsdt\"\n"                                               \
	                 "992: .balign 4\n"                                                        \
	                 "993: .8byte 990b, _.stapsdt.base, " semaphore "\n"                       \
	                 ".asciz \"" TEXT(PROVIDER) "\"\n.asciz \"" name "\"\n"                    \
	                 ".asciz \"" arguments "\"\n"                                              \
	                 "994: .balign 4\n"                                                        \
	                 ".popsection\n"                                                           \
	                 ".ifndef _.stapsdt.base\n"                                                \
	                 ".pushsection .stapsdt.base,\"aG\",%%progbits,.stapsdt.base,comdat\n"     \
	                 ".weak _.stapsdt.base\n.hidden _.stapsdt.base\n"                          \
	                 "_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n"                     \
	                 ".popsection\n"                                                           \
	                 ".endif\n"                                                                \
	                 : : __VA_ARGS__)

/* Is not 0 while somebody records the marker: the kernel counts here. */
__attribute__((section(".probes"), used)) volatile unsigned short sdt_semaphore;

/* Each kind of integer, in registers; a marker that is in two places, as a function is inlined. */
static inline __attribute__((always_inline)) void step(int64_t i)
{
	const int8_t a = (int8_t)(i * 77);
	const uint8_t b = (uint8_t)(i * 77);
	const int16_t c = (int16_t)(i * -20001);
	const uint16_t d = (uint16_t)(i * 20001);

	MARK("bytes", "0", "-1@%0 1@%1 -2@%2 2@%3", "r"(a), "r"(b), "r"(c), "r"(d));
	printf("bytes %d %d %d %d\n", a, b, c, d);
}

int main(void)
{
	for (int64_t i = -3; i < 4; i++) {
		const int32_t a = (int32_t)(i * 1000000007);
		const uint32_t b = (uint32_t)(i * 1000000007);
		const int64_t c = (int64_t)((uint64_t)i * 4000000000000000007U);
		const uint64_t d = (uint64_t)i * 5000000000000000011U;
		volatile int32_t kept = (int32_t)(i * 99);

		step(i);
		MARK("words", "0", "-4@%0 4@%1 -8@%2 8@%3", "r"(a), "r"(b), "r"(c), "r"(d));
		printf("words %d %u %lld %llu\n", a, b, (long long)c, (unsigned long long)d);
		MARK("kept", "0", "-4@%0", "m"(kept));
		printf("kept %d\n", kept);
		if (sdt_semaphore) /* else it is not recorded */
			MARK("guarded", "sdt_semaphore", "8@%0", "r"(d));
		printf("guarded %llu\n", (unsigned long long)d);
		MARK("bare", "0", "", "r"(i));
		printf("bare\n");
	}
	step(100);
	return 0;
}
