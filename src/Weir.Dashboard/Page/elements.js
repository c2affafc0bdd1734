// Elements and tables, and values as text. Text nodes and attributes only: what a worker said is never markup.

/** @typedef {string | number | boolean | null | undefined} AttributeValue */
/** @typedef {Node | string | null | undefined} Child */

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, AttributeValue>} [attributes] `false`, `null` and `undefined` leave one out
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  set(element, attributes ?? {});
  element.append(...present(children));
  return element;
}

/**
 * Makes an element of a drawing.
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, AttributeValue>} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function s(tag, attributes, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(element, attributes ?? {});
  element.append(...present(children));
  return element;
}

/** @param {Child[]} children @returns {(Node | string)[]} */
function present(children) {
  return /** @type {(Node | string)[]} */ (children.filter(child => child !== null && child !== undefined));
}

/**
 * Sets attributes that have changed.
 * @param {Element} element
 * @param {Record<string, AttributeValue>} attributes
 */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) {
      element.removeAttribute(name);
    } else if (element.getAttribute(name) !== String(value)) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

/**
 * Sets the text of an element that has nothing else; what is selected in it stays while it is the same.
 * @param {Element} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/**
 * Replaces what an element has, unless the key is the one of the last time.
 * @param {Element} element
 * @param {string} key
 * @param {() => Child[]} make
 */
export function fill(element, key, make) {
  const keyed = /** @type {Element & {weirKey?: string}} */ (element);
  if (keyed.weirKey !== key) {
    keyed.weirKey = key;
    element.replaceChildren(...present(make()));
  }
}

/** @param {string} href @param {string} text @param {string} [name] for those who do not see the row that it is in */
export function link(href, text, name) {
  return h('a', { href, 'aria-label': name }, text);
}

/** What the lane is called among pools. */
export const lane = '(lane)';

/** @param {string} name */
export const poolHref = name => `#/pool/${encodeURIComponent(name)}`;

/** @param {string} name */
export const operationHref = name => `#/operation/${name.split('/').map(encodeURIComponent).join('/')}`;

/** @param {string} id */
export const reportHref = id => `#/report/${encodeURIComponent(id)}`;

/**
 * A section with a heading.
 * @param {string} title
 * @param {...Child} children
 */
export function section(title, ...children) {
  const heading = h('h3', {}, title);
  return Object.assign(h('section', {}, heading, ...children), { heading });
}

// ---- tables ----

// A thousand rows would hold the page for half a second.
const usualRows = 200;

/**
 * @template R
 * @typedef {object} Column
 * @property {string} head
 * @property {(row: R) => string} [text] its text
 * @property {(cell: HTMLTableCellElement, row: R) => void} [draw] or what makes and changes its content
 * @property {(row: R) => number | string | undefined} [order] makes the column one that sorts
 * @property {string} [className]
 */

/**
 * A table whose rows are changed in place, by their keys, and that has as many as a page draws in time. While the pointer or the focus is in it the rows keep their order.
 * @template R
 * @param {string} caption
 * @param {Column<R>[]} columns the first one is the head of each row
 * @param {{key: (row: R) => string, most?: number, empty?: string, className?: string, rowClass?: (row: R) => string}} options
 */
