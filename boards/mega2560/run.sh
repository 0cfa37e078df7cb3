#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs an ELF in QEMU's mega2560, its first UART on standard output. QEMU has no way for an
# AVR to end it: the exit status comes as the one byte that the second UART sends, and then
# QEMU is ended.
set -u

folder=$(mktemp -d)
mkfifo "$folder/status"
qemu-system-avr -M mega2560 -display none -monitor none -serial stdio \
    -serial "file:$folder/status" -bios "$1" </dev/null &
qemu=$!
trap 'kill $qemu 2>/dev/null' TERM INT HUP
{
    od -An -tu1 -N1 "$folder/status" >"$folder/number"
    kill -KILL $qemu
} 2>/dev/null &
wait $qemu 2>/dev/null
: 9<>"$folder/status" # where QEMU failed, od goes on waiting for it
wait
status=$(cat "$folder/number")
rm -rf "$folder"
exit "${status:-1}"
