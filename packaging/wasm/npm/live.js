// SPDX-License-Identifier: MIT
// record, top, serve and ports: the loops that read a line. All else the engine does.
'use strict';
const { closeSync, openSync, statSync, writeSync } = require('node:fs');
const { createServer } = require('node:http');
const { parseArgs } = require('node:util');

const { Profile, now } = require('./profile.js');
const { open } = require('./sources.js');

const DONE = 0;
const NO = 1;
const USAGE = 2;
const BAD_INPUT = 3;
const LINGER_S = 0.2; // after the end record text may come
const LINGER_COMMAND_S = 1;
const TICK_MS = 100;
const CLEAR = '\x1b[H\x1b[J';

/** A wrong command line. */
class Usage extends Error {}

/** @typedef {{ name: string, text: string, options: Record<string, any> }} Command */

/** @type {Record<string, Command>} */
const COMMANDS = {
    record: {
        name: 'record',
        text: `Usage: mcuprof record [OPTION...] SOURCE
       mcuprof record [OPTION...] -- COMMAND [ARGUMENT...]

Writes what firmware sends into a capture. SOURCE is a serial device, tcp:HOST:PORT,
udp:[ADDRESS:]PORT, a file, or - for standard input. Ctrl-C ends the recording.

  -o, --output FILE   the capture to write, "-" for standard output (mcuprof.mprof)
  -b, --baud N        speed of a serial line, bits a second (115200)
  -d, --duration S    stop after S seconds
  -e, --elf ELF       the firmware's ELF: checked by build ID
      --strict        exit 1 if anything was lost
  -h, --help          print this
`,
        options: {
            output: { type: 'string', short: 'o', default: 'mcuprof.mprof' },
            duration: { type: 'string', short: 'd' },
        },
    },
    top: {
        name: 'top',
        text: `Usage: mcuprof top [OPTION...] -e ELF SOURCE

The report while the firmware runs, as far as the terminal has room. SOURCE is as in record.

  -b, --baud N        speed of a serial line, bits a second (115200)
  -e, --elf ELF       the firmware's ELF
      --strict        exit 1 if anything was lost
  -h, --help          print this
`,
        options: {},
    },
    serve: {
        name: 'serve',
        text: `Usage: mcuprof serve [OPTION...] -e ELF SOURCE

The page of html, live, for a browser on this machine, until Ctrl-C. SOURCE is as in record.

  -o, --output FILE   record into this capture, too
  -b, --baud N        speed of a serial line, bits a second (115200)
      --port N        where to listen; default: any port that is free
  -e, --elf ELF       the firmware's ELF
      --strict        exit 1 if anything was lost
  -h, --help          print this
`,
        options: {
            output: { type: 'string', short: 'o' },
            port: { type: 'string', default: '0' },
        },
    },
};

/**
 * Reads options; the words from "--" on stay together as a command.
 * @param {Command} command
 * @param {string[]} words
 */
function parse(command, words) {
    const dashes = words.indexOf('--');
    const operands = dashes < 0 ? [] : words.slice(dashes);
    let parsed;

    try {
        parsed = parseArgs({
            args: dashes < 0 ? words : words.slice(0, dashes),
            allowPositionals: true,
            options: {
                baud: { type: 'string', short: 'b', default: '115200' },
                elf: { type: 'string', short: 'e' },
                strict: { type: 'boolean' },
                help: { type: 'boolean', short: 'h' },
                ...command.options,
            },
        });
    } catch (error) {
        throw new Usage(/** @type {Error} */ (error).message);
    }
    const given = /** @type {Record<string, any>} */ (parsed.values);
    const source = [...parsed.positionals, ...operands];
    for (const name of ['baud', 'duration', 'port'])
        if (given[name] !== undefined && !/^\d+(\.\d+)?$/.test(given[name]))
            throw new Usage(`--${name} ${given[name]}: expected a number`);
    if (given.help) return { given, source };
    if (source.length === 0 || (source[0] === '--' && source.length === 1))
        throw new Usage('expected a SOURCE, or -- and a command');
    if (source.length > 1 && source[0] !== '--')
        throw new Usage(`one SOURCE at a time, not also '${source[1]}'`);
    if (command.name !== 'record' && given.elf === undefined)
        throw new Usage("the firmware's ELF is needed: -e ELF");
    return { given, source };
}

/**
 * Whether two names are of one file.
 * @param {string[]} names
 */
