/* SPDX-License-Identifier: MIT */
/* Runs Mbed TLS's short self-tests, a key exchange, digests and ciphers. */
#include "board.h"
#include "mbedtls_config.h"

#include "mbedtls/aes.h"
#include "mbedtls/bignum.h"
#include "mbedtls/ecdh.h"
#include "mbedtls/ecdsa.h"
#include "mbedtls/gcm.h"
#include "mbedtls/hmac_drbg.h"
#include "mbedtls/md.h"
#include "mbedtls/memory_buffer_alloc.h"
#include "mbedtls/rsa.h"
#include "real.h"

static int noise(void *state, unsigned char *to, size_t bytes)
{
    (void)state;
    for (size_t i = 0; i < bytes; i++) {
        to[i] = (unsigned char)next_random();
    }
    return 0;
}

/* Computes one side's shared secret. */
static uint32_t agree(mbedtls_ecp_group_id curve)
{
    unsigned char secret[64] = {0};
    mbedtls_ecp_group group;
    mbedtls_ecp_point theirs;
    mbedtls_mpi ours, shared;
    uint32_t sum;

    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&theirs);
    mbedtls_mpi_init(&ours);
    mbedtls_mpi_init(&shared);
    if (mbedtls_ecp_group_load(&group, curve) ||
        mbedtls_ecdh_gen_public(&group, &ours, &theirs, noise, NULL) ||
        mbedtls_ecdh_compute_shared(&group, &shared, &theirs, &ours, noise, NULL) ||
        mbedtls_mpi_write_binary(&shared, secret, sizeof secret)) {
        board_printf("mbedtls: no shared secret\n");
    }
    sum = checksum(0, secret, sizeof secret);
    mbedtls_mpi_free(&shared);
    mbedtls_mpi_free(&ours);
    mbedtls_ecp_point_free(&theirs);
    mbedtls_ecp_group_free(&group);
    return sum;
}

/* Computes each kind of digest with a key. */
static uint32_t digest(const unsigned char *data, size_t bytes)
{
    unsigned char result[MBEDTLS_MD_MAX_SIZE] = {0};
    uint32_t sum = 0;

    for (const int *kind = mbedtls_md_list(); *kind != MBEDTLS_MD_NONE; kind++) {
        mbedtls_md_hmac(mbedtls_md_info_from_type((mbedtls_md_type_t)*kind), data, 20,
                        data, bytes, result);
        sum = checksum(sum, result, sizeof result);
    }
    return sum;
}

static uint32_t encrypt(unsigned char *data, size_t bytes)
{
    unsigned char vector[16] = {0};
    mbedtls_aes_context aes;

    mbedtls_aes_init(&aes);
    mbedtls_aes_setkey_enc(&aes, data, 256);
    mbedtls_aes_crypt_cbc(&aes, MBEDTLS_AES_ENCRYPT, bytes, vector, data, data);
    mbedtls_aes_free(&aes);
    return checksum(0, data, bytes);
}

uint32_t program(unsigned rounds)
{
    static unsigned char arena[60000], data[1024];
    uint32_t sum = 0;
    int failed = 0;

    mbedtls_memory_buffer_alloc_init(arena, sizeof arena);
    for (unsigned i = 0; i < rounds; i++) {
        failed |= i % 4 == 0 && mbedtls_mpi_self_test(0);
        failed |=
            i % 4 == 1 && (mbedtls_hmac_drbg_self_test(0) || mbedtls_gcm_self_test(0));
        failed |= i % 4 == 3 && mbedtls_rsa_self_test(0);
        if (i % 4 == 2) {
            sum = sum * 31 + agree(MBEDTLS_ECP_DP_SECP192R1);
        }
        noise(NULL, data, sizeof data);
        sum = sum * 31 + encrypt(data, sizeof data);
        sum = sum * 31 + digest(data, sizeof data);
    }
    if (failed) {
        board_printf("mbedtls: a self-test failed\n");
    }
    return sum;
}
