// SPDX-License-Identifier: MIT
'use strict';
const { load } = require('./load.js');

const STATES = /** @type {const} */ (['silent', 'text', 'running', 'quiet', 'stopped', 'over']);
const TEXT_BYTES = 1024;
const PIECE_BYTES = 65536;

const now = () => performance.now() / 1000;

/** A profile of which bytes are pushed: engine.h, whose functions have the same names. */
class Profile {
    /**
     * @param {string | undefined} elf
     * @param {string} source
     */
    static async open(elf, source) {
        const engine = await load();
        const room = engine._malloc(Math.max(TEXT_BYTES, PIECE_BYTES));
        const at = engine.ccall(
            'engine_open',
            'number',
            [elf === undefined ? 'number' : 'string', 'string', 'number'],
            [elf ?? 0, source, room],
        );

        if (at === 0) throw new Error(engine.UTF8ToString(room));
        return new Profile(engine, at, room);
    }

    /**
     * @param {import('./engine').Engine} engine
     * @param {number} at
     * @param {number} room
     */
    constructor(engine, at, room) {
        this.engine = engine;
        this.at = at;
        this.room = room;
    }

    /**
     * @param {string} name
     * @param {string | null} returns
     * @param {unknown[]} values
     */
    call(name, returns, ...values) {
        const types = values.map((value) => (typeof value === 'string' ? 'string' : 'number'));

        return this.engine.ccall(`engine_${name}`, returns, ['number', ...types], [
            this.at,
            ...values,
        ]);
    }

    /** @param {Uint8Array} bytes */
    push(bytes) {
        for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
            const piece = bytes.subarray(from, from + PIECE_BYTES);

            this.engine.HEAPU8.set(piece, this.room);
            if (!this.call('push', 'boolean', this.room, piece.length, now()))
                throw new Error(this.error);
        }
    }

    pass() {
        this.call('pass', 'boolean', now());
    }

    finish() {
        return /** @type {boolean} */ (this.call('finish', 'boolean', now()));
    }

    get state() {
        return STATES[this.call('state', 'number')];
    }

    get lost() {
        return /** @type {boolean} */ (this.call('lost', 'boolean'));
    }

    get error() {
        return this.text('error');
    }

    get problem() {
        return this.text('problem');
    }

    get received() {
        return this.text('received');
    }

    get advice() {
        return this.text('advice');
    }

    get console() {
        return this.text('console');
    }

    get report() {
        return this.text('report', 0);
    }

    /**
     * @param {boolean} whole
     * @param {boolean} live
     */
    page(whole, live) {
        return this.text('page', Number(whole), Number(live), 0);
    }

    /**
     * @param {string} name
     * @param {unknown[]} values
     * @returns {string}
     */
    text(name, ...values) {
        const at = this.call(name, 'number', ...values);

        if (at === 0) throw new Error(this.error);
        return this.engine.UTF8ToString(at);
    }
}

module.exports = { Profile, now };