function isOneFile(...names) {
    const [one, other] = names.map((name) => statSync(name, { throwIfNoEntry: false }));

    return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

/** A source that is read into a profile and a capture until it, or the user, ends it. */
class Reading {
    /**
     * @param {Command} command
     * @param {string[]} words
     */
    static async open(command, words) {
        const { given, source } = parse(command, words);

        if (given.help) {
            process.stdout.write(command.text);
            return null;
        }
        const name = source[0] === '--' ? source[1] : source[0];
        for (const input of [source[0], given.elf])
            if (given.output && input && isOneFile(given.output, input))
                throw new Usage(`${given.output}: is both input and output`);
        const profile = await Profile.open(given.elf, name);
        const opened = await open(source, Number(given.baud));
        const reading = new Reading(command, given, profile, opened);
        if (given.output === '-') reading.file = 1;
        else if (given.output) reading.file = openSync(given.output, 'w');
        return reading;
    }

    /**
     * @param {Command} command
     * @param {Record<string, any>} given
     * @param {Profile} profile
     * @param {import('./sources.js').Source} source
     */
    constructor(command, given, profile, source) {
        this.command = command;
        this.given = given;
        this.profile = profile;
        this.source = source;
        this.file = -1;
        this.bytes = 0;
        this.started = now();
        this.last = this.started;
        this.why = '';
        this.problem = '';
    }

    /** @param {string} text */
    say(text) {
        process.stderr.write(`mcuprof ${this.command.name}: ${text}\n`);
    }

    /** @param {string} why */
    stop(why) {
        if (this.why) return;
        this.why = why;
        this.source.end();
    }

    /** Each tenth of a second: the clock, and what ends the reading. */
    tick() {
        const linger = this.source.command ? LINGER_COMMAND_S : LINGER_S;

        this.profile.pass();
        if (this.given.duration && now() - this.started >= Number(this.given.duration))
            this.stop('the time is up');
        if (this.command.name === 'record' && this.source.live &&
            this.profile.state === 'stopped' && now() - this.last >= linger)
            this.stop('end');
    }

    /** @param {Uint8Array} bytes */
    take(bytes) {
        this.bytes += bytes.length;
        this.last = now();
        for (let at = 0; this.file >= 0 && at < bytes.length; )
            at += writeSync(this.file, bytes, at);
        this.profile.push(bytes);
        // The firmware's own words could move the cursor.
        const text = this.profile.console.replace(/[^\n\t -~]/g, '?');
        if (text && this.command.name !== 'top')
            (this.file === 1 ? process.stderr : process.stdout).write(text);
        if (this.profile.problem !== this.problem && this.profile.problem)
            this.say(this.profile.problem);
        this.problem = this.profile.problem;
    }

    /** @param {(() => void)} [each] called as bytes come and time passes */
    async read(each) {
        const interrupt = () => this.stop('stopped by Ctrl-C');
        const timer = setInterval(() => {
            this.tick();
            each?.();
        }, TICK_MS);

        process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
        try {
            for await (const bytes of this.source.stream) this.take(bytes);
        } catch (error) {
            if (!this.why) throw this.failure(/** @type {NodeJS.ErrnoException} */ (error));
        } finally {
            clearInterval(timer);
            process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
            this.profile.finish();
            if (this.file > 2) closeSync(this.file);
        }
        if (!this.why) this.why = 'the input ended';
    }

    /**
     * What went wrong, and that what came before it is kept.
     * @param {NodeJS.ErrnoException} error
     */
    failure(error) {
        const what = error.code === 'ERR_STREAM_PREMATURE_CLOSE' ? 'is gone' : error.message;
        const kept = `kept in ${this.given.output}: ${this.count} bytes, ${this.profile.received}`;
        const text = `${this.source.name}: ${what}`;

        return new Error(this.file > 2 && this.bytes > 0 ? `${text}; ${kept}` : text);
    }

    get count() {
        return this.bytes.toLocaleString('en-US');
    }

    /** Says what came. Returns the exit status. */
    summarise() {
        const { profile } = this;
        const name = this.file > 2 ? this.given.output : this.source.name;
        const why = profile.state === 'over' && this.why === 'end' ? '' : `; ${this.why}`;

        this.say(`${name}: ${this.count} bytes in ${(now() - this.started).toFixed(1)} s, ` +
            `${profile.received}${why}`);
        if (profile.advice) this.say(profile.advice);
        if (this.problem) return BAD_INPUT;
        return this.given.strict && profile.lost ? NO : DONE;
    }
}

/** @param {string[]} words */
async function record(words) {
    const reading = await Reading.open(COMMANDS.record, words);

    if (!reading) return DONE;
    await reading.read();
    if (reading.bytes === 0 && reading.why !== 'stopped by Ctrl-C')
        throw new Error(`${reading.source.name}: nothing received`);
    return reading.summarise();
}

/** @param {string[]} words */
async function top(words) {
    const reading = await Reading.open(COMMANDS.top, words);
    let shown = now();

    if (!reading) return DONE;
    const show = () => {
        const lines = (reading.problem || reading.profile.report).split('\n');
        const rows = (process.stdout.rows ?? 25) - 1;

        process.stdout.write(CLEAR + lines.slice(0, rows).join('\n'));
    };
    await reading.read(() => {
        if (!process.stdout.isTTY || now() - shown < 1) return;
        shown = now();
        show();
    });
    if (!reading.problem)
        process.stdout.write((process.stdout.isTTY ? CLEAR : '') + reading.profile.report);
    return reading.summarise();
}

/** The server of pages, for browsers on this machine alone. */
class Pages {
    /** @param {Reading} reading */
    constructor(reading) {
        this.reading = reading;
        this.version = 1;
        this.over = false;
        this.shown = -1;
        this.next = 0;
        /** @type {Set<import('node:http').ServerResponse>} */
        this.listeners = new Set();
        this.server = createServer((request, answer) => this.answer(request, answer));
    }

    /** @param {number} port */
    listen(port) {
        return new Promise((resolve, reject) => {
            this.server.once('error', reject);
            this.server.listen(port, '127.0.0.1', () => resolve(undefined));
        });
    }

    get port() {
        return /** @type {import('node:net').AddressInfo} */ (this.server.address()).port;
    }

    /**
     * @param {import('node:http').IncomingMessage} request
     * @param {import('node:http').ServerResponse} answer
     */
    answer(request, answer) {
        const html = 'text/html; charset=utf-8';
        const types = { '/': html, '/data': html, '/news': html, '/events': 'text/event-stream' };
        const path = /** @type {keyof typeof types} */ (request.url?.replace(/\?.*/, ''));
        const say = (/** @type {number} */ status, /** @type {string} */ text) =>
            answer.writeHead(status, { 'Content-Type': 'text/plain' }).end(`${text}\n`);

        answer.setHeader('Cache-Control', 'no-store');
        answer.setHeader('X-Content-Type-Options', 'nosniff');
        const ours = [`127.0.0.1:${this.port}`, `localhost:${this.port}`];
        if (!ours.includes(request.headers.host ?? ''))
            return void say(403, 'not asked as localhost');
        if (request.method !== 'GET') return void say(405, 'GET only');
        if (!types[path]) return void say(404, 'no such page');
        answer.setHeader('Content-Type', types[path]);
        if (path === '/events') return this.listen_to(answer);
        try {
            const text = this.reading.profile.page(path === '/', !this.over || path === '/');

            answer.end(path === '/' ? text : text + this.versionBlock);
        } catch (error) {
            say(500, /** @type {Error} */ (error).message);
        }
    }

    /** What tells a page which data it has: all of them, for what is new is not told apart. */
    get versionBlock() {
        return `<script id="version" type="application/json">${this.version}</script>\n`;
    }

    /** @param {import('node:http').ServerResponse} answer */
    listen_to(answer) {
        answer.write(`data: ${this.version}\n\n`);
        if (this.over) answer.write('event: end\ndata: 0\n\n');
        this.listeners.add(answer);
        answer.on('close', () => this.listeners.delete(answer));
    }

    /** Tells pages of new data, once a second at most. */
    publish() {
        if (this.reading.bytes === this.shown || now() < this.next) return;
        this.shown = this.reading.bytes;
        this.next = now() + 1;
        this.version++;
        for (const each of this.listeners) each.write(`data: ${this.version}\n\n`);
    }

    end() {
        this.over = true;
        this.version++;
        for (const each of this.listeners)
            each.write(`data: ${this.version}\n\nevent: end\ndata: 0\n\n`);
    }

    close() {
        this.server.close();
        this.server.closeAllConnections();
    }
}

/** @param {string[]} words */
async function serve(words) {
    const reading = await Reading.open(COMMANDS.serve, words);

    if (!reading) return DONE;
    const pages = new Pages(reading);
    await pages.listen(Number(reading.given.port));
    reading.say(`http://127.0.0.1:${pages.port}/`);
    try {
        await reading.read(() => pages.publish());
        pages.end();
        const status = reading.summarise();
        if (reading.why !== 'stopped by Ctrl-C') {
            reading.say('the page stays until Ctrl-C');
            await new Promise((resolve) =>
                process.once('SIGINT', resolve).once('SIGTERM', resolve));
        }
        return status;
    } finally {
        pages.close();
    }
}

/** Lists the serial devices. */
async function ports() {
    const { SerialPort } = require('serialport');
    const found = await SerialPort.list();

    if (found.length === 0) throw new Error('no serial device: is it connected?');
    for (const port of found)
        console.log([port.path, port.vendorId && `${port.vendorId}:${port.productId}`,
            port.manufacturer, port.serialNumber].filter(Boolean).join('  '));
    return DONE;
}

/** @type {Record<string, (words: string[]) => Promise<number>>} */
const RUN = { record, top, serve, ports };

/**
 * Records, and ends the program unless a capture was written. Returns its path.
 * @param {string[]} words
 * @returns {Promise<string>}
 */
async function recordToReport(words) {
    const status = await run('record', words);
    const { output, help } = parse(COMMANDS.record, words).given;

    if (status !== DONE || help || output === '-') process.exit(status);
    return output;
}

/**
 * Runs a command that reads a line. Returns its exit status.
 * @param {string} name
 * @param {string[]} words
 */
async function run(name, words) {
    try {
        return await RUN[name](words);
    } catch (caught) {
        const error = /** @type {Error} */ (caught);
        const hint = error instanceof Usage ? ` (see mcuprof ${name} --help)` : '';

        process.stderr.write(`mcuprof ${name}: ${error.message}${hint}\n`);
        return error instanceof Usage ? USAGE : BAD_INPUT;
    }
}

module.exports = { recordToReport, run };
