/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/ports.h"

static void assert_port(struct port_facts facts, const char *device, const char *usb)
{
    struct port port;
    assert_true(port_describe(&port, &facts));
    assert_string_equal(port.source, facts.source);
    assert_string_equal(port.device, device);
    assert_string_equal(port.usb, usb);
    port_release(&port);
}

static void test_a_usb_device(void **state)
{
    (void)state;
    assert_port((struct port_facts){"/dev/ttyUSB0", "CP2102 - 0001", "CP2102",
                                    "Silicon Labs", "0001", 0x10c4, 0xea60},
                "CP2102, Silicon Labs, serial 0001", "10c4:ea60");
    assert_port((struct port_facts){"/dev/ttyACM0", "Arduino Uno", "Arduino Uno",
                                    "Arduino", NULL, 0x2341, 0x43},
                "Arduino Uno", "2341:0043");
    assert_port((struct port_facts){"/dev/ttyACM1", "ttyACM1", NULL, NULL, "7", 1, 2},
                "serial 7", "0001:0002");
    assert_port((struct port_facts){"/dev/ttyACM1", NULL, "", "Arm", "", 1, 2}, "Arm",
                "0001:0002");
}

static void test_another_device(void **state)
{
    (void)state;
    assert_port((struct port_facts){"/dev/ttyS0", "ttyS0", NULL, NULL, NULL, -1, -1}, "",
                "");
    assert_port(
        (struct port_facts){"COM1", "Communications Port", NULL, NULL, NULL, -1, -1},
        "Communications Port", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_usb_device),
        cmocka_unit_test(test_another_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
