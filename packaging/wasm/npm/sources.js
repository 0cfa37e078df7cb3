// SPDX-License-Identifier: MIT
// Where bytes come from: serial devices, tcp:, udp:, files, standard input, commands.
'use strict';
const { spawn, spawnSync } = require('node:child_process');
const { createSocket } = require('node:dgram');
const { once } = require('node:events');
const { closeSync, constants, createReadStream, mkdtempSync, openSync, rmSync, statSync } =
    require('node:fs');
const { connect, Socket } = require('node:net');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { PassThrough } = require('node:stream');

const { load } = require('./load.js');

/**
 * A source: its stream of bytes, its name for people, whether bytes come while they are read, and
 * how it is ended.
 * @typedef {{ stream: import('node:stream').Readable, name: string, live: boolean,
 *             command?: boolean, end: () => void }} Source
 */

/**
 * @param {import('node:stream').Readable} stream
 * @param {string} name
 * @returns {Source}
 */
function live(stream, name) {
    return { stream, name, live: true, end: () => stream.destroy() };
}

/**
 * A pipe. Node's own are socket pairs, which 300 writes of a byte fill: an emulator's clock would
 * run on while its UART waits.
 * @returns {{ stream: Socket, into: number } | undefined} undefined: there is none here (Windows)
 */
function pipe() {
    const folder = mkdtempSync(join(tmpdir(), 'mcuprof-'));
    const name = join(folder, 'pipe');

    try {
        if (spawnSync('mkfifo', [name]).status !== 0) return undefined;
        const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
        const into = openSync(name, constants.O_WRONLY);
        return { stream: new Socket({ fd, readable: true, writable: false }), into };
    } finally {
        rmSync(folder, { recursive: true });
    }
}

/**
 * @param {string[]} words
 * @returns {Promise<Source>}
 */
async function command([program, ...words]) {
    const made = process.platform === 'win32' ? undefined : pipe();
    const child = spawn(program, words, { stdio: ['ignore', made?.into ?? 'pipe', 'inherit'] });
    const stream = made?.stream ?? /** @type {Socket} */ (child.stdout);

    if (made) closeSync(made.into);
    child.on('error', (error) => stream.destroy(error));
    stream.on('error', () => {}); // told by who waits here, or reads
    await once(child, 'spawn').catch((error) => {
        throw new Error(`${program}: cannot run: ${error.message}`);
    });
    return {
        ...live(stream, program),
        command: true,
        end() {
            child.kill();
            stream.destroy();
        },
    };
}

/**
 * @param {string} name
 * @returns {Promise<Source>}
 */
async function tcp(name) {
    const [, host, port] = /^tcp:\[?(.+?)\]?:(\d+)$/.exec(name) ?? [];

    if (!port) throw new Error(`${name}: expected tcp:HOST:PORT`);
    const socket = connect(Number(port), host);

    await once(socket, 'connect').catch((error) => {
        throw new Error(`${name}: ${error.message}`);
    });
    return live(socket, name);
}

const HOLD_MS = 200; // how long a missing datagram is waited for
const ROOM_BYTES = 65536;

/**
 * The datagrams of one sender, in order.
 * @param {string} name
 * @returns {Promise<Source>}
 */
async function udp(name) {
    const [, host, port] = /^udp:(?:\[?(.+?)\]?:)?(\d+)$/.exec(name) ?? [];
    const engine = await load();
    const room = engine._malloc(ROOM_BYTES);
    const stream = new PassThrough();
    const socket = createSocket(host?.includes(':') ? 'udp6' : 'udp4');
    let /** @type {string | undefined} */ sender, /** @type {NodeJS.Timeout} */ timer;

    const take = (/** @type {boolean} */ hurry) => {
        const size = engine.ccall('shell_datagram_take', 'number', ['number', 'number', 'number'], [
            room,
            ROOM_BYTES,
            Number(hurry),
        ]);

        if (size > 0) stream.write(engine.HEAPU8.slice(room, room + size));
        return size > 0;
    };
    const add = (/** @type {Uint8Array} */ bytes) => {
        engine.HEAPU8.set(bytes, room);
        return engine.ccall('shell_datagram_add', 'boolean', ['number', 'number'], [
            room,
            bytes.length,
        ]);
    };

    if (!port) throw new Error(`${name}: expected udp:[ADDRESS:]PORT`);
    socket.on('message', (bytes, from) => {
        if (!/^mcu[pr]/.test(bytes.toString('latin1', 0, 4))) return;
        sender ??= `${from.address}:${from.port}`;
        if (sender !== `${from.address}:${from.port}`) return;
        if (!add(bytes)) {
            while (take(true));
            add(bytes);
        }
        while (take(false));
        clearTimeout(timer);
        timer = setTimeout(() => {
            while (take(true));
        }, HOLD_MS);
    });
    socket.on('error', (error) => stream.destroy(error));
    socket.bind(Number(port), host);
    return {
        ...live(stream, name),
        end() {
            clearTimeout(timer);
            socket.close();
            stream.destroy();
        },
    };
}

/**
 * @param {string} path
 * @param {number} baudRate
 * @returns {Source}
 */
function serial(path, baudRate) {
    const { SerialPort } = require('serialport');
    const port = new SerialPort({ path, baudRate, hupcl: false });

    return { ...live(port, path), end: () => port.close() };
}

/**
 * Opens a SOURCE, or the command behind "--".
 * @param {string[]} words
 * @param {number} baud
 * @returns {Promise<Source>}
 */
async function open(words, baud) {
    const [name] = words;

    if (name === '--') return command(words.slice(1));
    if (name === '-') return live(process.stdin, 'standard input');
    if (name.startsWith('tcp:')) return tcp(name);
    if (name.startsWith('udp:')) return udp(name);
    const found = statSync(name, { throwIfNoEntry: false });
    if (found?.isFile()) return { ...live(createReadStream(name), name), live: false };
    if (found?.isFIFO()) return live(createReadStream(name), name);
    if (found?.isDirectory()) throw new Error(`${name}: is a directory, no source`);
    if (!found && process.platform !== 'win32')
        throw new Error(`${name}: No such file or directory`);
    return serial(name, baud);
}

module.exports = { open };
