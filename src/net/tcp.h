/*
 * The real network: TCP over IPv4 and IPv6.
 */
#pragma once

struct loop;
struct network;

struct network *tcp_network_new(struct loop *loop);
