/*
 * Constants of the perf.data format. Sources: the description in the sources of perf
 * (tools/perf/Documentation/perf.data-file-format.txt) and the kernel's UAPI, as of Linux 7.2.
 * Layouts are not declared as structs: foreign bytes are never cast, but read field by field.
 */
#ifndef READPERF_UTIL_ORIGPERF_H
#define READPERF_UTIL_ORIGPERF_H

/* Header */
#define PERF_HEADER_SIZE 104     /* bytes, with the feature bitmap */
#define PERF_HEADER_SIZE_OLD 72  /* bytes, before there were features */
#define PERF_HEADER_SIZE_PIPE 16 /* bytes */
#define PERF_FEATURE_BITS 256
#define PERF_EVENT_TYPE_SIZE 72 /* bytes: u64 id, char name[64] */
#define PERF_SECTION_SIZE 16    /* bytes: u64 offset, u64 size */
#define PERF_BUILD_ID_SIZE 20   /* bytes at most; also the size where none is recorded */

/* perf_event_attr */
#define PERF_ATTR_SIZE_MIN 64     /* bytes, Linux 2.6.31; also what size 0 means */
#define PERF_ATTR_COUNT_MAX 65536 /* attrs in one file */

enum perf_type_id {
	PERF_TYPE_HARDWARE,
	PERF_TYPE_SOFTWARE,
	PERF_TYPE_TRACEPOINT,
	PERF_TYPE_HW_CACHE,
	PERF_TYPE_RAW,
	PERF_TYPE_BREAKPOINT
};

#define PERF_COUNT_SW_CPU_CLOCK 0
#define PERF_COUNT_SW_TASK_CLOCK 1
#define PERF_COUNT_SW_BPF_OUTPUT 10

/* attr flag bits, by position in declaration order */
enum perf_attr_flag {
	PERF_FLAG_INHERIT = 1,
	PERF_FLAG_EXCLUDE_USER = 4,
	PERF_FLAG_EXCLUDE_KERNEL = 5,
	PERF_FLAG_EXCLUDE_HV = 6,
	PERF_FLAG_FREQ = 10,
	PERF_FLAG_ENABLE_ON_EXEC = 12,
	PERF_FLAG_PRECISE_IP = 15, /* two bits */
	PERF_FLAG_SAMPLE_ID_ALL = 18,
	PERF_FLAG_EXCLUDE_HOST = 19,
	PERF_FLAG_EXCLUDE_GUEST = 20,
	PERF_FLAG_EXCLUDE_CALLCHAIN_USER = 22,
	PERF_FLAG_COMM_EXEC = 24,
	PERF_FLAG_USE_CLOCKID = 25,
	PERF_FLAG_CONTEXT_SWITCH = 26,
	PERF_FLAG_KNOWN = 40 /* number of the flags that have a meaning today */
};

/* sample_type bits */
#define PERF_SAMPLE_IP (1u << 0)
#define PERF_SAMPLE_TID (1u << 1)
#define PERF_SAMPLE_TIME (1u << 2)
#define PERF_SAMPLE_ADDR (1u << 3)
#define PERF_SAMPLE_READ (1u << 4)
#define PERF_SAMPLE_CALLCHAIN (1u << 5)
#define PERF_SAMPLE_ID (1u << 6)
#define PERF_SAMPLE_CPU (1u << 7)
#define PERF_SAMPLE_PERIOD (1u << 8)
#define PERF_SAMPLE_STREAM_ID (1u << 9)
#define PERF_SAMPLE_RAW (1u << 10)
#define PERF_SAMPLE_BRANCH_STACK (1u << 11)
#define PERF_SAMPLE_REGS_USER (1u << 12)
#define PERF_SAMPLE_STACK_USER (1u << 13)
#define PERF_SAMPLE_WEIGHT (1u << 14)
#define PERF_SAMPLE_DATA_SRC (1u << 15)
#define PERF_SAMPLE_IDENTIFIER (1u << 16)
#define PERF_SAMPLE_TRANSACTION (1u << 17)
#define PERF_SAMPLE_REGS_INTR (1u << 18)
#define PERF_SAMPLE_PHYS_ADDR (1u << 19)
#define PERF_SAMPLE_AUX (1u << 20)
#define PERF_SAMPLE_CGROUP (1u << 21)
#define PERF_SAMPLE_DATA_PAGE_SIZE (1u << 22)
#define PERF_SAMPLE_CODE_PAGE_SIZE (1u << 23)
#define PERF_SAMPLE_WEIGHT_STRUCT (1u << 24)
#define PERF_SAMPLE_KNOWN ((1u << 25) - 1)

