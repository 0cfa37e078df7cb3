// SPDX-License-Identifier: MIT
// Bundles the page into one file: node build.mjs OUT. The page's policy allows its script and its
// style by their hashes, and nothing else: no network, no other script.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const licence = readFileSync(join(here, "node_modules/preact/LICENSE"), "utf8");

async function bundle(entry, more) {
    const made = await build({
        entryPoints: [join(here, "src", entry)], bundle: true, minify: true, write: false,
        charset: "utf8", legalComments: "inline", logLevel: "warning", ...more,
    });
    return made.outputFiles[0].text.trim();
}

function policyOf(text) {
    return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const script = await bundle("main.jsx", {
    format: "iife", target: "es2022", jsx: "automatic", jsxImportSource: "preact",
    banner: { js: `/*! With Preact:\n${licence}*/` },
});
const style = await bundle("style.css", {});
if (/<\/script|<!--|@DATA@|@LIVE@/i.test(script))
    throw new Error("the script holds what would end it");

const parts = { SCRIPT: script, STYLE: style,
    POLICY: `script-src ${policyOf(script)}; style-src ${policyOf(style)}` };
const html = readFileSync(join(here, "index.html"), "utf8")
    .replace(/@(SCRIPT|STYLE|POLICY)@/g, (_, part) => parts[part]);
writeFileSync(process.argv[2], html);
