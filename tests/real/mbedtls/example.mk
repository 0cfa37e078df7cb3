# SPDX-License-Identifier: MIT
# Mbed TLS tests itself: big numbers, RSA, elliptic curves, AES, SHA. Deep calls, large frames.
PACKAGE := mbedtls
PROGRAM_FILES := $(patsubst %,library/%.c,aes asn1parse asn1write bignum cipher cipher_wrap \
    constant_time ecdh ecdsa ecp ecp_curves gcm hmac_drbg md md5 memory_buffer_alloc oid \
    platform platform_util ripemd160 rsa rsa_internal sha1 sha256 sha512)
PROGRAM_INCLUDES := include
PROGRAM_FLAGS := -DMBEDTLS_CONFIG_FILE='"mbedtls_config.h"' -Itests/real/mbedtls
REAL_ROUNDS ?= 3
include tests/real/real.mk
