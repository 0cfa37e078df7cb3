// SPDX-License-Identifier: MIT
// Where one is on the page: #VIEW/FUNCTION?NAME=VALUE..., so that each view has its address.
import { useEffect, useState } from "preact/hooks";

export function parse(fragment) {
    const [path, query = ""] = fragment.replace(/^#/, "").split("?");
    const [view, at = ""] = path.split("/");
    return { view, at, ...Object.fromEntries(new URLSearchParams(query)) };
}

export function address({ view, at, ...more }) {
    const query = new URLSearchParams(Object.entries(more).filter(([, value]) => value));
    return `#${view}${at ? `/${at}` : ""}${query.size ? `?${query}` : ""}`;
}

/** Goes there; `quietly` leaves no entry in the browser's history. */
export function go(where, quietly = false) {
    const fragment = address(where);
    if (fragment === location.hash)
        return;
    history[quietly ? "replaceState" : "pushState"](null, "", fragment);
    dispatchEvent(new HashChangeEvent("hashchange"));
}

export function useRoute() {
    const [route, set] = useState(() => parse(location.hash));
    useEffect(() => {
        const changed = () => set(parse(location.hash));
        addEventListener("hashchange", changed);
        addEventListener("popstate", changed);
        return () => {
            removeEventListener("hashchange", changed);
            removeEventListener("popstate", changed);
        };
    }, []);
    return route;
}
