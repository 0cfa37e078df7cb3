// SPDX-License-Identifier: MIT
import { useEffect, useRef, useState } from "preact/hooks";
import { Boundary } from "./boundary.jsx";
import { Compare } from "./compare.jsx";
import { Flame } from "./flame.jsx";
import { Functions } from "./functions.jsx";
import { Graph } from "./graph.jsx";
import { Help } from "./help.jsx";
import { useLive } from "./live.js";
import { named } from "./model.js";
import { Overview } from "./overview.jsx";
import { address, go, useRoute } from "./route.js";
import { Source } from "./source.jsx";
import { Timeline } from "./timeline.jsx";

const VIEWS = [
    { name: "overview", title: "Overview", view: Overview },
    { name: "functions", title: "Functions", view: Functions, finds: true },
    { name: "flame", title: "Flame graph", view: Flame, finds: true,
      needs: "tree" },
    { name: "graph", title: "Call graph", view: Graph, finds: true,
      needs: "arcs" },
    { name: "source", title: "Source", view: Source, finds: true,
      needs: "source" },
    { name: "timeline", title: "Timeline", view: Timeline, needs: "timeline" },
    { name: "compare", title: "Compare", view: Compare, finds: true,
      needs: "changes" },
];

const STATES = { live: "new data are shown as they come", ended: "no more data will come",
    lost: "mcuprof serve does not answer any more" };

function isTyping(event) {
    return event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey ||
        event.altKey;
}

function Tabs({ views, route }) {
    return (
        <nav aria-label="views">
            {views.map(({ name, title }, i) => (
                <a key={name} href={address({ view: name, at: route.at, find: route.find })}
                    aria-current={name === route.view ? "page" : null} title={`Key ${i + 1}`}>
                    {title}
                </a>))}
        </nav>);
}

function Find({ route, finds, box }) {
    const set = (find) => go({ ...route, find, view: finds ? route.view : "functions" }, finds);
    const down = (event) => {
        if (event.key === "Escape")
            set("");
        if (event.key === "Escape" || event.key === "Enter" || event.key === "ArrowDown") {
            event.preventDefault();
            document.querySelector("[data-keys]")?.focus();
        }
    };
    return (
        <input ref={box} type="search" placeholder="Find a function" aria-label="Find a function"
            title="Key /" value={route.find ?? ""} spellcheck={false}
            onInput={(event) => set(event.target.value)} onKeyDown={down} />);
}

/** The keys that all views share; a view's element takes the view's own keys. */
function useKeys(views, route, box, help) {
    useEffect(() => {
        const down = (event) => {
            const view = views[Number(event.key) - 1];
            if (isTyping(event))
                return;
            if (view)
                go({ view: view.name, at: route.at, find: route.find });
            else if (event.key === "/")
                box.current.focus();
            else if (event.key === "?")
                help(true);
            else
                return;
            event.preventDefault();
        };
        addEventListener("keydown", down);
        return () => removeEventListener("keydown", down);
    });
}

/** A view with what it is about. */
function Shown({ view: View, model, route }) {
    return <View model={model} route={route} current={named(model, route.at)} />;
}

export function App({ first }) {
    const [model, state] = useLive(first);
    const views = VIEWS.filter(({ needs }) => !needs || model.has(needs));
    const hash = useRoute();
    const shown = views.find(({ name }) => name === hash.view) ?? views[0];
    const route = { ...hash, view: shown.name };
    const box = useRef(null);
    const [help, setHelp] = useState(false);
    useKeys(views, route, box, setHelp);
    useEffect(() => {
        if (document.activeElement !== box.current)
            document.querySelector("[data-keys]")?.focus({ preventScroll: true });
    }, [shown.name]);
    return (
        <>
            <header>
                <h1><a class="brand" href="#overview" title={model.title}>
                    <span class="name">{model.title}</span>
                    <span class="chip">{model.chip}</span>
                </a></h1>
                {state && <span class={`state ${state}`} role="status" title={STATES[state]}>{state}
                </span>}
                <Tabs views={views} route={route} />
                <Find route={route} finds={shown.finds} box={box} />
                <button class="help" type="button" title="Keys (?)" aria-label="Keys"
                    onClick={() => setHelp(true)}>?</button>
            </header>
            <main class={shown.name}>
                {model.problem ? <p class="problem" role="alert">{model.problem}</p> :
                    <Boundary key={shown.name} of={[model, location.hash]}>
                        <Shown view={shown.view} model={model} route={route} /></Boundary>}
            </main>
            {help && <Help close={() => setHelp(false)} />}
        </>);
}
