// SPDX-License-Identifier: MIT
// The page without an install: files are chosen or dropped, and the program runs in a worker.
'use strict';

const SOURCES = '/sources';
const OUT = '/out';
const CHOOSE = 'choose the folder that has it';
const NO_OBJDUMP = 'Instructions are not shown: no objdump runs in a browser.\n';

/** @type {{ elf: { path: string, bytes: Uint8Array } | null, captures: any[], sources: any[] }} */
const chosen = { elf: null, captures: [], sources: [] };
const worker = new Worker('worker.js');

const of = (id) => document.getElementById(id);
const buttons = [...document.querySelectorAll('[data-command]')];

let last = Promise.resolve();

/** Runs a command in the worker, once those before are done. */
function run(words, wanted) {
    const files = [chosen.elf, ...chosen.captures, ...chosen.sources];
    const ask = () =>
        new Promise((done) => {
            worker.addEventListener('message', ({ data }) => done(data), { once: true });
            worker.postMessage({ words, files, wanted });
        });

    return (last = last.then(ask));
}

/** The arguments of each command. */
function wordsOf(command) {
    const captures = chosen.captures.map(({ path }) => path);
    const sources = chosen.sources.length > 0 ? ['-I', SOURCES] : [];

    return {
        html: ['html', '-e', chosen.elf?.path, ...sources, '-o', OUT, ...captures],
        report: ['report', '--wide', '--color', 'never', '-e', chosen.elf?.path, ...captures],
        lint: ['lint', chosen.elf?.path],
        unwind: ['unwind', chosen.elf?.path],
    }[command];
}

function save(bytes, name) {
    URL.revokeObjectURL(of('save').href);
    of('save').href = URL.createObjectURL(new Blob([bytes]));
    of('save').download = name;
    of('save').textContent = `Save ${name}`;
    of('save').hidden = false;
}

function show(command, { status, out, errors, made }) {
    const elf = chosen.elf.path.slice(1);
    const said = errors
        .replace(/.*--asm needs[^]*--objdump PROGRAM\n/, NO_OBJDUMP)
        .replace(/-I DIR\s+or\s+--source-map\s+FROM=TO\s+tell\s+where\s+it\s+is/, CHOOSE);

    of('said').textContent = said || (status === 0 ? '' : `status ${status}`);
    of('text').textContent = out;
    of('text').hidden = out === '';
    of('page').hidden = !(command === 'html' && made);
    of('save').hidden = true;
    if (made && command === 'html') {
        const fresh = of('page').cloneNode();
        URL.revokeObjectURL(fresh.src);
        fresh.src = URL.createObjectURL(new Blob([made], { type: 'text/html' }));
        of('page').replaceWith(fresh);
        save(made, elf.replace(/(\.elf)?$/, '.html'));
    } else if (made && status === 0) {
        save(made, elf);
        of('said').textContent = errors || 'The table is written: save the ELF, and flash it.';
    }
}

async function execute(command) {
    of('said').textContent = 'Working …';
    buttons.forEach((button) => (button.disabled = true));
    show(command, await run(wordsOf(command), command === 'unwind' ? chosen.elf.path : OUT));
    update();
}

/** Says what is chosen, and enables what can be done with it. */
function update() {
    const { elf, captures, sources } = chosen;

    of('chosen').textContent = [
        elf ? `ELF: ${elf.path.slice(1)}` : 'No ELF yet.',
        captures.length > 0 && `captures: ${captures.map(({ path }) => path.slice(1)).join(', ')}`,
        sources.length > 0 && `files of source: ${sources.length}`,
    ].filter(Boolean).join('; ');
    for (const button of buttons)
        button.disabled =
            !elf || (/html|report/.test(button.dataset.command) && captures.length === 0);
}

const isElf = (bytes) => String.fromCharCode(...bytes.subarray(0, 4)) === '\x7fELF';

/** Takes files: an ELF, captures or, from a folder, sources. Those of a kind replace the earlier ones. */
function take(files) {
    const sources = files.filter(({ path }) => path.includes('/'));
    const others = files.filter(({ path }) => !path.includes('/'));
    const captures = others.filter(({ bytes }) => !isElf(bytes));
    const elf = others.findLast(({ bytes }) => isElf(bytes));
    const below = (folder, { path, bytes }) => ({ path: `${folder}/${path}`, bytes });

    if (elf) chosen.elf = below('', elf);
    if (captures.length > 0) chosen.captures = captures.map((each) => below('', each));
    if (sources.length > 0) chosen.sources = sources.map((each) => below(SOURCES, each));
    update();
    if (chosen.elf && chosen.captures.length > 0) void execute('html');
}

const SOURCE = /\.(c|h|cc|cpp|cxx|hh|hpp|ino|s|rs|inc)$/i;

async function read(file, path) {
    return { path, bytes: new Uint8Array(await file.arrayBuffer()) };
}

async function takeInput({ target }) {
    const files = [...target.files]
        .map((file) => [file, file.webkitRelativePath || file.name])
        .filter(([, path]) => !path.includes('/') || SOURCE.test(path));

    take(await Promise.all(files.map(([file, path]) => read(file, path))));
}

/** The files of a dropped entry; of a folder those that may be source. */
async function filesOf(entry) {
    const path = entry.fullPath.slice(1);

    if (entry.isFile) {
        if (path.includes('/') && !SOURCE.test(path)) return [];
        return [await read(await new Promise((done, fail) => entry.file(done, fail)), path)];
    }
    const reader = entry.createReader();
    const found = [];
    for (;;) {
        const some = await new Promise((done, fail) => reader.readEntries(done, fail));
        if (some.length === 0) return (await Promise.all(found.map(filesOf))).flat();
        found.push(...some);
    }
}

addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('over');
});
addEventListener('dragleave', () => document.body.classList.remove('over'));
addEventListener('drop', async (event) => {
    event.preventDefault();
    document.body.classList.remove('over');
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry());

    take((await Promise.all(entries.filter(Boolean).map(filesOf))).flat());
});
for (const id of ['files', 'folder']) of(id).addEventListener('change', takeInput);
of('demo').addEventListener('click', async () => {
    const names = ['demo.elf', 'demo.mprof'];

    take(await Promise.all(names.map(async (name) => read(await fetch(name), name))));
});
for (const button of buttons)
    button.addEventListener('click', () => void execute(button.dataset.command));
void navigator.serviceWorker?.register('offline.js');
