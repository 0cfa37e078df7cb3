// SPDX-License-Identifier: MIT
// Zoom, search and keys of a flame graph: the picture is there without it.
'use strict';
(() => {
  const svg = document.documentElement;
  svg.setAttribute('width', '100%');
  const byId = (id) => document.getElementById(id);
  const PAD = 10, CHAR = 6.62, WIDTH_MIN = 480;
  const total = +byId('frames').dataset.total;
  const frames = [...byId('frames').children].map((g) => ({
    g, rect: g.querySelector('rect'), text: g.querySelector('text'),
    name: g.dataset.name, tip: g.querySelector('title').textContent,
    x: +g.dataset.x, n: +g.dataset.n, depth: +g.dataset.d, hit: false,
  }));
  const root = frames.find((f) => f.depth === 0);
  let zoomed = root, at = root, width = 1200;

  const contains = (outer, inner) => outer.depth <= inner.depth && outer.x <= inner.x &&
    inner.x + inner.n <= outer.x + outer.n;

  function label(name, room) {
    const fits = Math.floor((room - 6) / CHAR);
    if (name.length <= fits) return name;
    return fits < 3 ? '' : name.slice(0, fits - 1) + '…';
  }

  // A frame that contains the zoomed one is as wide as all; one beside it is not there.
  function place(frame) {
    const inside = contains(zoomed, frame), around = contains(frame, zoomed);
    const scale = (width - 2 * PAD) / zoomed.n;
    const x = inside ? PAD + (frame.x - zoomed.x) * scale : PAD;
    const w = inside ? frame.n * scale : width - 2 * PAD;
    frame.g.classList.toggle('hidden', !inside && !around);
    frame.g.classList.toggle('out', around && !inside);
    frame.g.classList.toggle('hit', frame.hit);
    frame.g.classList.toggle('at', frame === at && at !== root);
    if (!inside && !around) return;
    frame.rect.setAttribute('x', x);
    frame.rect.setAttribute('width', w);
    frame.text.setAttribute('x', x + 3);
    frame.text.textContent = label(frame.name, w);
  }

  function draw() {
    width = Math.max(WIDTH_MIN, svg.clientWidth || width);
    const height = svg.viewBox.baseVal.height;
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    byId('find').setAttribute('x', width - PAD - byId('find').width.baseVal.value);
    byId('matched').setAttribute('x', width - PAD);
    byId('reset').classList.toggle('hidden', zoomed === root);
    frames.forEach(place);
    byId('details').textContent = at.tip;
  }

  // Of frames in one another only the outermost counts.
  function matched() {
    let sum = 0, end = -1;
    for (const frame of frames.filter((f) => f.hit).sort((a, b) => a.x - b.x || b.n - a.n)) {
      if (frame.x < end) continue;
      sum += frame.n;
      end = frame.x + frame.n;
    }
    return sum;
  }

  function pattern(words) {
    try { return new RegExp(words, 'i'); } catch { return null; }
  }

  function search(words) {
    const wanted = words ? pattern(words) : null;
    const plain = words.toLowerCase();
    for (const frame of frames)
      frame.hit = words !== '' && frame !== root &&
        (wanted ? wanted.test(frame.name) : frame.name.toLowerCase().includes(plain));
    byId('matched').textContent =
      words ? `${(100 * matched() / total).toFixed(1)} % match` : '';
    draw();
    keep();
  }

  function zoom(frame) {
    zoomed = at = frame;
    draw();
    keep();
  }

  // Nothing moves, so that a key is as fast in a large graph; the picture may be below the window.
  function walk(frame) {
    at.g.classList.remove('at');
    at = frame;
    at.g.classList.toggle('at', at !== root);
    at.g.scrollIntoView({ block: 'nearest' });
    byId('details').textContent = at.tip;
  }

  // The view is in the address: zoomed frame, words.
  function keep() {
    const words = byId('words').value;
    const view = new URLSearchParams();
    if (zoomed !== root) view.set('frame', `${zoomed.depth}.${zoomed.x}`);
    if (words) view.set('search', words);
    try { history.replaceState(null, '', '#' + view); } catch { /* a file of a strict browser */ }
  }

  function restore() {
    const view = new URLSearchParams(location.hash.slice(1));
    zoomed = at = frames.find((f) => `${f.depth}.${f.x}` === view.get('frame')) || root;
    byId('words').value = view.get('search') || '';
    search(byId('words').value);
  }

  const shown = (frame) => contains(zoomed, frame) || contains(frame, zoomed);
  const parent = (frame) =>
    frames.find((f) => f.depth === frame.depth - 1 && contains(f, frame)) || frame;
  const child = (frame) => frames.filter((f) => f.depth === frame.depth + 1 && contains(frame, f))
    .sort((a, b) => b.n - a.n)[0] || frame;
  function beside(frame, step) {
    const row = frames.filter((f) => f.depth === frame.depth && shown(f)).sort((a, b) => a.x - b.x);
    return row[row.indexOf(frame) + step] || frame;
  }
  const keys = {
    ArrowDown: () => child(at), ArrowUp: () => parent(at),
    ArrowLeft: () => beside(at, -1), ArrowRight: () => beside(at, 1),
  };

  svg.addEventListener('click', (event) => {
    const g = event.target.closest('.f');
    if (g) zoom(frames.find((f) => f.g === g));
  });
  svg.addEventListener('mouseover', (event) => {
    const g = event.target.closest('.f');
    byId('details').textContent = (g ? frames.find((f) => f.g === g) : at).tip;
  });
  byId('reset').addEventListener('click', () => zoom(root));
  byId('words').addEventListener('input', (event) => search(event.target.value));
  window.addEventListener('resize', draw);
  window.addEventListener('hashchange', restore); // another's address, in the same tab
  window.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') {
      byId('words').value = '';
      byId('words').blur();
      search('');
      zoom(root);
    } else if (document.activeElement === byId('words')) {
      return;
    } else if (event.key === '/' || (event.key === 'f' && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      byId('words').focus();
    } else if (event.key === 'Enter') {
      zoom(at);
    } else if (keys[event.key]) {
      event.preventDefault();
      walk(keys[event.key]());
    }
  });
  restore();
})();
