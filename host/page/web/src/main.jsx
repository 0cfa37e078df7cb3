// SPDX-License-Identifier: MIT
import { render } from "preact";
import { App } from "./app.jsx";
import { modelOf } from "./model.js";

const has = (name) => document.getElementById(name) !== null;
const block = (name) => JSON.parse(document.getElementById(name).textContent);
const model = modelOf(block, has);

document.title = `${model.title} – mcuprof`;
render(<App model={model} />, document.getElementById("page"));