export function table(caption, columns, options) {
  const body = h('tbody');
  const heads = columns.map(column => h('th', { scope: 'col', class: column.className }, column.order ? sorter(column) : column.head));
  const shown = h('table', { class: options.className }, h('caption', { class: 'unseen' }, caption), h('thead', {}, h('tr', {}, ...heads)), body);
  const box = h('div', { class: 'scroll', role: 'group', 'aria-label': caption }, shown);
  const empty = h('p', { class: 'muted', hidden: true }, options.empty ?? 'None.');
  const rest = h('p', { class: 'muted', hidden: true });
  /** @type {Map<string, HTMLTableRowElement>} */
  const rows = new Map();
  /** @type {{column: Column<R>, isUp: boolean} | undefined} */
  let sort;
  /** @type {R[]} */
  let last = [];

  // What scrolls must be reachable by the keyboard; what does not is no stop on the way.
  const observer = new ResizeObserver(() => set(box, { tabindex: box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1 ? 0 : null }));
  observer.observe(box);
  observer.observe(shown);

  /** @param {Column<R>} column */
  function sorter(column) {
    const button = h('button', { type: 'button', class: 'sort' }, column.head);
    button.addEventListener('click', () => {
      sort = { column, isUp: sort?.column === column ? !sort.isUp : false };
      columns.forEach((one, at) => set(/** @type {Element} */ (heads[at]), { 'aria-sort': one === column ? (sort?.isUp ? 'ascending' : 'descending') : null }));
      update(last, true);
    });
    return button;
  }

  /** @param {R[]} values */
  function sorted(values) {
    const order = sort?.column.order;
    if (!order) {
      return values;
    }

    const sign = sort?.isUp ? 1 : -1;
    return values.map(row => ({ row, by: order(row) ?? -Infinity })).sort((a, b) => sign * (a.by < b.by ? -1 : a.by > b.by ? 1 : 0)).map(one => one.row);
  }

  /**
   * @param {R[]} values in their order
   * @param {boolean} [isAsked] a person asked for the order
   */
  function update(values, isAsked) {
    last = values;
    const drawn = sorted(values).slice(0, options.most ?? usualRows);
    const known = new Set(drawn.map(options.key));
    for (const [key, row] of rows) {
      if (!known.has(key)) {
        row.remove();
        rows.delete(key);
      }
    }

    const keepsOrder = !isAsked && (isAsking() || box.matches(':hover') || box.contains(document.activeElement) || isSelected(box));
    /** @type {Element | null} */
    let next = body.firstElementChild;
    for (const value of drawn) {
      const key = options.key(value);
      let row = rows.get(key);
      const isNew = !row;
      if (!row) {
        row = h('tr', {}, ...columns.map((column, at) => at === 0
          ? h('th', { scope: 'row', class: column.className, 'data-head': column.head })
          : h('td', { class: column.className, 'data-head': column.head })));
        rows.set(key, row);
      }

      set(row, { class: options.rowClass?.(value) || null });
      columns.forEach((column, at) => {
        const cell = /** @type {HTMLTableCellElement} */ (row.cells[at]);
        if (column.draw) {
          column.draw(cell, value);
        } else {
          say(cell, column.text?.(value) ?? '');
        }
      });

      if (keepsOrder) {
        if (isNew) {
          body.append(row);
        }
      } else if (row === next) {
        next = row.nextElementSibling;
      } else {
        body.insertBefore(row, next);
      }
    }

    shown.hidden = values.length === 0;
    empty.hidden = values.length > 0;
    rest.hidden = values.length === drawn.length;
    say(rest, `and ${count(values.length - drawn.length)} more: filter, or sort by another column.`);
  }

  return { root: h('div', {}, box, rest, empty), update: (/** @type {R[]} */ values) => update(values) };
}

// ---- actions ----

/** Whether a person is being asked something: rows stay where they are. */
const isAsking = () => document.querySelector('dialog[open]') !== null;

/**
 * Asks before something is done.
 * @param {{title: string, text: string, action: string, typed?: string, content?: Child}} question `action`: what its button says; `typed`: what has to be typed before, such as the number of what is changed
 * @returns {Promise<boolean>}
 */
export function confirm({ title, text, action, typed, content }) {
  const input = h('input', { id: 'question-typed', autocomplete: 'off', spellcheck: 'false' });
  const [cancel, act] = [h('button', { type: 'button', autofocus: true }, 'Cancel'), h('button', { type: 'button', class: 'act', disabled: typed !== undefined }, action)];
  const dialog = h('dialog', { class: 'question', 'aria-labelledby': 'question-title', 'aria-describedby': 'question-text' },
    h('h2', { id: 'question-title' }, title), h('p', { id: 'question-text' }, text), content,
    typed === undefined ? null : h('p', {}, h('label', { for: 'question-typed' }, `To do it, type ${typed}: `), input),
    h('p', { class: 'choices' }, cancel, act));
  document.body.append(dialog);
  input.addEventListener('input', () => { act.disabled = input.value.trim() !== typed; });
  dialog.showModal();
  return new Promise(resolve => {
    let isYes = false;
    cancel.addEventListener('click', () => dialog.close());
    act.addEventListener('click', () => {
      isYes = true;
      dialog.close();
    });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(isYes);
    });
  });
}

/**
 * A button that does something, asks before where it is told to, and says what became of it.
 * @param {string} text
 * @param {string} name what it does, for those who do not see where it is
 * @param {() => Promise<{status: number, text: string} | undefined>} act `undefined` where it was not done
 */
export function actionButton(text, name, act) {
  const button = h('button', { type: 'button', class: 'action', 'aria-label': name }, text);
  button.addEventListener('click', async () => {
    // Not disabled: it would lose the focus.
    if (button.hasAttribute('aria-disabled')) {
      return;
    }

    set(button, { 'aria-disabled': 'true' });
    try {
      const outcome = await act();
      if (outcome) {
        report(outcome);
      }
    } finally {
      set(button, { 'aria-disabled': null });
    }
  });
  return button;
}

