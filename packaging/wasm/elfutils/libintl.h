/* SPDX-License-Identifier: MIT */
/* elfutils includes it; its texts are not translated here. */
