// SPDX-License-Identifier: MIT
// The shell for Node: its sources, its captures, its server. The bytes are firmware's.
'use strict';
const assert = require('node:assert/strict');
const { spawn, spawnSync } = require('node:child_process');
const { createSocket } = require('node:dgram');
const { mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { createServer } = require('node:net');
const { tmpdir } = require('node:os');
const { join, resolve } = require('node:path');
const { after, test } = require('node:test');

const PROGRAM = resolve('build/wasm/mcuprof.js');
const ELF = resolve('build/firmware/microbit/blinky.elf');
const CAPTURE = resolve('build/firmware/microbit/blinky.mprof');
const BYTES = readFileSync(CAPTURE);
const ALL = /: [\d,]+ bytes in [\d.]+ s, all [\d,]+ calls and \d+ samples received/;

const folder = mkdtempSync(join(tmpdir(), 'mcuprof-'));
const out = join(folder, 'out.mprof');
after(() => rmSync(folder, { recursive: true }));

/** Starts the program; `ended` gives its status and what it printed. */
function start(...words) {
    const child = spawn(process.execPath, [PROGRAM, ...words], { stdio: ['pipe', 'pipe', 'pipe'] });
    const told = { out: '', errors: '' };

    child.stdout.on('data', (text) => (told.out += text));
    child.stderr.on('data', (text) => (told.errors += text));
    return {
        child,
        told,
        /** Waits until standard error has this. */
        says: (/** @type {RegExp} */ what) =>
            new Promise((done, fail) => {
                const look = () => {
                    const found = what.exec(told.errors);
                    if (found) done(found);
                };
                child.stderr.on('data', look);
                child.on('close', () => fail(new Error(told.errors)));
                look();
            }),
        ended: new Promise((done) => child.on('close', (status) => done({ status, ...told }))),
    };
}

function run(...words) {
    return spawnSync(process.execPath, [PROGRAM, ...words], { encoding: 'utf8', timeout: 120000 });
}

/** @param {Promise<any>} ended */
async function recorded(ended) {
    const { status, errors } = await ended;

    assert.equal(status, 0, errors);
    assert.match(errors, ALL);
    assert.deepEqual(readFileSync(out), BYTES);
}

test('records a file and standard input', async () => {
    await recorded(start('record', '-o', out, CAPTURE).ended);
    const piped = start('record', '-o', out, '-');

    piped.child.stdin.end(BYTES);
    await recorded(piped.ended);
});

test('records what a command prints, and gives it on', async () => {
    await recorded(start('record', '-e', ELF, '-o', out, '--', process.execPath, '-e',
        `process.stdout.write(require("fs").readFileSync(${JSON.stringify(CAPTURE)}))`).ended);
    const ran = spawnSync(process.execPath, [PROGRAM, 'record', '-o', '-', CAPTURE]);

    assert.deepEqual(ran.stdout, BYTES);
});

// As an emulator's UART does: a write of each byte, and what finds no room is lost.
const UART = `
import os, sys
os.set_blocking(1, False)
for byte in open(sys.argv[1], "rb").read():
    try:
        os.write(1, bytes([byte]))
    except BlockingIOError:
        pass`;

test('a command that does not wait for its reader', async () => {
    const words = ['record', '-o', out, '--', 'python3', '-c', UART, CAPTURE];

    await recorded(start(...words).ended);
});

test('records from tcp: in pieces, and stops at the end record', async () => {
    const server = createServer((socket) => {
        socket.on('error', () => {});
        for (let at = 0; at < BYTES.length; at += 500) socket.write(BYTES.subarray(at, at + 500));
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', () => done(null)));
    const { port } = /** @type {any} */ (server.address());

    await recorded(start('record', '-o', out, `tcp:127.0.0.1:${port}`).ended);
    server.close();
});

test('records from udp: in order', async () => {
    const free = createSocket('udp4');
    await new Promise((done) => free.bind(0, '127.0.0.1', () => done(null)));
    const { port } = free.address();
    free.close();
    const recording = start('record', '-o', out, `udp:127.0.0.1:${port}`);
    const socket = createSocket('udp4');
    const datagrams = [];

    for (let at = 0; at < BYTES.length; at += 200) {
        const head = Buffer.from('mcur\0\0\0\x07\0\0\0\0', 'latin1');
        head.writeUInt32BE(at / 200, 8);
        datagrams.push(Buffer.concat([head, BYTES.subarray(at, at + 200)]));
    }
    [datagrams[2], datagrams[3]] = [datagrams[3], datagrams[2]];
    // Sent until it listens: those that come twice are dropped.
    const timer = setInterval(() => {
        for (const each of datagrams) socket.send(each, port, '127.0.0.1');
    }, 200);
    await recorded(recording.ended);
    clearInterval(timer);
    socket.close();
});

test('Ctrl-C ends a recording, which is kept', async () => {
    const recording = start('record', '-o', out, '-');

    recording.child.stdin.write(BYTES.subarray(0, 2000));
    while (!recording.told.out) await new Promise((done) => setTimeout(done, 20));
    recording.child.kill('SIGINT');
    const { status, errors } = await recording.ended;
    assert.equal(status, 0);
    assert.match(errors, /stopped by Ctrl-C/);
    assert.deepEqual(readFileSync(out), BYTES.subarray(0, 2000));
});

test('says what is wrong, and leaves the recording that is there', () => {
    writeFileSync(out, BYTES);
    for (const [words, status, text] of /** @type {[string[], number, RegExp][]} */ ([
        [['record'], 2, /expected a SOURCE/],
        [['record', '--reconnect', 'x'], 2, /Unknown option '--reconnect'/],
        [['record', 'a', 'b'], 2, /not also 'b'/],
        [['record', '-b', 'fast', 'x'], 2, /--baud fast: expected a number/],
        [['serve', CAPTURE], 2, /ELF is needed/],
        [['record', '-o', CAPTURE, CAPTURE], 2, /is both input and output/],
        [['record', '-o', ELF, '-e', ELF, CAPTURE], 2, /is both input and output/],
        [['record', '-o', out, join(folder, 'none')], 3, /none: No such file/],
        [['record', '-o', out, '-e', CAPTURE, CAPTURE], 3, /blinky\.mprof/],
        [['record', '-o', out, 'tcp:127.0.0.1:1'], 3, /ECONNREFUSED/],
        [['record', '-o', out, '--', 'no-such-program'], 3, /ENOENT/],
        [['run'], 2, /not in the build for Node/],
    ])) {
        const ran = run(...words);

        assert.match(ran.stderr, text);
        assert.equal(ran.status, status, ran.stderr);
        assert.deepEqual(readFileSync(out), BYTES, String(words));
    }
    assert.match(run('record', '--help').stdout, /--duration S/);
    assert.match(run('--help').stdout, /build for Node/);
});

test('another firmware is told, and is no success', () => {
    const other = resolve('build/firmware/microbit/fib.elf');
    const ran = run('record', '-e', other, '-o', out, CAPTURE);

    assert.equal(ran.status, 3);
    assert.match(ran.stderr, /build ID/);
});

test('--strict fails where events are missing', () => {
    const cut = join(folder, 'cut.mprof');

    writeFileSync(cut, BYTES.subarray(0, BYTES.length / 2));
    assert.equal(run('record', '--strict', '-o', out, cut).status, 1);
    assert.equal(run('record', '--strict', '-o', out, CAPTURE).status, 0);
});

test('an ELF alone records and reports', () => {
    const ran = run(ELF, '-o', out, CAPTURE);

    assert.equal(ran.status, 0, ran.stderr);
    assert.match(ran.stdout, /\nfirmware .*blinky\.elf[^]*wait_cycles/);
    assert.equal(run(ELF, '-o', out, join(folder, 'none')).status, 3);
});

/** A serial device: a pty that sends so many bytes once its rate is set, and then is gone. */
const LINE = `import os, pty, sys, termios, time, tty
master, slave = pty.openpty()
tty.setraw(slave)
print(os.ttyname(slave), flush=True)
while termios.tcgetattr(slave)[4] != termios.B1000000:
    time.sleep(0.05)
os.close(slave)
time.sleep(0.5)
sent = open(sys.argv[1], "rb").read()[:int(sys.argv[2])]
while sent:
    sent = sent[os.write(master, sent):]
if sys.argv[3] == "stays":
    sys.stdin.read()
time.sleep(1)`;

/** @param {string[]} words */
async function recordLine(...words) {
    const line = spawn('python3', ['-c', LINE, CAPTURE, ...words]);
    const name = await new Promise((done) => {
        line.stdout.once('data', (text) => done(String(text).trim()));
    });
    const done = await start('record', '-b', '1000000', '-o', out, name).ended;

    line.stdin.end();
    return done;
}

test('records from a serial device', async () => {
    await recorded(recordLine(String(BYTES.length), 'stays'));
});

test('a serial device that is unplugged ends the recording, which is kept', async () => {
    const { status, errors } = await recordLine('2000', 'goes');

    assert.match(errors, /: is gone; kept in .*: 2,000 bytes, /);
    assert.equal(status, 3);
    assert.deepEqual(readFileSync(out), BYTES.subarray(0, 2000));
});

test('top prints the report', () => {
    const { status, stdout } = run('top', '-e', ELF, CAPTURE);

    assert.equal(status, 0);
    assert.match(stdout, /wait_cycles/);
});

test('serves the page to this machine alone', async () => {
    const serving = start('serve', '-e', ELF, CAPTURE);
    const [, address] = await serving.says(/(http:\/\/127\.0\.0\.1:\d+\/)/);

    await serving.says(/the page stays until Ctrl-C/);
    const page = await (await fetch(address)).text();
    assert.match(page, /<!doctype html>/i);
    const data = await (await fetch(`${address}data`)).text();
    assert.match(data, /wait_cycles/);
    assert.ok(page.includes(data.slice(0, 50)));
    // What the page asks for when there are new data; its script reads their version.
    assert.equal(await (await fetch(`${address}news?from=1`)).text(), data);
    assert.match(data, /<script id="version" type="application\/json">\d+<\/script>\n$/);
    const events = await (await fetch(`${address}events`)).body?.getReader().read();
    assert.match(new TextDecoder().decode(events?.value), /^data: \d+\n\n/);
    assert.equal((await fetch(`${address}none`)).status, 404);
    assert.equal((await fetch(address, { method: 'POST' })).status, 405);
    serving.child.kill('SIGINT');
    assert.equal((await serving.ended).status, 0);
});

test('the package has what it needs, and its licences', () => {
    const packed = spawnSync('npm', ['pack', '--dry-run', '--json'], {
        cwd: 'build/wasm',
        encoding: 'utf8',
    });
    const [{ files, version }] = JSON.parse(packed.stdout);
    const names = files.map((/** @type {{ path: string }} */ file) => file.path);

    assert.equal(`mcuprof ${version}\n`, run('--version').stdout);
    for (const name of ['mcuprof.js', 'load.js', 'live.js', 'profile.js', 'sources.js', 'engine.js',
        'engine.wasm', 'README.md', 'package.json', 'LICENSES/COPYING-LGPLV3',
        'LICENSES/COPYING-GPLV3', 'LICENSES/zlib', 'LICENSES/musl'])
        assert.ok(names.includes(name), name);
    assert.ok(!names.some((/** @type {string} */ name) => name.includes('obj/')));
});
