/* SPDX-License-Identifier: MIT */
/*
 * Runs AVR firmware in simavr, as a COMMAND for `mcuprof record`: what the firmware sends
 * over its first UART, its SPI or I2C goes to standard output, every byte as it is. It
 * ends when the firmware sleeps with interrupts disabled, with what it left in GPIOR0 as
 * the status.
 *
 * This is a tool for tests on the PC and no part of mcuprof: it is linked with libsimavr,
 * whose licence is the GPL 3.
 *
 *     runavr [-m MCU] [-f HZ] [-u LINK] [-p] [-c] [-s] [-t FUNCTION]... [-l LOG]
 *            [-n ELF -o FILE] ELF
 *
 * -p: the UART is a pseudo-terminal; its name is printed, and the run begins with the
 * first byte that is written to it. -c: prints the cycles that it took on standard error.
 * -t: prints there when the function is entered and when that call returns, as
 * "+ FUNCTION CYCLE" and "- FUNCTION CYCLE". -s: the second line also has the most bytes
 * of stack that the call took, its return address included, while no other traced
 * function ran in it. -l: writes a line for each instruction, as QEMU does with -d exec
 * -singlestep, and one for each interrupt.
 *
 * -n: a second node runs this firmware at the same time, cycle by cycle, and the second
 * UARTs of the two are joined; what it sends over its first UART goes to -o. What is
 * traced and logged is the first node.
 *
 * simavr enters interrupts in no time; the chip takes 4 cycles (5 with a 3-byte program
 * counter), which are added. Its UART takes 11 bit times for a byte, the chip 10.
 */
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <pty.h>
#include <simavr/avr_spi.h>
#include <simavr/avr_twi.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_avr.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
    FLASH_END = 0x800000,
    GPIOR0 = 0x3E,
    SPSR = 0x4D,
    SPDR = 0x4E,
    TRACED_MAX = 16,
    DEPTH_MAX = 256,
    VECTORS = 57, /* more than any processor has */
    STEP = 64     /* two nodes are no further apart, in cycles */
};

static struct traced {
    const char *name;
    avr_flashaddr_t entry;
} traced[TRACED_MAX];
static unsigned traced_count;

/* Calls of traced functions that have not returned. */
static struct call {
    const struct traced *function;
    avr_flashaddr_t back;
    unsigned stack; /* the stack pointer after the return */
    unsigned lowest;
} calls[DEPTH_MAX];
static unsigned depth;
static bool tell_stack;

static FILE *instructions; /* the log; NULL: none */

static int out = STDOUT_FILENO;
static int out_of_second;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("runavr: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

static void open_log(const char *path)
{
    instructions = fopen(path, "w");
    if (!instructions)
        fail("cannot write %s", path);
}

static void on_byte(struct avr_irq_t *irq, uint32_t value, void *param)
{
    const int *file = param;
    uint8_t byte = (uint8_t)value;

    (void)irq;
    if (write(*file, &byte, 1) != 1)
        exit(1);
}

/* On the chip a byte that is put into SPDR withdraws the interrupt of the one before. */
static void on_spdr(struct avr_irq_t *irq, uint32_t value, void *param)
{
    avr_t *avr = param;

    (void)irq;
    (void)value;
    for (unsigned i = 0; i < avr->interrupts.vector_count; i++) {
        if (avr->interrupts.vector[i]->raised.reg == SPSR)
            avr_clear_interrupt(avr, avr->interrupts.vector[i]);
    }
}

static struct avr_irq_t *twi_answers;

/* The target of all writes on the I2C bus: it acknowledges each byte. */
static void on_twi(struct avr_irq_t *irq, uint32_t value, void *param)
{
    const avr_twi_msg_irq_t message = {.u.v = value};
    uint8_t address = message.u.twi.addr;

    if (message.u.twi.msg & (TWI_COND_START | TWI_COND_WRITE))
        avr_raise_irq(twi_answers, avr_twi_irq_msg(TWI_COND_ACK, address, 1));
    if (message.u.twi.msg & TWI_COND_WRITE)
        on_byte(irq, message.u.twi.data, param);
}

static bool is_link(const char *text)
{
    return (*text >= '0' && *text <= '3' && text[1] == '\0') ||
           strcmp(text, "spi") == 0 || strcmp(text, "twi") == 0;
}

/* Gives what the firmware sends by `link`, as -u has it, to a file. */
static void listen(avr_t *avr, const char *link, int *file)
{
    if (strcmp(link, "twi") == 0) {
        twi_answers = avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_INPUT);
        avr_irq_register_notify(
            avr_io_getirq(avr, AVR_IOCTL_TWI_GETIRQ(0), TWI_IRQ_OUTPUT), on_twi, file);
    } else if (strcmp(link, "spi") == 0) {
        avr_irq_register_notify(
            avr_io_getirq(avr, AVR_IOCTL_SPI_GETIRQ(0), SPI_IRQ_OUTPUT), on_byte, file);
        avr_irq_register_notify(avr_iomem_getirq(avr, SPDR, NULL, AVR_IOMEM_IRQ_ALL),
                                on_spdr, avr);
    } else {
        avr_irq_register_notify(
            avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ(link[0]), UART_IRQ_OUTPUT), on_byte,
            file);
    }
}

