// Two kinds of chart: steps over time, and the workers of a pool over time. Both share one cursor, by pointer and by arrow keys. Gaps are gaps, and nothing is smoothed.

import { clock, count, fill, h, moment, reportHref, s, say, set, table } from './elements.js';

/** @typedef {import('./data.js').History} History */
/** @typedef {import('./data.js').WorkerEvent} WorkerEvent */

/**
 * One line of a chart.
 * @typedef {object} Line
 * @property {string} name
 * @property {string} className
 * @property {(point: Point) => number} of
 * @property {boolean} [isArea]
 */

/** @typedef {{t: number, step: number, values: Record<string, number>}} Point */
/** @typedef {{serial: number, pid: number, started?: number, ready?: number, ended?: number, end?: string, report?: string}} Life */
/** @typedef {{from: number, to: number}} Span */

const height = 84;
const top = 6;
const lifeHeight = 20;
const left = 54;
const shortest = 60;
const mostLives = 40;
const failures = new Set(['startFailed', 'failedInCall', 'failedIdle', 'killed', 'internal']);

/**
 * What the ends of workers are called.
 * @type {Record<string, string>}
 */
const ends = {
  idle: 'retired: idle', tasks: 'retired: had its calls', age: 'retired: age', reloaded: 'replaced by a reload', replaced: 'replaced by an operator', memory: 'replaced: memory', resized: 'retired: smaller maximum', capacity: 'gave its place to another pool',
  drained: 'drained', notNeeded: 'not needed any more', stopped: 'stopped', startFailed: 'did not start', failedInCall: 'failed in a call', failedIdle: 'failed without a call', killed: 'killed', internal: 'an error in Weir',
};

/**
 * The points of several histories, the finer one where both have some; counts become rates.
 * @param {(History | undefined)[]} histories the finest first
 * @param {string[]} counts names of numbers that add up
 * @returns {Point[]} the oldest first
 */
export function points(histories, counts) {
  /** @type {Point[]} */
  let found = [];
  for (const history of histories) {
    if (history) {
      const before = found[0]?.t ?? Infinity;
      const older = history.points.map(numbers => ({
        t: numbers[0] ?? 0,
        step: history.step,
        values: Object.fromEntries(history.names.map((name, at) => [name, (numbers[at + 1] ?? 0) / (counts.includes(name) ? history.step : 1)])),
      })).filter(point => point.t + point.step <= before + 0.5);
      found = [...older, ...found];
    }
  }

  return found;
}

/**
 * The lives of workers, of the events of one pool.
 * @param {WorkerEvent[]} events
 * @returns {Life[]} the oldest first
 */
export function lives(events) {
  /** @type {Map<number, Life>} */
  const found = new Map();
  for (const one of events) {
    const life = found.get(one.serial) ?? { serial: one.serial, pid: one.pid };
    found.set(one.serial, life);
    life.pid ||= one.pid;
    life[one.event] = one.t;
    if (one.event === 'ended') {
      life.end = one.end ?? '';
      if (one.report) {
        life.report = one.report;
      }
    }
  }

  return [...found.values()].sort((a, b) => a.serial - b.serial);
}

/**
 * The time that is drawn: not what was before the application was recorded, but a minute at least.
 * @param {number} now
 * @param {number} seconds
 * @param {number} began when recording did
 * @returns {Span}
 */
export const spanOf = (now, seconds, began) => ({ from: Math.max(now - seconds, Math.min(began, now - shortest)), to: now });

/** @param {Life} life */
export const endOf = life => life.ended === undefined ? (life.ready === undefined ? 'starting' : 'alive') : ends[life.end ?? ''] ?? life.end ?? '';

/** @param {Life} life */
const isFailure = life => failures.has(life.end ?? '');

/**
 * Charts below each other on one axis of time.
 * @param {{title: string, unit: (value: number) => string, lines: Line[]}[]} kinds
 * @param {{hasLives: boolean, empty: string}} options
 */
