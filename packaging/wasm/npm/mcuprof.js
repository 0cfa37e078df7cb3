#!/usr/bin/env node
// SPDX-License-Identifier: MIT
'use strict';
const { closeSync, openSync, readSync, writeSync } = require('node:fs');
const { relative } = require('node:path');

const { load } = require('./load.js');

const LACKS = `This is the build for Node. It lacks \`run\`, the options of record, top and serve
that \`mcuprof COMMAND --help\` does not name, and top's views. annotate --asm needs
objdump.

`;

/**
 * graphviz for \`--to svg\`, which no other command needs.
 * @param {string[]} words
 */
async function drawing(words) {
    if (!words.some((word) => /^(--to=)?svg$/.test(word))) return {};
    try {
        const { Graphviz } = await import('@hpcc-js/wasm-graphviz');
        const graphviz = await Graphviz.load();
        return { draw: (/** @type {string} */ dot) => graphviz.dot(dot) };
    } catch {
        return {}; // load.js takes the one that is installed, if there is one
    }
}

/** @param {string} path */
function isElf(path) {
    try {
        const file = openSync(path, 'r');
        const magic = Buffer.alloc(4);

        readSync(file, magic);
        closeSync(file);
        return magic.toString('latin1') === '\x7fELF';
    } catch {
        return false; // no file, so it may be a command
    }
}

/**
 * emscripten knows no drives: paths of Windows become relative ones, with slashes.
 * @param {string} word
 */
function path(word) {
    return /^[A-Za-z]:[\\/]/.test(word) ? relative('', word).replace(/\\/g, '/') : word;
}

async function main() {
    let words = process.argv.slice(2).map(process.platform === 'win32' ? path : String);

    if (['record', 'top', 'serve', 'ports'].includes(words[0]))
        process.exit(await require('./live.js').run(words[0], words.slice(1)));
    if (words[0] && isElf(words[0])) {
        const { recordToReport } = require('./live.js');
        const [elf] = words;
        const output = await recordToReport(['-e', ...words]);

        words = ['report', '-e', elf, output];
        writeSync(1, '\n');
    }
    if (words[0] === 'run') {
        process.stderr.write('mcuprof run: is not in the build for Node\n');
        process.exit(2);
    }
    const engine = await load(await drawing(words));
    if (words[0] === '--help' || words[0] === '-h')
        writeSync(1, LACKS);
    engine.callMain(words);
}

void main();
