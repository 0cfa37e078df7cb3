#!/usr/bin/env node
// SPDX-License-Identifier: MIT
'use strict';
const { load } = require('./load.js');

async function main() {
    const engine = await load();

    engine.callMain(process.argv.slice(2));
}

void main();
