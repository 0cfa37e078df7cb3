// SPDX-License-Identifier: MIT
// A long list of rows of one height, of which only those in sight are drawn.
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const BESIDE = 12; // rows drawn above and below those in sight
const PRINTED = 300;

function useWindow(box, height, count) {
    const [span, set] = useState({ first: 0, rows: 60 });
    useLayoutEffect(() => {
        const element = box.current;
        const look = () => {
            const first = Math.floor(element.scrollTop / height);
            const rows = Math.ceil(element.clientHeight / height) + 1;
            set((last) => (last.first === first && last.rows === rows ? last : { first, rows }));
        };
        const watch = new ResizeObserver(look);
        element.addEventListener("scroll", look, { passive: true });
        watch.observe(element);
        look();
        return () => {
            element.removeEventListener("scroll", look);
            watch.disconnect();
        };
    }, [height, count]);
    return span;
}

function usePrinting() {
    const [printing, set] = useState(false);
    useEffect(() => {
        const before = () => set(true), after = () => set(false);
        addEventListener("beforeprint", before);
        addEventListener("afterprint", after);
        return () => {
            removeEventListener("beforeprint", before);
            removeEventListener("afterprint", after);
        };
    }, []);
    return printing;
}

function moved(key, cursor, count, page) {
    const to = { ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page,
        PageUp: cursor - page, Home: 0, End: count - 1, j: cursor + 1, k: cursor - 1 }[key];
    return to === undefined ? null : Math.min(Math.max(to, 0), count - 1);
}

/** The columns that have room: those that matter less are left out, one kind after the other, until
    the rest is as wide as the table at most. */
export function useRoom(columns, table) {
    const most = Math.max(...columns.map(({ drop }) => drop ?? 0));
    const [{ room }, set] = useState({ room: most });
    useEffect(() => {
        const watch = new ResizeObserver(() => set({ room: most }));
        watch.observe(table.current);
        return () => watch.disconnect();
    }, [most]);
    useLayoutEffect(() => {
        const rows = table.current.querySelector(".rows");
        if (rows && room > 0 && rows.scrollWidth > rows.clientWidth)
            set({ room: Math.min(room, most) - 1 });
    });
    return columns.filter(({ drop }) => (drop ?? 0) <= room);
}

/** Titles of columns, which sort: by the column whose id is `sort`, `reverse`: the least first. Each
    calls set(id), or set("-" + id) for the reverse. */
export function Head({ columns, sort, reverse, set }) {
    const state = (id) => (id !== sort ? "none" : reverse ? "ascending" : "descending");
    return (
        <div class="head tr" role="row">
            {columns.map(({ id, title, help, text, wide }) => (
                <span key={id} role="columnheader" aria-sort={state(id)}
                    class={text ? "text" : wide ? "wide" : null}>
                    <button type="button" title={help}
                        onClick={() => set(id === sort && !reverse ? `-${id}` : id)}>
                        {title}</button></span>))}
        </div>);
}

/** Keys move `cursor`, a row (-1: none), by calling move(row). onKey(event) gets other keys.
    `head` stays above the rows. */
export function Rows({ count, height, row, cursor = -1, move, onKey, head, label, role = "grid",
    ...more }) {
    const box = useRef(null), shown = useRef(false), printing = usePrinting();
    const { first, rows } = useWindow(box, height, count);
    const from = printing ? 0 : Math.max(0, Math.min(first, count) - BESIDE);
    const to = printing ? Math.min(count, PRINTED) : Math.min(count, first + rows + BESIDE);

    useLayoutEffect(() => { // at first in the middle, then at the edge that it leaves
        const element = box.current, top = cursor * height;
        const above = element.querySelector(".head")?.offsetHeight ?? 0;
        if (cursor < 0)
            return;
        if (!shown.current && top + height + above > element.clientHeight)
            element.scrollTop = top - (element.clientHeight - above) / 2;
        else if (top < element.scrollTop)
            element.scrollTop = top;
        else if (top + height + above > element.scrollTop + element.clientHeight)
            element.scrollTop = top + height + above - element.clientHeight;
        shown.current = true;
    }, [cursor, count]);

    const down = (event) => {
        if (event.target !== event.currentTarget && (event.key === "Enter" || event.key === " "))
            return undefined; // of the button or the link that has the focus
        const at = move && !event.altKey && !event.ctrlKey && !event.metaKey ?
            moved(event.key, cursor, count, Math.max(1, rows - 3)) : null;
        if (at === null)
            return onKey?.(event);
        event.preventDefault();
        if (count > 0)
            move(at);
    };
    const drawn = [];
    for (let i = from; i < to; i++)
        drawn.push(row(i));
    return (
        <div class="rows" ref={box} tabIndex={0} data-keys onKeyDown={down} role={role}
            aria-label={label} aria-rowcount={role === "listbox" ? null : count} {...more}>
            {head}
            <div class="space" style={{ height: printing ? "auto" : `${count * height}px` }}>
                <div class="window" style={printing ? {} :
                    { transform: `translateY(${from * height}px)` }}>{drawn}</div>
            </div>
        </div>);
}