/**
 * Says what became of an action, until it is closed or the next one is done.
 * @param {{status: number, text: string}} outcome
 */
export function report({ status, text }) {
  const isDone = status >= 200 && status < 300;
  const close = h('button', { type: 'button', 'aria-label': 'Close' }, '✕');
  const said = h('span', {}, `${isDone ? '✓' : '✗'} ${text || (isDone ? 'Done.' : `The answer is ${status}.`)}`);
  const place = document.getElementById('outcome');
  place?.replaceChildren(h('p', { class: isDone ? 'notice good' : 'notice' }, said, close));
  close.addEventListener('click', () => place?.replaceChildren());
}

/** @param {Element} element */
function isSelected(element) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode);
}

/**
 * A list of names and values.
 * @param {[string, Child][]} values those without a value are left out
 */
export function facts(values) {
  return h('dl', { class: 'facts' }, ...values.filter(([, value]) => value !== null && value !== undefined && value !== '').map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))));
}

/**
 * A bar of 0 to 1. Its figure is beside it.
 * @param {string} [kind] a class
 */
export function bar(kind) {
  const full = s('rect', { height: 8, rx: 1, class: kind ?? null });
  const root = s('svg', { class: 'bar', viewBox: '0 0 40 8', width: 40, height: 8, 'aria-hidden': 'true' }, s('rect', { width: 40, height: 8, rx: 1, class: 'empty' }), full);
  return { root, update: (/** @type {number} */ part) => set(full, { width: (40 * Math.min(1, Math.max(0, part))).toFixed(1) }) };
}

// ---- values ----

/** @param {string} severity or the state of a pool */
export const symbolOf = severity => severity === 'failing' ? '✗' : severity === 'waiting' ? '!' : severity === 'notice' ? 'i' : severity === 'draining' ? '↓' : severity === 'paused' ? '‖' : severity === 'idle' ? '·' : '✓';

/** @param {number | undefined} seconds */
export function duration(seconds) {
  if (seconds === undefined || seconds === null) {
    return '–';
  }

  const whole = Math.floor(seconds);
  return seconds >= 86400 ? `${Math.floor(whole / 86400)} d ${Math.floor(whole / 3600) % 24} h`
    : seconds >= 3600 ? `${Math.floor(whole / 3600)} h ${Math.floor(whole / 60) % 60} min`
      : seconds >= 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s`
        : seconds >= 1 ? `${seconds.toFixed(1)} s`
          : seconds >= 0.001 ? `${(1000 * seconds).toFixed(seconds >= 0.1 ? 0 : 1)} ms`
            : seconds === 0 ? '0 s' : `${Math.round(1e6 * seconds)} µs`;
}

const numbers = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** @param {number | undefined} value */
export const count = value => value === undefined ? '–' : numbers.format(value);

/** @param {number} value @param {string} one @param {string} many */
export const counted = (value, one, many) => `${count(value)} ${value === 1 ? one : many}`;

/** @param {number | undefined} value */
export function bytes(value) {
  if (value === undefined) {
    return '–';
  }

  const unit = value >= 2 ** 30 ? 3 : value >= 2 ** 20 ? 2 : value >= 2 ** 10 ? 1 : 0;
  return `${numbers.format(value / 1024 ** unit)} ${['B', 'KB', 'MB', 'GB'][unit]}`;
}

/** @param {number} seconds since 1970 */
export function clock(seconds) {
  const at = new Date(1000 * seconds);
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(part => String(part).padStart(2, '0')).join(':');
  const isToday = at.toDateString() === new Date().toDateString();
  return isToday ? time : `${at.getFullYear()}-${String(at.getMonth() + 1).padStart(2, '0')}-${String(at.getDate()).padStart(2, '0')} ${time}`;
}

/**
 * A moment in local time; UTC is in its title.
 * @param {number} seconds since 1970
 */
export function moment(seconds) {
  const utc = new Date(1000 * seconds).toISOString();
  return h('time', { datetime: utc, title: `${utc.slice(0, 19).replace('T', ' ')} UTC` }, clock(seconds));
}

/** @param {number} part @param {number} whole */
export const percent = (part, whole) => whole > 0 ? (part > 0 && part < whole / 200 ? '< 1 %' : `${Math.round(100 * part / whole)} %`) : '–';
