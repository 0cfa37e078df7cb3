/* SPDX-License-Identifier: MIT */
/* Opus packs and unpacks what sounds a little like speech: by its coder for speech, by
 * that for music, and by both. */
#include <opus.h>

#include "board.h"
#include "real.h"
#include "speech.h"

enum { HZ = 48000, FRAME = HZ / 50, PACKED = 400 };

static const struct {
    opus_int32 bits_per_second, effort;
} ways[] = {{12000, 1}, {64000, 3}, {24000, 6}, {96000, 9}, {16000, 9}};

uint32_t program(unsigned rounds)
{
    static int16_t sound[FRAME], heard[FRAME];
    int error;
    OpusEncoder *encoder = opus_encoder_create(HZ, 1, OPUS_APPLICATION_AUDIO, &error);
    OpusDecoder *decoder = opus_decoder_create(HZ, 1, &error);
    uint32_t sum = 0;

    if (!encoder || !decoder) {
        board_printf("opus: no memory\n");
        return 0;
    }
    for (unsigned i = 0; i < rounds; i++) {
        unsigned char packed[PACKED];
        unsigned way = i % (sizeof ways / sizeof *ways);

        opus_encoder_ctl(encoder, OPUS_SET_BITRATE(ways[way].bits_per_second));
        opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(ways[way].effort));
        speak(sound, FRAME);
        opus_int32 bytes = opus_encode(encoder, sound, FRAME, packed, PACKED);
        if (bytes < 0 || opus_decode(decoder, packed, bytes, heard, FRAME, 0) != FRAME) {
            board_printf("opus: cannot pack or unpack\n");
            return 0;
        }
        sum = checksum(sum, packed, (size_t)bytes);
        sum = checksum(sum, heard, sizeof heard);
    }
    opus_encoder_destroy(encoder);
    opus_decoder_destroy(decoder);
    return sum;
}
