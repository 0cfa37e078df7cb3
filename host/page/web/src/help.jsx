// SPDX-License-Identifier: MIT
import { useEffect, useRef } from "preact/hooks";

const KEYS = [
    ["1 … 7", "the views, from left to right"],
    ["/", "find a function; Escape ends that"],
    ["↑ ↓ Page Home End", "move in tables and lists"],
    ["Enter", "the function at the cursor in the call graph; in the flame graph, zoom in"],
    ["f  g  s", "the function at the cursor in the flame graph, call graph, source"],
    ["← →", "call graph: callers, callees; flame graph: the frame beside"],
    ["Escape", "flame graph: zoom out; sandwich: the function before"],
    ["a  h", "source: instructions or lines; the hottest line"],
    ["+ − ← →", "timeline: zoom, pan; the wheel zooms, dragging pans"],
    ["↑ ↓ n p", "timeline: another row; its next or previous slice"],
    ["Enter Escape", "timeline: the slice alone, all"],
    ["Alt ←", "back, as everywhere in a browser"],
];

export function Help({ close }) {
    const dialog = useRef(null);
    useEffect(() => dialog.current.showModal(), []);
    return (
        <dialog ref={dialog} onClose={close} onClick={(event) =>
            event.target === dialog.current && dialog.current.close()}>
            <h2>Keys</h2>
            <dl>{KEYS.map(([keys, what]) => (
                <div key={keys}><dt>{keys.split(" ").map((key) =>
                    (key ? <kbd key={key}>{key}</kbd> : " "))}</dt><dd>{what}</dd></div>))}
            </dl>
            <form method="dialog"><button>Close</button></form>
        </dialog>);
}