export function charts(kinds, options) {
  const hatch = `hatch-${Math.random().toString(36).slice(2)}`;
  const said = h('div', { class: 'moment', role: 'slider', tabindex: 0, 'aria-label': 'Moment', 'aria-valuemin': 0, 'aria-valuemax': 0, 'aria-valuenow': 0 });
  const plots = kinds.map(kind => plot(kind.title, kind.unit, kind.lines));
  const bars = options.hasLives ? timeline(hatch) : undefined;
  const axis = s('svg', { class: 'axis', height: 16, 'aria-hidden': 'true' });
  const line = h('div', { class: 'cursor', hidden: true });
  const area = h('div', { class: 'plots' }, ...plots.map(one => one.root), bars?.root, axis, line);
  const empty = h('p', { class: 'muted', hidden: true }, options.empty);
  const data = table('Values over time', [
    { head: 'Time', draw: (cell, /** @type {Point} */ point) => fill(cell, String(point.t), () => [moment(point.t)]) },
    ...kinds.flatMap(kind => kind.lines.map(one => ({ head: one.name, className: 'number', text: (/** @type {Point} */ point) => kind.unit(one.of(point)) }))),
  ], { key: (/** @type {Point} */ point) => String(point.t) });
  const folded = h('details', {}, h('summary', {}, 'As a table'), data.root);
  folded.addEventListener('toggle', () => draw());

  /** @type {Point[]} */
  let shown = [];
  /** @type {Life[]} */
  let alive = [];
  /** @type {Span} */
  let span = { from: 0, to: 1 };
  /** @type {number | undefined} */
  let at;

  area.addEventListener('pointermove', event => {
    const box = area.getBoundingClientRect();
    const t = span.from + (span.to - span.from) * (event.clientX - box.left - left) / Math.max(1, box.width - left);
    at = nearest(t);
    mark();
  });
  area.addEventListener('pointerleave', () => {
    at = undefined;
    mark();
  });
  said.addEventListener('keydown', event => {
    const now = at === undefined ? -1 : shown.findIndex(point => point.t === nearest(/** @type {number} */ (at)));
    const last = shown.length - 1;
    const next = event.key === 'ArrowLeft' ? (now < 0 ? last : now - 1) : event.key === 'ArrowRight' ? (now < 0 ? last : now + 1) : event.key === 'Home' ? 0 : event.key === 'End' ? last : undefined;
    if (next !== undefined && last >= 0) {
      at = shown[Math.min(last, Math.max(0, next))]?.t;
      mark();
      event.preventDefault();
    } else if (event.key === 'Escape') {
      at = undefined;
      mark();
    }
  });
  new ResizeObserver(() => draw()).observe(area);

  /** @param {number} t */
  function nearest(t) {
    return shown.reduce((/** @type {Point | undefined} */ best, point) => best && Math.abs(best.t - t) < Math.abs(point.t - t) ? best : point, undefined)?.t;
  }

  function mark() {
    const near = at === undefined ? undefined : nearest(at);
    const point = shown.find(one => one.t === near) ?? shown.at(-1);
    const text = point
      ? `at ${clock(point.t)}: ${kinds.flatMap(kind => kind.lines.map(one => `${kind.unit(one.of(point))} ${one.name}`)).join(', ')}`
      : '';
    say(said, text);
    const index = point ? shown.indexOf(point) : 0;
    set(said, { 'aria-valuemax': Math.max(0, shown.length - 1), 'aria-valuenow': index, 'aria-valuetext': text || 'nothing is kept' });
    line.hidden = at === undefined || !point;
    if (point) {
      // Not in an attribute: the page's policy allows no style there.
      line.style.left = `${left + (area.clientWidth - left) * (point.t - span.from) / (span.to - span.from)}px`;
    }
  }

  function draw() {
    empty.hidden = shown.length > 0 || alive.length > 0;
    for (const one of [area, said, folded]) {
      one.hidden = !empty.hidden;
    }

    const width = area.clientWidth;
    if (width === 0) {
      return;
    }

    const x = (/** @type {number} */ t) => left + (width - left) * Math.min(1, Math.max(0, (t - span.from) / (span.to - span.from)));
    for (const one of plots) {
      one.draw(shown, x, width);
    }

    bars?.draw(alive, span, x, width);
    drawAxis(axis, span, x, width);
    if (folded.open) {
      data.update(shown.toReversed());
    }

    mark();
  }

  return {
    root: h('div', { class: 'charts' }, said, area, empty, folded),
    /** @param {Point[]} found @param {Life[]} workers @param {Span} time */
    update(found, workers, time) {
      span = time;
      shown = found.filter(point => point.t >= time.from && point.t <= time.to);
      alive = workers.filter(life => (life.ended ?? Infinity) >= time.from && (life.started ?? life.ready ?? 0) <= time.to);
      draw();
    },
  };
}

/**
 * Lines of one chart.
 * @param {string} title
 * @param {(value: number) => string} unit
 * @param {Line[]} lines
 */