/* read_format bits */
#define PERF_FORMAT_TOTAL_TIME_ENABLED (1u << 0)
#define PERF_FORMAT_TOTAL_TIME_RUNNING (1u << 1)
#define PERF_FORMAT_ID (1u << 2)
#define PERF_FORMAT_GROUP (1u << 3)
#define PERF_FORMAT_LOST (1u << 4)
#define PERF_FORMAT_KNOWN ((1u << 5) - 1)

/* perf_mem_data_src: the first bits of its parts, and bits and numbers in these */
enum perf_mem_shift {
	PERF_MEM_OP_SHIFT = 0,
	PERF_MEM_LVL_SHIFT = 5,
	PERF_MEM_SNOOP_SHIFT = 19,
	PERF_MEM_LOCK_SHIFT = 24,
	PERF_MEM_TLB_SHIFT = 26,
	PERF_MEM_LVLNUM_SHIFT = 33,
	PERF_MEM_REMOTE_SHIFT = 37,
	PERF_MEM_SNOOPX_SHIFT = 38,
	PERF_MEM_BLK_SHIFT = 40,
	PERF_MEM_HOPS_SHIFT = 43
};

#define PERF_MEM_OP_LOAD 0x02u
#define PERF_MEM_OP_STORE 0x04u
#define PERF_MEM_LVL_NA 0x01u
#define PERF_MEM_LVL_HIT 0x02u
#define PERF_MEM_LVL_MISS 0x04u
#define PERF_MEM_LVL_L1 0x08u
#define PERF_MEM_LVL_LFB 0x10u
#define PERF_MEM_LVL_L2 0x20u
#define PERF_MEM_LVL_L3 0x40u
#define PERF_MEM_LVL_LOC_RAM 0x80u
#define PERF_MEM_LVL_REM_RAM 0x300u  /* one hop, two hops */
#define PERF_MEM_LVL_REM_CCE1 0x400u /* remote cache, one hop */
#define PERF_MEM_LVL_REM_CCE 0xc00u  /* one hop, two hops */
#define PERF_MEM_LVLNUM_L1 0x1u
#define PERF_MEM_LVLNUM_L2 0x2u
#define PERF_MEM_LVLNUM_L3 0x3u
#define PERF_MEM_LVLNUM_ANY_CACHE 0xbu
#define PERF_MEM_LVLNUM_RAM 0xdu
#define PERF_MEM_LVLNUM_NA 0xfu
#define PERF_MEM_REMOTE_REMOTE 0x1u
#define PERF_MEM_SNOOP_NA 0x01u
#define PERF_MEM_SNOOP_NONE 0x02u
#define PERF_MEM_SNOOP_HIT 0x04u
#define PERF_MEM_SNOOP_HITM 0x10u
#define PERF_MEM_SNOOPX_PEER 0x2u
#define PERF_MEM_TLB_HIT 0x02u
#define PERF_MEM_TLB_MISS 0x04u
#define PERF_MEM_TLB_WK 0x20u
/* A bit, or a number, at its place in the data source. */
#define PERF_MEM_S(part, name) ((uint64_t)PERF_MEM_##part##_##name << PERF_MEM_##part##_SHIFT)

/*
 * branch_sample_type bits: one says that the branches are a call chain, the others change the
 * layout
 */
#define PERF_SAMPLE_BRANCH_CALL_STACK (1u << 11)
#define PERF_SAMPLE_BRANCH_HW_INDEX (1u << 17)
#define PERF_SAMPLE_BRANCH_COUNTERS (1u << 19)

/* Whether the registers are those of a 32-bit or 64-bit task. */
enum perf_regs_abi { PERF_REGS_ABI_NONE, PERF_REGS_ABI_32, PERF_REGS_ABI_64 };

