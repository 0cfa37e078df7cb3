/* SPDX-License-Identifier: MIT */
/* Speex packs and unpacks what sounds a little like speech. */
#include <speex/speex.h>
#include <string.h>

#include "board.h"
#include "real.h"

enum { FRAME = 160, PACKED = 200 };

/* A buzz of a wandering pitch through two resonances, and some noise. */
static void speak(spx_int16_t *sound)
{
    static int32_t phase, first[2], second[2];
    int32_t pitch = 60 + (int32_t)(next_random() % 40);

    for (int i = 0; i < FRAME; i++) {
        int32_t x = (int32_t)(next_random() % 400) - 200;

        if (++phase >= pitch) {
            phase = 0;
            x += 6000;
        }
        x += (first[0] * 15 - first[1] * 14) / 16;
        first[1] = first[0];
        first[0] = x;
        x += (second[0] * 3 - second[1] * 12) / 16;
        second[1] = second[0];
        second[0] = x;
        sound[i] = (spx_int16_t)(x / 4);
    }
}

uint32_t program(unsigned rounds)
{
    static spx_int16_t sound[FRAME], heard[FRAME];
    void *encoder = speex_encoder_init(&speex_nb_mode);
    void *decoder = speex_decoder_init(&speex_nb_mode);
    uint32_t sum = 0;
    SpeexBits bits;

    speex_bits_init(&bits);
    for (unsigned i = 0; i < rounds; i++) {
        char packed[PACKED];
        int bytes;
        spx_int32_t quality = 2 + (spx_int32_t)(i % 7);

        speex_encoder_ctl(encoder, SPEEX_SET_QUALITY, &quality);
        speak(sound);
        speex_bits_reset(&bits);
        speex_encode_int(encoder, sound, &bits);
        bytes = speex_bits_write(&bits, packed, PACKED);
        speex_bits_read_from(&bits, packed, bytes);
        if (speex_decode_int(decoder, &bits, heard) != 0) {
            board_printf("speex: cannot unpack\n");
        }
        sum = checksum(sum, packed, (size_t)bytes);
        sum = checksum(sum, heard, sizeof heard);
    }
    speex_bits_destroy(&bits);
    speex_encoder_destroy(encoder);
    speex_decoder_destroy(decoder);
    return sum;
}
