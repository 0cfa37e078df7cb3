// SPDX-License-Identifier: MIT
import { render } from "preact";
import { App } from "./app.jsx";
import { modelOf } from "./model.js";

const model = modelOf(JSON.parse(document.getElementById("data").textContent));

document.title = `${model.title} – mcuprof`;
render(<App model={model} />, document.getElementById("page"));
