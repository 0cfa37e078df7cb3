/* SPDX-License-Identifier: MIT */
/* The table of architectures, and the rules by which their code is read. */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "../base/compare.h"
#include "../base/search.h"

static const struct arch *const archs[] = {
    &arch_arm,      &arch_riscv,     &arch_sparc,    &arch_avr,
    &arch_x86,      &arch_aarch64,   &arch_mips,     &arch_xtensa,
    &arch_of_bytes, &arch_of_halves, &arch_of_words, &arch_unknown,
};
enum { ARCHS = sizeof archs / sizeof archs[0] };

static const struct arch *find(unsigned number, const struct arch_machine **machine)
{
    for (size_t i = 0; i < ARCHS; i++)
        for (*machine = archs[i]->machines; (*machine)->name != NULL; (*machine)++)
            if ((*machine)->number == number)
                return archs[i];
    *machine = arch_unknown.machines;
    return &arch_unknown;
}

const struct arch *arch_of(unsigned machine)
{
    const struct arch_machine *found;
    return find(machine, &found);
}

const char *arch_machine_name(unsigned machine)
{
    const struct arch_machine *found;
    find(machine, &found);
    return found->name;
}

/* ---- Ports ---- */

static const struct arch_port *port_at(size_t index, const struct arch **arch)
{
    for (size_t i = 0; i < ARCHS; i++)
        for (size_t k = 0; archs[i]->ports != NULL && archs[i]->ports[k] != NULL; k++)
            if (index-- == 0) {
                *arch = archs[i];
                return archs[i]->ports[k];
            }
    return NULL;
}

const struct arch_port *arch_port_at(size_t index)
{
    const struct arch *arch;
    return port_at(index, &arch);
}

const struct arch_port *arch_port_named(const char *name)
{
    const struct arch_port *port = NULL;
    for (size_t i = 0; (port = arch_port_at(i)) != NULL; i++)
        if (strcmp(port->name, name) == 0)
            break;
    return port;
}

const struct arch_port *arch_port_on_wire(uint32_t wire)
{
    const struct arch_port *port = NULL;
    for (size_t i = 0; (port = arch_port_at(i)) != NULL; i++)
        if (port->wire == wire)
            break;
    return port;
}

bool arch_port_serves(const struct arch_port *port, unsigned machine)
{
    const struct arch *arch = &arch_unknown;
    const struct arch_port *found = NULL;
    for (size_t i = 0; found != port && (found = port_at(i, &arch)) != NULL; i++)
        ;
    return arch == &arch_unknown || arch->machines[0].number == machine;
}

/* ---- Code ---- */

/* Whether the name is a mapping symbol's: "$a", "$t.1" or "$d", as in the ELF for the Arm
 * Architecture, or RISC-V's $d or $x, behind which the name of an instruction set may
 * stand. */
static bool is_mapping(const char *kinds, const char *name, enum arch_state *state)
{
    bool some = kinds != NULL && name != NULL && name[0] == '$' && name[1] != '\0';
    const char *kind = some ? strchr(kinds, name[1]) : NULL;
    if (kind == NULL || (*kind != 'x' && name[2] != '\0' && name[2] != '.'))
        return false;
    *state = *kind == 'a' ? ARCH_WIDE : *kind == 'd' ? ARCH_DATA : ARCH_CODE;
    return true;
}

void arch_code_mark(struct arch_code *code, const GElf_Sym *symbol, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    uint64_t bit = code->arch->state_bit;
    struct arch_mark mark = {.address = symbol->st_value};
    if (type == STT_FUNC && bit != 0) {
        mark.address &= ~bit;
        mark.state = (symbol->st_value & bit) != 0 ? ARCH_CODE : ARCH_WIDE;
    } else {
        mark.mapped =
            type == STT_NOTYPE && is_mapping(code->arch->mapping, name, &mark.state);
        if (!mark.mapped)
            return;
    }
    code->marks[code->mark_count++] = mark;
}

static int compare_marks(const void *left, const void *right)
{
    const struct arch_mark *a = left, *b = right;
    ORDER_BY(a->address, b->address);
    if (a->mapped != b->mapped)
        return a->mapped ? 1 : -1;
    return (a->state > b->state) - (a->state < b->state);
}

void arch_code_sort(struct arch_code *code)
{
    if (code->mark_count > 0)
        qsort(code->marks, code->mark_count, sizeof *code->marks, compare_marks);
}

bool arch_code_init(struct arch_code *code, const GElf_Ehdr *header, size_t symbols)
{
    *code = (struct arch_code){
        .arch = arch_of(header->e_machine),
        .wide = header->e_ident[EI_CLASS] == ELFCLASS64,
    };
    code->big_endian = header->e_ident[EI_DATA] == ELFDATA2MSB &&
                       (header->e_flags & code->arch->little_flag) == 0;
    if (code->arch->mapping == NULL)
        return true;
    code->marks = calloc(symbols + 1, sizeof *code->marks);
    return code->marks != NULL;
}

void arch_code_release(struct arch_code *code)
{
    free(code->marks);
    *code = (struct arch_code){.arch = &arch_unknown};
}

static enum arch_state state_at(const struct arch_code *code, uint64_t at)
{
    size_t low = 0;
    SEARCH(low, code->mark_count, code->marks[middle].address <= at);
    if (low > 0)
        return code->marks[low - 1].state;
    return code->arch->state_bit != 0 ? ARCH_WIDE : ARCH_CODE;
}

void arch_decode(const struct arch_code *code, uint64_t at, const uint8_t *bytes,
                 size_t left, struct arch_instruction *found)
{
    const struct arch *arch = code->arch;
    enum arch_state state = state_at(code, at);
    *found = (struct arch_instruction){.bytes = arch->unit};
    found->data = state == ARCH_DATA;
    if (arch->decode != NULL && state != ARCH_DATA && left >= arch->unit)
        arch->decode(code, state, at, bytes, left, found);
}
