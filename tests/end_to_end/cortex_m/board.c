/* SPDX-License-Identifier: Apache-2.0
 *
 * mnist on a board without anything: vectors, memory, one run of the model, its scores by semihosting as hexadecimal words,
 * then how many bytes of stack the run took. image.h has the input.
 */
#include "image.h"
#include "mnist.h"

extern uint32_t data_from[], data_begin[], data_end[], bss_begin[], bss_end[], stack_bottom[], stack_top[];

static uint64_t arena[(LATHE_MNIST_ARENA_BYTES + 7) / 8];
static float scores[10];

static void semihosting(int operation, const void* argument) {
    register int r0 __asm__("r0") = operation;
    register const void* r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static void say(const char* text) {
    semihosting(4, text); /* SYS_WRITE0 */
}

static void sayWord(uint32_t word) {
    char text[10];
    int i;
    for (i = 0; i < 8; ++i)
        text[i] = "0123456789abcdef"[(word >> (28 - 4 * i)) & 15];
    text[8] = '\n';
    text[9] = 0;
    say(text);
}

static void end(uint32_t code) {
    uint32_t reason[2];
    reason[0] = 0x20026; /* ADP_Stopped_ApplicationExit */
    reason[1] = code;
    semihosting(0x20, reason); /* SYS_EXIT_EXTENDED */
    for (;;)
        ;
}

static void fault(void) {
    say("fault\n");
    end(2);
}

void reset(void) {
    const uint32_t paint = 0x5a5a5a5a;
    const void* inputs[1] = {image};
    void* outputs[1] = {scores};
    uint32_t *to, *from = data_from;
    int status, i;
    for (to = data_begin; to < data_end;)
        *to++ = *from++;
    for (to = bss_begin; to < bss_end;)
        *to++ = 0;
    *(volatile uint32_t*)0xe000ed88 |= 0xfu << 20; /* CPACR: the floating-point unit */
    __asm__ volatile("dsb\n\tisb");
    for (to = stack_bottom; to < (uint32_t*)__builtin_frame_address(0) - 64; ++to)
        *(volatile uint32_t*)to = paint;
    status = lathe_mnist_run(inputs, outputs, arena, NULL);
    if (status != LATHE_MNIST_OK) {
        say(lathe_mnist_message(status));
        end(1);
    }
    for (i = 0; i < 10; ++i) {
        union {
            float number;
            uint32_t bits;
        } score;
        score.number = scores[i];
        sayWord(score.bits);
    }
    for (to = stack_bottom; *to == paint;)
        ++to;
    sayWord((uint32_t)((char*)stack_top - (char*)to));
    end(0);
}

__attribute__((section(".vectors"), used)) static const void* const vectors[16] = {
    stack_top,          (const void*)reset, (const void*)fault, (const void*)fault,
    (const void*)fault, (const void*)fault, (const void*)fault};