/* Markers in call chains. Every word from MAX on is one, including those of later kernels. */
#define PERF_CONTEXT_HV ((uint64_t)-32)
#define PERF_CONTEXT_KERNEL ((uint64_t)-128)
#define PERF_CONTEXT_USER ((uint64_t)-512)
#define PERF_CONTEXT_USER_DEFERRED ((uint64_t)-640)
#define PERF_CONTEXT_GUEST ((uint64_t)-2048)
#define PERF_CONTEXT_GUEST_KERNEL ((uint64_t)-2176)
#define PERF_CONTEXT_GUEST_USER ((uint64_t)-2560)
#define PERF_CONTEXT_MAX ((uint64_t)-4095)
/* addresses of a call chain that the kernel records if nobody set another limit */
#define PERF_MAX_STACK_DEPTH 127

/* Record header: u32 type, u16 misc, u16 size (with the header) */
#define PERF_RECORD_HEADER_SIZE 8
#define PERF_RECORD_SIZE_MAX 65535
/* bytes of HEADER_TRACING_DATA; simpleperf's holds its data */
#define PERF_TRACING_RECORD_MOST 16

enum perf_record_type {
	PERF_RECORD_MMAP = 1,
	PERF_RECORD_LOST,
	PERF_RECORD_COMM,
	PERF_RECORD_EXIT,
	PERF_RECORD_THROTTLE,
	PERF_RECORD_UNTHROTTLE,
	PERF_RECORD_FORK,
	PERF_RECORD_READ,
	PERF_RECORD_SAMPLE,
	PERF_RECORD_MMAP2,
	PERF_RECORD_AUX,
	PERF_RECORD_ITRACE_START,
	PERF_RECORD_LOST_SAMPLES,
	PERF_RECORD_SWITCH,
	PERF_RECORD_SWITCH_CPU_WIDE,
	PERF_RECORD_NAMESPACES,
	PERF_RECORD_KSYMBOL,
	PERF_RECORD_BPF_EVENT,
	PERF_RECORD_CGROUP,
	PERF_RECORD_TEXT_POKE,
	PERF_RECORD_AUX_OUTPUT_HW_ID,
	PERF_RECORD_CALLCHAIN_DEFERRED,
	PERF_RECORD_KERNEL_END,      /* one past the last kernel type that we know */
	PERF_RECORD_TOOL_START = 64, /* types from here on were made by the tool */
	PERF_RECORD_HEADER_ATTR = 64,
	PERF_RECORD_HEADER_EVENT_TYPE,
	PERF_RECORD_HEADER_TRACING_DATA,
	PERF_RECORD_HEADER_BUILD_ID,
	PERF_RECORD_FINISHED_ROUND,
	PERF_RECORD_ID_INDEX,
	PERF_RECORD_AUXTRACE_INFO,
	PERF_RECORD_AUXTRACE,
	PERF_RECORD_AUXTRACE_ERROR,
	PERF_RECORD_THREAD_MAP,
	PERF_RECORD_CPU_MAP,
	PERF_RECORD_STAT_CONFIG,
	PERF_RECORD_STAT,
	PERF_RECORD_STAT_ROUND,
	PERF_RECORD_EVENT_UPDATE,
	PERF_RECORD_TIME_CONV,
	PERF_RECORD_HEADER_FEATURE,
	PERF_RECORD_COMPRESSED,
	PERF_RECORD_FINISHED_INIT,
	PERF_RECORD_COMPRESSED2,
	PERF_RECORD_BPF_METADATA,
	PERF_RECORD_SCHEDSTAT_CPU,
	PERF_RECORD_SCHEDSTAT_DOMAIN,
	PERF_RECORD_TOOL_END, /* one past the last tool type that we know */
	/* Android's simpleperf has types of its own, and writes the upper half of their size into
	   misc */
	SIMPLEPERF_RECORD_START = 32769,
	SIMPLEPERF_RECORD_KERNEL_SYMBOL = 32769,
	SIMPLEPERF_RECORD_DSO,
	SIMPLEPERF_RECORD_SYMBOL,
	SIMPLEPERF_RECORD_SPLIT,
	SIMPLEPERF_RECORD_SPLIT_END,
	SIMPLEPERF_RECORD_EVENT_ID,
	SIMPLEPERF_RECORD_CALLCHAIN,
	SIMPLEPERF_RECORD_UNWINDING_RESULT,
	SIMPLEPERF_RECORD_TRACING_DATA,
	SIMPLEPERF_RECORD_DEBUG,
	SIMPLEPERF_RECORD_END
};

