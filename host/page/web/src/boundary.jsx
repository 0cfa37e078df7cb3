// SPDX-License-Identifier: MIT
// An error in a view is shown in its place; the header, and so the other views, stay. A view whose
// data are still being unpacked throws their promise (blocks.js), and is drawn when they are there.
import { Component } from "preact";

export class Boundary extends Component {
    constructor() {
        super();
        this.state = { error: null };
    }

    static getDerivedStateFromError(error) {
        return { error };
    }

    componentDidCatch(error) {
        const draw = (next) => this.setState((now) => (now.error === error ? next : null));
        if (error instanceof Promise)
            error.then(() => draw({ error: null }), (why) => draw({ error: why }));
    }

    /** What is asked for next may be well: another view, another function, newer data. A view that
        had to wait takes the keys. */
    componentDidUpdate({ of }, { error }) {
        if (error instanceof Promise && !this.state.error && document.activeElement === document.body)
            document.querySelector("[data-keys]")?.focus({ preventScroll: true });
        if (this.state.error && of.some((each, i) => each !== this.props.of[i]))
            this.setState({ error: null });
    }

    render({ children }, { error }) {
        if (error instanceof Promise)
            return null;
        return error === null ? children : (
            <p class="problem" role="alert">This view cannot be shown: {String(error)}. That is a
                fault of mcuprof; the other views stay.</p>);
    }
}
