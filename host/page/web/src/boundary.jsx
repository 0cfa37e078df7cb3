// SPDX-License-Identifier: MIT
// An error in a view is shown in its place; the header, and so the other views, stay.
import { Component } from "preact";

export class Boundary extends Component {
    constructor() {
        super();
        this.state = { error: null };
    }

    static getDerivedStateFromError(error) {
        return { error };
    }

    /** What is asked for next may be well: another view, another function, newer data. */
    componentDidUpdate({ of }) {
        if (this.state.error && of.some((each, i) => each !== this.props.of[i]))
            this.setState({ error: null });
    }

    render({ children }, { error }) {
        return error === null ? children : (
            <p class="problem" role="alert">This view cannot be shown: {String(error)}. That is a
                fault of mcuprof; the other views stay.</p>);
    }
}