/* misc bits */
#define PERF_MISC_CPUMODE_MASK 7u
enum perf_cpumode {
	PERF_CPUMODE_UNKNOWN,
	PERF_CPUMODE_KERNEL,
	PERF_CPUMODE_USER,
	PERF_CPUMODE_HYPERVISOR,
	PERF_CPUMODE_GUEST_KERNEL,
	PERF_CPUMODE_GUEST_USER
};
#define PERF_MISC_PROC_MAP_TIMEOUT (1u << 12)
#define PERF_MISC_MMAP_DATA (1u << 13)
#define PERF_MISC_COMM_EXEC (1u << 13)
#define PERF_MISC_FORK_EXEC (1u << 13)
#define PERF_MISC_SWITCH_OUT (1u << 13)
#define PERF_MISC_SWITCH_OUT_PREEMPT (1u << 14)
#define PERF_MISC_MMAP_BUILD_ID (1u << 14)
#define PERF_MISC_EXACT_IP (1u << 14)

/* Of AUX records: include/uapi/linux/perf_event.h */
#define PERF_AUX_FLAG_TRUNCATED 1u
#define PERF_AUX_FLAG_OVERWRITE 2u
#define PERF_AUX_FLAG_PARTIAL 4u
#define PERF_AUX_FLAG_COLLISION 8u
#define PERF_AUX_FLAG_FORMAT 0xff00u
#define PERF_AUX_FORMAT_CORESIGHT_RAW 0x0100u
#define PERF_MISC_BUILD_ID_SIZE (1u << 15)
#define PERF_MISC_LOST_SAMPLES_BPF (1u << 15)

/* Features: bits of the header's bitmap, numbers of HEADER_FEATURE records */
enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID,
	PERF_FEATURE_HOSTNAME,
	PERF_FEATURE_OSRELEASE,
	PERF_FEATURE_VERSION,
	PERF_FEATURE_ARCH,
	PERF_FEATURE_NRCPUS,
	PERF_FEATURE_CPUDESC,
	PERF_FEATURE_CPUID,
	PERF_FEATURE_TOTAL_MEM,
	PERF_FEATURE_CMDLINE,
	PERF_FEATURE_EVENT_DESC,
	PERF_FEATURE_CPU_TOPOLOGY,
	PERF_FEATURE_NUMA_TOPOLOGY,
	PERF_FEATURE_BRANCH_STACK,
	PERF_FEATURE_PMU_MAPPINGS,
	PERF_FEATURE_GROUP_DESC,
	PERF_FEATURE_AUXTRACE,
	PERF_FEATURE_STAT,
	PERF_FEATURE_CACHE,
	PERF_FEATURE_SAMPLE_TIME,
	PERF_FEATURE_MEM_TOPOLOGY,
	PERF_FEATURE_CLOCKID,
	PERF_FEATURE_DIR_FORMAT,
	PERF_FEATURE_BPF_PROG_INFO,
	PERF_FEATURE_BPF_BTF,
	PERF_FEATURE_COMPRESSED,
	PERF_FEATURE_CPU_PMU_CAPS,
	PERF_FEATURE_CLOCK_DATA,
	PERF_FEATURE_HYBRID_TOPOLOGY,
	PERF_FEATURE_PMU_CAPS,
	PERF_FEATURE_CPU_DOMAIN_INFO,
	PERF_FEATURE_E_MACHINE,
	PERF_FEATURE_CLN_SIZE,
	PERF_FEATURE_END,
	/* of Android's simpleperf */
	PERF_FEATURE_FILE = 128,
	PERF_FEATURE_META_INFO,
	PERF_FEATURE_FILE2 = 132
};

/* EVENT_UPDATE kinds */
enum perf_event_update { PERF_UPDATE_UNIT, PERF_UPDATE_SCALE, PERF_UPDATE_NAME, PERF_UPDATE_CPUS };

/* prot and flags of MMAP2 */
#define PERF_PROT_EXEC 4u
/* simpleperf's own flag: the mapping is one function made at run time */
#define SIMPLEPERF_PROT_JIT 0x4000u
#define PERF_MAP_SHARED 0x1u
#define PERF_MAP_HUGETLB 0x40000u

#endif
