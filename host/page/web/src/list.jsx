// SPDX-License-Identifier: MIT
// The list beside a view: what there is to look at, and which item is shown.
import { useEffect, useMemo } from "preact/hooks";
import { matching } from "./functions.jsx";
import { Bar, Name } from "./parts.jsx";
import { go } from "./route.js";
import { Rows } from "./rows.jsx";

/** `shareOf(item)` is in per cent; `onKey` gets the keys that do not move. */
export function List({ items, current, route, shareOf, label, onKey }) {
    const shown = useMemo(() => matching(items, route.find), [items, route.find]);
    const most = useMemo(() => Math.max(1e-9, ...items.slice(0, 50).map(shareOf)), [items]);
    const move = (row) => go({ ...route, at: shown[row].id }, true);
    useEffect(() => { // shows what was found
        if (route.find && shown.length > 0 && !shown.includes(current))
            move(0);
    }, [route.find]);
    const row = (i) => {
        const each = shown[i];
        return (
            <div key={each.id} role="option" aria-selected={each === current}
                class={`item ${each.of === null ? "inlined" : ""}`}
                onClick={() => go({ ...route, at: each.id })}>
                <Name of={each} /><Bar share={shareOf(each)} of={most} />
            </div>);
    };
    return (
        <aside>
            <Rows count={shown.length} height={26} row={row} cursor={shown.indexOf(current)}
                move={move} onKey={onKey} label={label} role="listbox" />
        </aside>);
}
