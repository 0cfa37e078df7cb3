// SPDX-License-Identifier: MIT
// The blocks of data in a document (host/page/data.h). Large ones are compressed, and a browser
// inflates only in the background: get() throws a promise until one is there, and Boundary waits.

const PACKED = "application/zlib";

async function unpacked(text) {
    const packed = atob(text), bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i++)
        bytes[i] = packed.charCodeAt(i);
    const inflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(inflated).json();
}

export class Blocks {
    constructor(page) {
        const known = new Map(); // by name: a value, or the promise of one
        const unpack = (name, text) => {
            const coming = unpacked(text).then((value) => known.set(name, value));
            known.set(name, coming);
            return coming;
        };
        this.has = (name) => page.getElementById(name) !== null;
        this.get = (name) => {
            const { type, textContent } = page.getElementById(name);
            if (type !== PACKED)
                return JSON.parse(textContent);
            const value = known.get(name) ?? unpack(name, textContent);
            if (value instanceof Promise)
                throw value;
            return value;
        };
        this.unpackAll = () => Promise.all([...page.querySelectorAll(`script[type="${PACKED}"]`)]
            .map(({ id, textContent }) => unpack(id, textContent)));
    }
}
