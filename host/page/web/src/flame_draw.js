// SPDX-License-Identifier: MIT
import { sized } from "./canvas.js";
import { forEachVisible } from "./flame_layout.js";

export const ROW = 20;
const PAD = 5, FONT = 12, NARROW = 2;
const SURE = 3, STRONG = 10; // standard errors; points of a change that is as strong as any

function hashOf(name) {
    let hash = 2166136261; // FNV-1a
    for (let i = 0; i < name.length; i++)
        hash = Math.imul(hash ^ name.charCodeAt(i), 16777619) >>> 0;
    return hash;
}

/** The colours of the style sheet, which follow light and dark. */
function paletteOf(element) {
    const style = getComputedStyle(element), read = (name) => style.getPropertyValue(name).trim();
    return { ink: read("--ink"), ground: read("--ground"), faint: read("--faint"),
        grey: read("--flame-grey"), narrow: read("--flame-narrow"), text: read("--flame-text"), accent: read("--accent"),
        found: read("--found"), more: read("--more"), less: read("--less"), lightness: Number(read("--flame-light")),
        saturation: Number(read("--flame-colour")), mono: read("--mono") };
}

function colourOf(frame, node, palette) {
    if (node.isTask || /^[[<]/.test(frame.name))
        return palette.grey;
    if (frame.palette !== palette.lightness) {
        const hash = hashOf(frame.name.replace(/ \(inlined\)$/, ""));
        const lightness = palette.lightness + hash / 64 % 9 + (frame.inlined ? 4 : 0);
        frame.palette = palette.lightness;
        frame.colour = `hsl(${14 + hash % 26} ${palette.saturation}% ${lightness}%)`;
    }
    return frame.colour;
}

function label(context, text, x, y, room, character) {
    const fits = Math.floor(room / character);
    if (fits >= text.length)
        context.fillText(text, x, y);
    else if (fits >= 4)
        context.fillText(`${text.slice(0, fits - 1)}…`, x, y);
}

/** Red is more than before, blue is less, the stronger the more it is; grey may be chance. */
function changeColour({ change, error }, { grey, more, less }) {
    if (Math.abs(change) < SURE * error)
        return grey;
    const strong = 30 + 70 * Math.min(1, Math.sqrt(Math.abs(change) / STRONG));
    return `color-mix(in oklab, ${change > 0 ? more : less} ${strong.toFixed(0)}%, ${grey})`;
}

/** Draws neighbours that are narrow as one, for a colour each is more than an eye can see. */
class Narrow {
    constructor(context, y, palette) {
        Object.assign(this, { context, y, palette, from: 0, to: -1, found: false });
    }

    add(x, width, found) {
        if (this.to < 0 || found !== this.found || x > this.to + 1) {
            this.draw();
            Object.assign(this, { from: x, found });
        }
        this.to = x + Math.max(width, 0.6);
    }

    draw() {
        const { context, palette } = this;
        if (this.to < 0)
            return;
        context.globalAlpha = this.found === false ? 0.42 : 1; // undefined: nothing is looked for
        context.fillStyle = this.found ? palette.found : palette.narrow;
        context.fillRect(this.from, this.y, this.to - this.from, ROW - 1);
        this.to = -1;
    }
}

/** Draws a level of the scene, `y` pixels below the top. */
function drawLevel(context, level, y, scale, scene, palette) {
    const { from, to, matches, marked, change, node: at, zoom } = scene;
    const { character } = palette, narrow = new Narrow(context, y, palette);
    forEachVisible(level, from, to, scale, (node, x, wide) => {
        const found = matches?.(node.frame) || (node.frame === marked || undefined);
        const faint = matches && !found || zoom && node.depth < zoom.depth;
        if (wide < NARROW && node !== at && !change)
            return narrow.add(x, wide, matches ? found === true : found);
        narrow.draw();
        context.globalAlpha = faint ? 0.42 : 1;
        context.fillStyle = found ? palette.found : change ? changeColour(change.get(node), palette) :
            colourOf(node.frame, node, palette);
        context.fillRect(x, y, Math.max(wide - (wide > 2 ? 1 : 0), 0.6), ROW - 1);
        if (wide > 4 * character + 2 * PAD) {
            context.globalAlpha = faint ? 0.75 : 1;
            context.fillStyle = palette.text;
            label(context, node.frame.name, x + PAD, y + ROW / 2, wide - 2 * PAD, character);
        }
        if (node === at) {
            context.globalAlpha = 1;
            context.strokeStyle = palette.ink;
            context.lineWidth = 1.5;
            context.strokeRect(x + 0.75, y + 0.75, Math.max(wide - 2.5, 1), ROW - 2.5);
        }
    });
    narrow.draw();
}

/** Draws the levels in sight. scene: levels, from and to (counts), up, matches, marked (a frame),
    change (of nodes; or null), node, zoom. */
export function drawFlame(canvas, box, scene) {
    const { levels, from, to, up } = scene;
    const { context, width, height } = sized(canvas, box.clientWidth, box.clientHeight);
    const palette = paletteOf(box), scale = width / (to - from);
    const top = Math.floor(box.scrollTop / ROW), rows = Math.ceil(height / ROW) + 1;
    context.font = `${FONT}px ${palette.mono}`;
    context.textBaseline = "middle";
    palette.character = context.measureText("m").width;
    for (let row = top; row < Math.min(top + rows, levels.length); row++)
        drawLevel(context, levels[up ? levels.length - 1 - row : row], row * ROW - box.scrollTop,
            scale, scene, palette);
    context.globalAlpha = 1;
}
