// SPDX-License-Identifier: MIT
'use strict';
const { spawnSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const { constants } = require('node:os');
const { join } = require('node:path');
const { isatty, WriteStream } = require('node:tty');

/**
 * Runs a program to its end: objdump.
 * @param {string} program
 * @param {string[]} words
 * @param {number} output what it gets as descriptor 1
 * @param {number} input and as 3
 * @returns {number} its status, 256 and a signal's number, or -1: there is no such program
 */
function spawn(program, words, output, input) {
    const { error, status, signal } = spawnSync(program, words, {
        stdio: ['ignore', output, 'ignore', input],
    });

    if (error) return -1;
    return signal ? 256 + constants.signals[signal] : status ?? -1;
}

/**
 * Draws DOT's text by the graphviz that is there.
 * @param {string} dot
 * @returns {string} an SVG; empty: there is none
 */
function draw(dot) {
    return spawnSync('dot', ['-Tsvg'], { input: dot, encoding: 'utf8' }).stdout || '';
}

/**
 * Loads the engine.
 * @param {{ draw?: (dot: string) => string }} [options]
 * @returns {Promise<import('./engine').Engine>}
 */
async function load(options) {
    const engine = await require('./engine.js')({
        noInitialRun: true,
        thisProgram: 'mcuprof',
        wasmBinary: readFileSync(join(__dirname, 'engine.wasm')),
        spawn,
        draw,
        umask: process.umask,
        columns: (/** @type {number} */ fd) => (isatty(fd) ? new WriteStream(fd).columns : 0),
        ...options,
    });

    for (const fd of [0, 1, 2]) engine.FS.getStream(fd).tty = isatty(fd);
    return engine;
}

module.exports = { load };
