/*
 * A virtual machine of one page and one CPU that leaves its guest by port I/O and CPUID a few
 * times, and then by HLT: for recordings of the tracepoints of KVM, which is a module of the
 * kernel.
 */
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define PAGE 0x1000

/* 16-bit code at PAGE: six times out, cpuid and in, then hlt. */
static const unsigned char code[] = {
	0xbe, 0x06, 0x00, /* mov $6,%si */
	0xba, 0xf8, 0x03, /* 1: mov $0x3f8,%dx */
	0xee,             /* out %al,(%dx) */
	0x0f, 0xa2,       /* cpuid */
	0xba, 0xf8, 0x03, /* mov $0x3f8,%dx */
	0xec,             /* in (%dx),%al */
	0x4e,             /* dec %si */
	0x75, 0xf3,       /* jne 1b */
	0xf4,             /* hlt */
};

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(void)
{
	int kvm = open("/dev/kvm", O_RDWR), vm = ioctl(kvm, KVM_CREATE_VM, 0), cpu, size;
	void *memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct kvm_userspace_memory_region region = { .guest_phys_addr = PAGE,
		                                      .memory_size = PAGE,
		                                      .userspace_addr = (unsigned long)memory };
	struct kvm_regs regs = { .rip = PAGE, .rflags = 2 };
	struct kvm_sregs sregs;
	struct kvm_run *run;

	if (vm < 0 || memory == MAP_FAILED)
		return fail("/dev/kvm");
	memcpy(memory, code, sizeof(code));
	if (ioctl(vm, KVM_SET_USER_MEMORY_REGION, &region) < 0 ||
	    (cpu = ioctl(vm, KVM_CREATE_VCPU, 0)) < 0)
		return fail("a virtual CPU");
	size = ioctl(kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
	run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, cpu, 0);
	if (run == MAP_FAILED || ioctl(cpu, KVM_GET_SREGS, &sregs) < 0)
		return fail("its registers");
	sregs.cs.base = sregs.cs.selector = 0;
	if (ioctl(cpu, KVM_SET_SREGS, &sregs) < 0 || ioctl(cpu, KVM_SET_REGS, &regs) < 0)
		return fail("its registers");
	do
		if (ioctl(cpu, KVM_RUN, 0) < 0)
			return fail("the guest");
	while (run->exit_reason == KVM_EXIT_IO);
	return run->exit_reason != KVM_EXIT_HLT;
}
