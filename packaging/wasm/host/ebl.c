/* SPDX-License-Identifier: MIT */
/* elfutils' backends for processors that mcuprof does not know: there are none. */
#include <stddef.h>
#include <stdint.h>

#define NO_BACKEND(machine)                                                              \
    void *machine##_init(void *elf, uint16_t number, void *ebl);                         \
    void *machine##_init(void *elf, uint16_t number, void *ebl)                          \
    {                                                                                    \
        (void)elf;                                                                       \
        (void)number;                                                                    \
        (void)ebl;                                                                       \
        return NULL;                                                                     \
    }

NO_BACKEND(aarch64)
NO_BACKEND(alpha)
NO_BACKEND(bpf)
NO_BACKEND(csky)
NO_BACKEND(i386)
NO_BACKEND(ia64)
NO_BACKEND(m68k)
NO_BACKEND(ppc)
NO_BACKEND(ppc64)
NO_BACKEND(s390)
NO_BACKEND(sh)
NO_BACKEND(x86_64)

/* The disassembler of the backend for RISC-V, which nobody calls. */
int riscv_disasm(void);
int riscv_disasm(void)
{
    return -1;
}