static unsigned stack_pointer(const avr_t *avr)
{
    return avr->data[0x5D] | (unsigned)avr->data[0x5E] << 8;
}

/* The return address on top of the stack. */
static avr_flashaddr_t return_address(const avr_t *avr)
{
    avr_flashaddr_t words = 0;

    for (unsigned i = 1; i <= avr->address_size; i++)
        words = words << 8 | avr->data[stack_pointer(avr) + i];
    return words << 1;
}

/* Called at a vector, and at a return into another interrupt. */
static void on_interrupt(struct avr_irq_t *irq, uint32_t running, void *param)
{
    avr_t *avr = param;

    (void)irq;
    if (instructions && running && avr->pc == running * avr->vector_size)
        fprintf(instructions, "Interrupt at: %x\n", (unsigned)return_address(avr));
    if (running) {
        unsigned cycles = avr->address_size == 2 ? 4 : 5;

        avr->cycle += cycles;
        /* else a timer's event would be late by so many cycles */
        avr->run_cycle_count -=
            avr->run_cycle_count > cycles ? cycles : avr->run_cycle_count;
    }
}

/* Makes sleeping take no real time. */
static void on_sleep(avr_t *avr, avr_cycle_count_t how_long)
{
    (void)avr;
    (void)how_long;
}

static void find_traced(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym symbol;

    for (int i = 0; gelf_getsym(data, i, &symbol) != NULL; i++) {
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);

        for (unsigned t = 0; t < traced_count; t++) {
            if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && name &&
                strcmp(name, traced[t].name) == 0)
                traced[t].entry = (avr_flashaddr_t)symbol.st_value;
        }
    }
}

static void load_segments(avr_t *avr, Elf *elf, const char *path)
{
    size_t count, size;
    const char *file = elf_rawfile(elf, &size);

    if (!file || elf_getphdrnum(elf, &count) != 0)
        fail("%s: %s", path, elf_errmsg(-1));
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;

        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
            segment.p_filesz == 0 || segment.p_paddr >= FLASH_END)
            continue;
        if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset ||
            segment.p_paddr + segment.p_filesz > avr->flashend + 1u)
            fail("%s: segment %zu is not in the file or the flash", path, i);
        memcpy(avr->flash + segment.p_paddr, file + segment.p_offset, segment.p_filesz);
        if (avr->codeend < segment.p_paddr + segment.p_filesz)
            avr->codeend = (uint32_t)(segment.p_paddr + segment.p_filesz);
    }
}

static void load(avr_t *avr, const char *path)
{
    int file = open(path, O_RDONLY);
    Elf *elf;
    Elf_Scn *section = NULL;
    GElf_Ehdr header;

    if (file < 0)
        fail("cannot open %s", path);
    elf_version(EV_CURRENT);
    elf = elf_begin(file, ELF_C_READ, NULL);
    if (!elf || !gelf_getehdr(elf, &header) || header.e_machine != EM_AVR)
        fail("%s: not an ELF for AVR", path);
    load_segments(avr, elf, path);
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr section_header;

        if (gelf_getshdr(section, &section_header) &&
            section_header.sh_type == SHT_SYMTAB)
            find_traced(elf, section, &section_header);
    }
    for (unsigned t = 0; t < traced_count; t++) {
        if (traced[t].entry == 0)
            fail("%s: no function %s", path, traced[t].name);
    }
    elf_end(elf);
    close(file);
}

