/* SPDX-License-Identifier: MIT */
int strcmp(const char *one, const char *other);
