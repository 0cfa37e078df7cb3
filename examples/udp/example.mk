# SPDX-License-Identifier: MIT
# lwIP, Debian's source package, on the Ethernet of mps2-an385; LINK=lwip_udp.
ifneq ($(BOARD)$(LINK),mps2-an385lwip_udp)
$(error examples/udp is for BOARD=mps2-an385 LINK=lwip_udp)
endif
EXAMPLE_KNOBS := $(if $(findstring MCUPROF_RING_BYTES,$(KNOBS)),,-DMCUPROF_RING_BYTES=4096) -DMCUPROF_UDP_ADDRESS=0x0A000202 \
    $(if $(findstring MCUPROF_UDP_PORT,$(KNOBS)),,-DMCUPROF_UDP_PORT=7777)
LWIP := $(BUILD)/sources/lwip
EXAMPLE_INCLUDES := examples/udp $(LWIP)/src/include
EXAMPLE_SOURCES := boards/mps2-an385/lan9118.c
EXAMPLE_KERNEL := $(addprefix $(LWIP)/src/,$(addprefix core/,$(addsuffix .c,init def \
    inet_chksum ip mem memp netif pbuf timeouts udp)) $(addprefix core/ipv4/,etharp.c icmp.c \
    ip4.c ip4_addr.c ip4_frag.c) netif/ethernet.c)
$(EXAMPLE_KERNEL) $(OUT)/target/link/lwip_udp.c.o $(OUT)/examples/udp/udp.c.o \
    $(OUT)/boards/mps2-an385/lan9118.c.o: | $(LWIP)/.fetched
$(LWIP)/.fetched: scripts/sources
	$(call say,FETCH,$(@D))
	$(Q)scripts/sources lwip