static void returned(const struct call *call, const avr_t *avr)
{
    fprintf(stderr, "- %s %llu", call->function->name, (unsigned long long)avr->cycle);
    if (tell_stack)
        fprintf(stderr, " %u", call->stack - call->lowest);
    fputc('\n', stderr);
}

/* Notes the top call's stack. What an interrupt pushes before its handler counts as the
 * handler's. Two writes, an instruction apart, set the stack pointer for a frame; between
 * them its value is meaningless. */
static void see_stack(const avr_t *avr, unsigned stack)
{
    static unsigned before, steady;
    bool vectors = avr->pc < (avr_flashaddr_t)avr->vector_size * VECTORS;
    bool pushed = stack < before && stack + avr->address_size >= before;

    steady = stack == before ? steady + 1 : 0;
    before = stack;
    if (depth && !vectors && (pushed || steady > 2) && stack < calls[depth - 1].lowest)
        calls[depth - 1].lowest = stack;
}

/* Called before each instruction: notes when a traced function begins or returns. */
static void trace(const avr_t *avr)
{
    unsigned stack = stack_pointer(avr);

    while (depth && avr->pc == calls[depth - 1].back && stack == calls[depth - 1].stack)
        returned(&calls[--depth], avr);
    for (unsigned t = 0; t < traced_count; t++) {
        unsigned before = stack + avr->address_size;

        if (avr->pc != traced[t].entry)
            continue;
        if (depth == DEPTH_MAX)
            fail("more than %d traced calls in one another", DEPTH_MAX);
        calls[depth++] = (struct call){&traced[t], return_address(avr), before, before};
        fprintf(stderr, "+ %s %llu\n", traced[t].name, (unsigned long long)avr->cycle);
    }
    see_stack(avr, stack);
}

static int terminal; /* the other end of `out` */

/* Waits until all bytes are read: those that are not read before the terminal closes
 * would be lost. Bytes on their way to its other end are not counted there yet. */
static void wait_for_reader(void)
{
    const struct timespec moment = {0, 10000000};
    int unread = 0, quiet = 0;

    for (int i = 0; i < 1000 && quiet < 20; i++) {
        nanosleep(&moment, NULL);
        quiet = ioctl(terminal, FIONREAD, &unread) == 0 && unread == 0 ? quiet + 1 : 0;
    }
}

static void open_pty(void)
{
    char name[256];
    struct termios raw;
    uint8_t byte;

    if (openpty(&out, &terminal, name, NULL, NULL) != 0)
        fail("no pseudo-terminal");
    tcgetattr(terminal, &raw);
    cfmakeraw(&raw);
    tcsetattr(terminal, TCSANOW, &raw);
    printf("%s\n", name);
    fflush(stdout);
    if (read(out, &byte, 1) != 1)
        fail("%s: closed", name);
}

/* Prints only errors. */
static void log_errors(struct avr_t *avr, const int level, const char *format,
                       va_list args)
{
    (void)avr;
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, args);
}

static avr_t *make(const char *mcu, uint32_t hz, const char *link, const char *path,
                   int *file)
{
    avr_t *avr;
    uint32_t flags = 0;

    avr_global_logger_set(log_errors);
    avr = avr_make_mcu_by_name(mcu);
    if (!avr)
        fail("simavr has no %s", mcu);
    avr_init(avr);
    avr->frequency = hz;
    avr->sleep = on_sleep;
    if (traced_count || instructions)
        avr->run_cycle_limit = 1; /* one instruction at a time */
    load(avr, path);
    for (char each = '0'; each <= '3'; each++)
        avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS(each),
                  &flags); /* simavr prints no text of its own */
    listen(avr, link, file);
    avr_irq_register_notify(avr_get_interrupt_irq(avr, AVR_INT_ANY) + AVR_INT_IRQ_RUNNING,
                            on_interrupt, avr);
    return avr;
}

/* Without such a timer a node that sleeps would jump to its own next event, past bytes
 * that the other sends meanwhile. */
static avr_cycle_count_t on_step(avr_t *avr, avr_cycle_count_t when, void *param)
{
    (void)avr;
    (void)param;
    return when + STEP;
}

