// SPDX-License-Identifier: MIT
// C and C++ in colours, a line at a time: enough to read by.

const WORDS = new Set(("alignas auto bool break case catch char class const constexpr continue " +
    "default delete do double else enum explicit extern false float for friend goto if inline " +
    "int long namespace new noexcept nullptr operator override private protected public " +
    "register restrict return short signed sizeof static struct switch template this throw true " +
    "try typedef typename union unsigned using virtual void volatile while").split(" "));
const TOKEN = new RegExp([
    /(\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*.*)/, // comments, and lines within one
    /("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?)/,
    /(\b(?:0[xX][\da-fA-F]+|\d[\d.]*)[uUlLfF]*\b)/,
    /(^\s*#\s*\w+)/,
    /(\b[A-Za-z_]\w*\b)/,
].map(({ source }) => source).join("|"), "g");
const KINDS = ["comment", "text", "literal", "word"];

/** The line with its comments, texts, numbers and words of the language marked. */
export function highlighted(line) {
    const parts = [];
    let at = 0;
    for (const match of line.matchAll(TOKEN)) {
        const group = match.slice(1).findIndex((each) => each !== undefined);
        const kind = group === 4 ? WORDS.has(match[0]) && "word" : KINDS[group];
        if (!kind)
            continue;
        parts.push(line.slice(at, match.index),
            <span key={match.index} class={`c-${kind}`}>{match[0]}</span>);
        at = match.index + match[0].length;
    }
    parts.push(line.slice(at));
    return parts;
}
