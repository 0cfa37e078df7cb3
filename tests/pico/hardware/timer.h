/* SPDX-License-Identifier: MIT */
/* Declarations of the Pico SDK, by its documentation, to compile against. */
void hardware_alarm_claim(unsigned alarm);
