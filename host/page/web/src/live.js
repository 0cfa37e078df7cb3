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

async function fetched() {
    const answer = await fetch("data");
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const blocks = new Blocks(page);
    await blocks.unpackAll(); // so that a view that is shown does not wait
    return modelOf(blocks.get, blocks.has);
}

/** The newest model, and how it is: "" (a file), "live", "ended", "lost". */
export function useLive(first) {
    const [model, setModel] = useState(first), [state, setState] = useState(first.live && "live");
    useEffect(() => {
        if (!first.live)
            return undefined;
        const events = new EventSource("events");
        let asked = Promise.resolve(); // one request at a time, in the order of the events
        const end = (how) => () => { // is said after what came before is shown
            events.close();
            asked.then(() => setState((now) => (now === "live" ? how : now)));
        };
        events.onmessage = () => { asked = asked.then(fetched).then(setModel).catch(end("lost")); };
        events.addEventListener("end", end("ended"));
        events.onerror = end("lost");
        return () => events.close();
    }, []);
    return [model, state];
}