function plot(title, unit, lines) {
  const drawing = s('svg', { class: 'plot', height, role: 'img' });
  const label = s('text', { x: left - 6, y: top + 9, class: 'scale', 'text-anchor': 'end' });
  const zero = s('text', { x: left - 6, y: height - 4, class: 'scale', 'text-anchor': 'end' }, '0');
  const ground = s('line', { y1: height - 4.5, y2: height - 4.5, x1: left, class: 'ground' });
  const ceiling = s('line', { y1: top + 0.5, y2: top + 0.5, x1: left, class: 'ceiling' });
  const paths = lines.map(line => s('path', { class: `${line.className}${line.isArea ? ' area' : ''}` }));
  drawing.append(ceiling, ground, ...paths, label, zero);
  const legend = h('figcaption', {}, h('b', {}, title), ...lines.map(line => h('span', { class: `key ${line.className}` }, s('svg', { width: 14, height: 8, 'aria-hidden': 'true' }, s('path', { d: 'M0 4H14', class: line.className })), line.name)));
  return {
    root: h('figure', {}, legend, drawing),
    /** @param {Point[]} shown @param {(t: number) => number} x @param {number} width */
    draw(shown, x, width) {
      const most = nice(Math.max(...shown.flatMap(point => lines.map(line => line.of(point))), 0));
      const y = (/** @type {number} */ value) => height - 4.5 - (height - 4.5 - top) * value / most;
      say(label, unit(most));
      set(drawing, { width, 'aria-label': `${title}: ${lines.map(line => `${line.name} at most ${unit(Math.max(0, ...shown.map(line.of)))}`).join(', ')}` });
      set(ground, { x2: width });
      set(ceiling, { x2: width });
      lines.forEach((line, index) => set(/** @type {Element} */ (paths[index]), { d: steps(shown, line.of, x, y, line.isArea ? y(0) : undefined) }));
    },
  };
}

/**
 * A level for the time of each point; a time without a point is a gap.
 * @param {Point[]} shown
 * @param {(point: Point) => number} of
 * @param {(t: number) => number} x
 * @param {(value: number) => number} y
 * @param {number} [ground] closes each part down to it
 */
function steps(shown, of, x, y, ground) {
  let path = '';
  let until = -Infinity;
  for (const point of shown) {
    const [from, to, level] = [x(point.t).toFixed(1), x(point.t + point.step).toFixed(1), y(of(point)).toFixed(1)];
    const isGap = point.t > until + 0.6 * point.step;
    if (isGap) {
      path += `${path && ground !== undefined ? `V${ground}` : ''}M${from} ${ground ?? level}`;
    }

    path += `${isGap && ground === undefined ? '' : `L${from} ${level}`}H${to}`;
    until = point.t + point.step;
  }

  return path && ground !== undefined ? `${path}V${ground}` : path;
}

/**
 * The lives of workers: one bar for each process.
 * @param {string} hatch the name of the pattern for a worker that starts
 */
