// SPDX-License-Identifier: MIT
// Keeps the page's files, so that it works without a network; where there is one, new ones are
// taken.
'use strict';
const CACHE = 'mcuprof';
const FILES = ['./', 'app.js', 'worker.js', 'style.css', 'engine.js', 'engine.wasm', 'demo.elf',
    'demo.mprof'];

self.addEventListener('install', (event) => {
    event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(FILES)));
});
self.addEventListener('fetch', (event) => {
    event.respondWith(fetch(event.request).catch(() => caches.match(event.request)));
});
