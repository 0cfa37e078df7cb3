// SPDX-License-Identifier: MIT
import { render } from "preact";
import { App } from "./app.jsx";
import { modelIn } from "./live.js";

const model = modelIn(document);

document.title = `${model.title} – mcuprof`;
render(<App first={model} />, document.getElementById("page"));
