/* SPDX-License-Identifier: MIT */
/* Speex packs and unpacks what sounds a little like speech. */
#include <speex/speex.h>
#include <string.h>

#include "board.h"
#include "real.h"
#include "speech.h"

enum { FRAME = 160, PACKED = 200 };

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
        speak(sound, FRAME);
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