/* Joins the second UARTs of two nodes. */
static void join(avr_t *from, avr_t *to)
{
    avr_connect_irq(avr_io_getirq(from, AVR_IOCTL_UART_GETIRQ('1'), UART_IRQ_OUTPUT),
                    avr_io_getirq(to, AVR_IOCTL_UART_GETIRQ('1'), UART_IRQ_INPUT));
    avr_cycle_timer_register(from, STEP, on_step, NULL);
}

static avr_t *make_second(const char *mcu, uint32_t hz, const char *link,
                          const char *path, const char *file)
{
    unsigned of_first = traced_count;
    avr_t *second;

    out_of_second = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (out_of_second < 0)
        fail("-n ELF needs -o FILE, a file that can be written");
    if (link[1] != '\0')
        fail("-n ELF sends over a UART (-u), not over %s", link);
    traced_count = 0;
    second = make(mcu, hz, link, path, &out_of_second);
    traced_count = of_first;
    return second;
}

static bool runs(int state)
{
    return state != cpu_Done && state != cpu_Crashed;
}

/* Runs both nodes to their ends, the one that is behind first. Returns the status. */
static int run(avr_t *first, avr_t *second)
{
    int state = cpu_Running, state_of_second = second ? cpu_Running : cpu_Done;

    while (runs(state) || runs(state_of_second)) {
        if (runs(state_of_second) && (!runs(state) || second->cycle < first->cycle)) {
            state_of_second = avr_run(second);
            continue;
        }
        if (traced_count)
            trace(first);
        if (instructions && state == cpu_Running)
            fprintf(instructions, "Trace 0: 0 [00000000/%08x/00000000]\n",
                    (unsigned)first->pc);
        state = avr_run(first);
    }
    if (state == cpu_Crashed || state_of_second == cpu_Crashed)
        return 1;
    return first->data[GPIOR0] ? first->data[GPIOR0] : second ? second->data[GPIOR0] : 0;
}

static const char usage[] =
    "usage: runavr [-m MCU] [-f HZ] [-u LINK] [-p] [-c] [-s] [-t FUNCTION]... [-l LOG] "
    "[-n ELF -o FILE] ELF\n"
    "what the firmware sends goes to standard output\n"
    "  -m MCU       as simavr names it; atmega1284p\n"
    "  -f HZ        its clock; 8000000\n"
    "  -u LINK      what is read: 0 to 3, a UART; spi; twi, the I2C bus; 0\n"
    "  -p           the UART is a pseudo-terminal, whose name is printed\n"
    "  -c           print the cycles that it took\n"
    "  -t FUNCTION  print the cycle at which the function is entered and left\n"
    "  -s           with -t: also how deep its stack was\n"
    "  -l LOG       write each instruction there\n"
    "  -n ELF       a second node, whose second UART is joined with the first's\n"
    "  -o FILE      what the second node sends goes there";

int main(int argc, char **argv)
{
    const char *mcu = "atmega1284p";
    const char *link = "0";
    uint32_t hz = 8000000;
    bool pty = false, cycles = false;
    const char *elf_of_second = NULL, *file_of_second = NULL;
    int option, status;
    avr_t *avr, *second = NULL;

    while ((option = getopt(argc, argv, "m:f:u:pcst:l:n:o:")) != -1) {
        if (option == 'm')
            mcu = optarg;
        else if (option == 'f')
            hz = (uint32_t)strtoul(optarg, NULL, 10);
        else if (option == 'u' && is_link(optarg))
            link = optarg;
        else if (option == 'p')
            pty = true;
        else if (option == 'c')
            cycles = true;
        else if (option == 's')
            tell_stack = true;
        else if (option == 't' && traced_count < TRACED_MAX)
            traced[traced_count++].name = optarg;
        else if (option == 'l')
            open_log(optarg);
        else if (option == 'n')
            elf_of_second = optarg;
        else if (option == 'o')
            file_of_second = optarg;
        else
            fail("%s", usage);
    }
    if (optind != argc - 1)
        fail("%s", usage);
    if (elf_of_second)
        second = make_second(mcu, hz, link, elf_of_second, file_of_second);
    avr = make(mcu, hz, link, argv[optind], &out);
    if (second) {
        join(avr, second);
        join(second, avr);
    }
    if (pty)
        open_pty();
    status = run(avr, second);
    if (cycles)
        fprintf(stderr, "cycles %llu\n", (unsigned long long)avr->cycle);
    if (pty)
        wait_for_reader();
    return status;
}
