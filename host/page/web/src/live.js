// SPDX-License-Identifier: MIT
// A page of `mcuprof serve` asks its server for new data when there are some.
import { useEffect, useState } from "preact/hooks";
import { Blocks } from "./blocks.js";
import { modelOf } from "./model.js";

/** The model of the data in a document. */
export const modelIn = (page) => {
    const blocks = new Blocks(page);
    return modelOf(blocks.get, blocks.has);
};

const TAG = "script"; // this script is in a page, too: it has no tag in it

/** The data in a document, as the server wrote them. */
const dataIn = (page) => [...page.querySelectorAll("script[type^='application/']")].map(
    ({ id, type, textContent }) => `<${TAG} id="${id}" type="${type}">${textContent}</${TAG}>\n`)
    .join("");

/** New data out of those before and a difference (host/page/difference.h). */
function changed(before, difference) {
    const pieces = before.split(/(?<=\],)/);
    return difference.map((part) => (typeof part === "string" ? part :
        pieces.slice(part[0], part[0] + part[1]).join(""))).join("");
}

/** Asks for what is new; keeps `data`, the text of what is there. */
class Data {
    constructor(page) {
        this.text = dataIn(page);
        this.version = page.getElementById("version")?.textContent;
    }

    async fetch() {
        const answer = await fetch(`news?from=${this.version}`);
        this.text = answer.headers.get("Content-Type").startsWith("application/json") ?
            changed(this.text, await answer.json()) : await answer.text();
        const page = new DOMParser().parseFromString(this.text, "text/html");
        this.version = page.getElementById("version").textContent;
        const blocks = new Blocks(page);
        await blocks.unpackAll(); // so that a view that is shown does not wait
        return modelOf(blocks.get, blocks.has);
    }
}

/** The newest model, and how it is: "" (a file), "live", "ended", "lost". */
export function useLive(first) {
    const [model, setModel] = useState(first), [state, setState] = useState(first.live && "live");
    useEffect(() => {
        if (!first.live)
            return undefined;
        const events = new EventSource("events");
        const data = new Data(document);
        let asked = Promise.resolve(); // one request at a time, in the order of the events
        const end = (how) => () => { // is said after what came before is shown
            events.close();
            asked.then(() => setState((now) => (now === "live" ? how : now)));
        };
        events.onmessage = () => { asked = asked.then(() => data.fetch()).then(setModel).catch(end("lost")); };
        events.addEventListener("end", end("ended"));
        events.onerror = end("lost");
        return () => events.close();
    }, []);
    return [model, state];
}
