// SPDX-License-Identifier: MIT
// Runs one command of the program in memory: { words, files, wanted } -> { status, out, errors,
// made }, where `made` is the file `wanted`.
'use strict';
importScripts('engine.js');

/** The program compiled once; each run is an instance of its own. */
const compiled = fetch('engine.wasm')
    .then((answer) => answer.arrayBuffer()) // not each server knows the type of .wasm
    .then((bytes) => WebAssembly.compile(bytes));

/**
 * @param {string[]} words
 * @param {{ path: string, bytes: Uint8Array }[]} files
 * @param {string} wanted
 */
async function run(words, files, wanted) {
    const text = { out: '', errors: '' };
    let status = 3;
    const module = await compiled;
    const engine = await Module({
        noInitialRun: true,
        thisProgram: 'mcuprof',
        print: (line) => (text.out += `${line}\n`),
        printErr: (line) => (text.errors += `${line}\n`),
        quit: (code) => {
            status = code;
        },
        instantiateWasm(imports, done) {
            WebAssembly.instantiate(module, imports).then((instance) => done(instance, module));
            return {};
        },
    });

    for (const { path, bytes } of files) {
        engine.FS.mkdirTree(path.replace(/\/[^/]*$/, '') || '/');
        engine.FS.writeFile(path, bytes);
    }
    try {
        engine.callMain(words);
    } catch (error) {
        if (status === 3) text.errors += `${error}\n`;
    }
    const made = engine.FS.analyzePath(wanted).exists ? engine.FS.readFile(wanted) : null;
    return { status, ...text, made };
}

onmessage = async ({ data: { words, files, wanted } }) => {
    try {
        postMessage(await run(words, files, wanted));
    } catch (error) {
        postMessage({ status: 3, out: '', errors: `${error}\n`, made: null });
    }
};
