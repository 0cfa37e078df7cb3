/* SPDX-License-Identifier: MIT */
/* lwIP without a system: UDP over IPv4. */
#ifndef EXAMPLES_UDP_LWIPOPTS_H
#define EXAMPLES_UDP_LWIPOPTS_H

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_TCP             0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0
#define MEM_ALIGNMENT        4
#define MEM_SIZE             16384
#define ARP_QUEUEING         1
#define LWIP_STATS           0

#endif