function timeline(hatch) {
  const pattern = s('pattern', { id: hatch, width: 5, height: 5, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' }, s('rect', { width: 5, height: 5, class: 'starting' }), s('rect', { width: 2, height: 5, class: 'stripe' }));
  const drawing = s('svg', { class: 'lives', role: 'group' }, s('defs', {}, pattern));
  const note = h('span', { class: 'muted' });
  const keys = ['░ starts', '█ alive', '| retired', '✗ failed'].map(text => h('span', { class: text.startsWith('✗') ? 'key failed' : 'key' }, text));
  const root = h('figure', {}, h('figcaption', {}, h('b', {}, 'Worker processes'), ...keys, note), drawing);
  /** @type {Map<string, ReturnType<typeof lifeRow>>} */
  const rows = new Map();
  return {
    root,
    /** @param {Life[]} alive @param {Span} span @param {(t: number) => number} x @param {number} width */
    draw(alive, span, x, width) {
      const isMuch = alive.length > mostLives;
      const shown = isMuch ? alive.filter(isFailure).slice(-mostLives) : alive;
      const failed = alive.filter(isFailure).length;
      root.hidden = alive.length === 0;
      say(note, isMuch ? `${alive.length} workers: only the ${shown.length} newest that failed are drawn` : '');
      set(drawing, { width, height: Math.max(1, shown.length * lifeHeight), 'aria-label': `${alive.length} worker processes: ${alive.filter(life => (life.started ?? 0) >= span.from).length} started, ${alive.filter(life => life.ended !== undefined).length - failed} retired, ${failed} failed` });
      const keyed = shown.map(life => ({ life, key: `${life.serial} ${life.report ?? ''}` }));
      for (const [key, row] of rows) {
        if (!keyed.some(one => one.key === key)) {
          row.root.remove();
          rows.delete(key);
        }
      }

      keyed.forEach(({ life, key }, index) => {
        let row = rows.get(key);
        if (!row) {
          row = lifeRow(life, hatch);
          rows.set(key, row);
          drawing.append(row.root);
        }

        row.place(life, index, x, width);
      });
    },
  };
}

/**
 * One bar. It links to the report of a worker that failed.
 * @param {Life} life
 * @param {string} hatch
 */
function lifeRow(life, hatch) {
  const title = s('title');
  const pid = s('text', { x: left - 6, y: 14, class: 'scale', 'text-anchor': 'end' });
  const begins = s('rect', { y: 4, height: lifeHeight - 8, fill: `url(#${hatch})` });
  const serves = s('rect', { y: 4, height: lifeHeight - 8 });
  const mark = s('path');
  const label = s('text', { y: 14 });
  const group = s('g', {}, title, pid, begins, serves, mark, label);
  return {
    root: life.report ? s('a', { href: reportHref(life.report) }, group) : group,
    /** @param {Life} now @param {number} index @param {(t: number) => number} x @param {number} width */
    place(now, index, x, width) {
      const [from, to, end, isLost, isOver] = [x(now.started ?? now.ready ?? 0), x(now.ended ?? Infinity), endOf(now), isFailure(now), now.ended !== undefined];
      const ready = now.ready === undefined ? to : x(now.ready);
      const text = `${isOver ? (isLost ? '✗ ' : '| ') : ''}${end}${now.report ? ` · ${now.report}` : ''}`;
      const [length, begin] = [6.2 * text.length + 16, Math.max(ready, left)];
      const place = isOver && to + length < width ? 'right' : to - begin > length ? 'inside' : 'left';
      set(group, { transform: `translate(0 ${index * lifeHeight})` });
      say(title, `process ${now.pid}: ${end}${now.report ? `, report ${now.report}` : ''}`);
      say(pid, String(now.pid || '–'));
      set(begins, { x: from, width: Math.max(1, Math.min(ready, to) - from) });
      set(serves, { x: ready, width: Math.max(0, to - ready), class: isLost ? 'life lost' : 'life' });
      set(mark, { d: !isOver ? null : isLost ? `M${to - 4} 6l8 8m0 -8l-8 8` : `M${to} 3v14`, class: isLost ? 'cross' : 'stop' });
      set(label, { x: place === 'right' ? to + 8 : place === 'inside' ? begin + 6 : from - 6, 'text-anchor': place === 'left' ? 'end' : 'start', class: place === 'inside' ? 'inside' : isLost ? 'failed' : 'end' });
      say(label, text);
    },
  };
}

/** @param {SVGSVGElement} axis @param {Span} span @param {(t: number) => number} x @param {number} width */
function drawAxis(axis, span, x, width) {
  const wide = (span.to - span.from) / Math.max(1, (width - left) / 85);
  const step = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1800].find(one => one >= wide) ?? 3600;
  const ticks = [];
  for (let t = Math.ceil(span.from / step) * step; t <= span.to; t += step) {
    ticks.push(s('text', { x: Math.min(x(t), width - 26), y: 12, class: 'scale', 'text-anchor': 'middle' }, step < 60 ? clock(t).slice(-8) : clock(t).slice(-8, -3)));
  }

  set(axis, { width });
  axis.replaceChildren(...ticks);
}

/**
 * The next round number.
 * @param {number} value
 */
function nice(value) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)));
  return value <= 0 ? 1 : ten * ([1, 2, 3, 4, 5, 6, 8, 10].find(one => one * ten >= value * 0.999) ?? 10);
}

/**
 * A chart of a row in a table: busy workers below the line of calls that wait, each on its own scale. Its figures are in the row.
 * @param {string} name
 */
export function spark(name) {
  const [busy, queue] = [s('path', { class: 'busy area' }), s('path', { class: 'queue' })];
  const root = s('svg', { class: 'spark', viewBox: '0 0 120 20', width: 120, height: 20, role: 'img' }, busy, queue);
  return {
    root,
    /** @param {Point[]} shown @param {Span} span @param {number} max workers */
    update(shown, span, max) {
      const x = (/** @type {number} */ t) => 120 * Math.min(1, Math.max(0, (t - span.from) / (span.to - span.from)));
      const highest = (/** @type {string} */ column) => Math.max(0, ...shown.map(point => point.values[column] ?? 0));
      const [busiest, longest] = [highest('busy'), highest('queued')];
      const y = (/** @type {number} */ of) => (/** @type {number} */ value) => 19 - 18 * Math.min(1, value / Math.max(1, of));
      set(busy, { d: steps(shown, point => point.values['busy'] ?? 0, x, y(max), 19) });
      set(queue, { d: steps(shown, point => point.values['queued'] ?? 0, x, y(longest)) });
      set(root, { 'aria-label': shown.length === 0 ? `${name}: no history kept` : `${name}, last 5 minutes: at most ${count(busiest)} busy, ${count(longest)} waiting` });
    },
  };
}
