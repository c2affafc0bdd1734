'use strict';

const $ = id => document.getElementById(id);
const show = (list, values) => {
  for (const [name, value] of Object.entries(values)) list.querySelector(`[data-of=${name}]`).textContent = value ?? '–';
};
const element = (name, className, text) => Object.assign(document.createElement(name), { className, textContent: text ?? '' });
const ms = since => performance.now() - since;
const round = value => value < 10 ? value.toFixed(1) : Math.round(value).toString();
const fields = form => Object.fromEntries(new FormData(form));

// One call, from the first byte sent to the last one read. Never throws: an answer, a problem, or a broken connection. Past the browser's cache, which would send equal requests one after the other.
async function ask(operation, { verb = 'GET', values = {}, body, type, headers, signal } = {}) {
  const start = performance.now();
  const query = new URLSearchParams(values).toString();
  try {
    const response = await fetch(`/${operation}${query && '?' + query}`, { method: verb, body, headers: type ? { 'content-type': type } : headers, cache: 'no-store', signal });
    const text = await response.text();
    const problem = response.headers.get('content-type')?.startsWith('application/problem+json') ? JSON.parse(text) : null;
    return { ok: response.ok, status: response.status, text, problem, took: ms(start) };
  } catch (error) {
    const left = signal?.aborted;
    return { ok: false, status: left ? 'left' : 'broken', text: left ? 'The page closed the connection and waits no longer.' : error.message, problem: null, took: ms(start) };
  }
}

function explain(answer) {
  if (!answer.problem) return answer.text || (answer.ok ? 'no content' : '');
  const { title, detail, code, bindingErrors } = answer.problem;
  const list = (bindingErrors ?? []).map(error => `${error.name}: ${error.expected}`).join('; ');
  return [code, title, list || detail].filter(Boolean).join(' · ');
}

function callOf(form, signal) {
  const values = fields(form);
  const body = form.dataset.body ? new TextEncoder().encode(values[form.dataset.body]) : undefined;
  return ask(form.dataset.op, { verb: form.dataset.verb, values: body ? {} : values, body, type: form.dataset.type, signal });
}

// ---- values and single hashes: the answer stands under the button

for (const form of document.querySelectorAll('form.call')) {
  const output = form.querySelector('output');
  form.addEventListener('submit', async event => {
    event.preventDefault();
    output.className = 'waiting';
    const answer = await callOf(form);
    output.className = answer.ok ? 'fine' : 'failed';
    output.textContent = `${answer.status} in ${round(answer.took)} ms  ${explain(answer)}`;
  });
}

// ---- streams

let running = null; // What stops the stream that runs now.

async function readLines(response, onLine) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    const lines = (rest + (value ?? '')).split('\n');
    rest = done ? '' : lines.pop();
    for (const line of lines) if (line) onLine(line);
    if (done) return;
  }
}

function itemList() {
  const items = $('items');
  const start = performance.now();
  let count = 0, last = start;
  items.replaceChildren();
  return {
    start,
    get count() { return count; },
    add(forecast) {
      const now = performance.now();
      const row = element('li', '');
      const bar = element('i', 'bar');
      bar.style.setProperty('--t', Math.min(Math.max((forecast.temperatureC + 15) / 50, 0.03), 1));
      row.append(
        element('time', '', `${Math.round(now - start)} ms`), element('small', '', `+${Math.round(now - last)}`),
        element('span', '', forecast.date), bar, element('b', '', `${forecast.temperatureC} °C`), element('span', 'summary', forecast.summary));
      items.append(row);
      if (items.childElementCount > 1000) items.firstElementChild.remove();
      items.scrollTop = items.scrollHeight;
      last = now;
      $('received').textContent = `${++count} received`; // Not spoken: only beginning and end are.
    },
    end(text, kind) {
      $('progress').textContent = text;
      $('progress').className = kind;
      $('received').textContent = '';
    },
  };
}

// The media type's parameter asks for a last line that says how the stream ended.
async function runNdjson(url, list, signal) {
  const response = await fetch(url, { headers: { accept: 'application/x-ndjson; weir=1, application/json;q=0.5' }, signal });
  if (!response.ok) {
    const problem = await response.json();
    return list.end(`${response.status}: ${explain({ problem })}`, 'failed');
  }
  let ending = null;
  await readLines(response, line => {
    const value = JSON.parse(line);
    if (Array.isArray(value)) value.forEach(list.add);
    else if (value.$weir) ending = value.$weir;
    else list.add(value);
  });
  const took = `${list.count} received in ${round(ms(list.start) / 1000)} s`;
  if (ending?.problem) list.end(`${took}, then it failed: ${explain(ending)}`, 'failed');
  else list.end(ending ? `${took}; the host counted ${ending.count}, complete` : took, 'fine');
}

function runEvents(url, list, signal) {
  return new Promise((resolve, reject) => {
    const source = new EventSource(url);
    const close = next => { source.close(); next(); };
    signal.addEventListener('abort', () => close(() => reject(new DOMException('left', 'AbortError'))));
    source.onmessage = event => list.add(JSON.parse(event.data));
    source.addEventListener('end', () => close(() => resolve(list.end(`${list.count} received in ${round(ms(list.start) / 1000)} s, complete`, 'fine'))));
    source.addEventListener('problem', event => close(() => resolve(list.end(`${list.count} received, then it failed: ${explain({ problem: JSON.parse(event.data) })}`, 'failed'))));
    source.onerror = () => close(() => resolve(list.end('The connection broke.', 'failed')));
  });
}

async function showStopped() {
  const answer = await ask('Weather/Stopped');
  const counts = answer.ok ? JSON.parse(answer.text) : {};
  if (answer.ok) show($('counts'), counts);
  return counts.started === counts.finished + counts.stoppedEarly;
}

// The host hears of a closed connection a moment later, and a producer that blocks stops between two items.
async function showStoppedSoon() {
  for (let tries = 0; tries < 10 && !await showStopped(); tries++) await new Promise(resolve => setTimeout(resolve, 200));
}

$('stream').addEventListener('submit', async event => {
  event.preventDefault();
  running?.abort();
  const control = running = new AbortController();
  const { operation, format, days, delay } = fields(event.target);
  const query = operation === 'Weather/Fail' ? `after=${days}` : `days=${days}&delay=${delay}`;
  const events = format === 'sse' && operation !== 'Weather/NextArray';
  const list = itemList();
  $('stop').disabled = false;
  list.end('Running.', '');
  try {
    await (events ? runEvents : runNdjson)(`/${operation}?${query}`, list, control.signal);
  } catch (error) {
    list.end(control.signal.aborted ? `Stopped after ${list.count} items.` : `Broken after ${list.count} items: ${error.message}`, control.signal.aborted ? '' : 'failed');
  }
  if (running !== control) return;
  running = null;
  $('stop').disabled = true;
  showStoppedSoon();
});
$('stop').addEventListener('click', () => running?.abort());
$('stopped').addEventListener('click', showStopped);

// ---- cuts

let watching = null; // The event source of the stream that is watched now.

$('ticks').addEventListener('submit', event => {
  event.preventDefault();
  watching?.close();
  const { operation, count, delay } = fields(event.target);
  const watcher = crypto.getRandomValues(new Uint32Array(2)).join('-');
  const source = watching = new EventSource(`/${operation}?${new URLSearchParams({ watcher, count, delay })}`);
  const seen = { received: 0, missing: 0, repeated: 0, cuts: 0 };
  const output = event.target.querySelector('output');
  const say = (text, kind) => {
    output.textContent = text;
    output.className = kind;
  };
  const end = (text, kind) => {
    source.close();
    $('cut').disabled = true;
    say(text, kind);
  };
  show($('watched'), seen);
  say('Connecting.', 'waiting');
  let next = 0, isCut = false;
  source.onmessage = ({ data }) => {
    const number = Number(data);
    if (number < next) seen.repeated++;
    else {
      seen.missing += number - next;
      next = number + 1;
    }
    seen.received++;
    if (isCut) {
      seen.cuts++;
      isCut = false;
    }
    show($('watched'), seen);
    say('Live.', 'fine');
  };
  source.addEventListener('end', ({ data }) => {
    const { count } = JSON.parse(data);
    end(`The host counted ${count}, complete.`, count === seen.received ? 'fine' : 'failed');
  });
  source.addEventListener('problem', ({ data }) => end(explain({ problem: JSON.parse(data) }), 'failed'));
  source.onerror = () => {
    if (source.readyState === EventSource.CLOSED) end('The host does not continue the stream.', 'failed');
    else {
      isCut = true;
      say('The connection was cut; connecting again.', 'waiting');
    }
  };
  $('cut').disabled = false;
  $('cut').onclick = () => ask('Ticks/Cut', { verb: 'POST', values: { watcher } });
});

// ---- jobs

// The report that is followed now: its id, and the event source of its pages. The address of the page names it, so that a reload continues.
let report = null;

const idInAddress = () => location.hash.match(/^#job=([0-9a-f-]{36})$/)?.[1];

function showJob(job) {
  const attempt = job.attempt > 1 ? `, attempt ${job.attempt} of ${job.attempts}` : '';
  $('state').textContent = `Job ${job.stopping ? 'stopping' : job.state}${attempt}.`;
  $('state').className = { succeeded: 'fine', failed: 'failed' }[job.state] ?? '';
  $('page').textContent = job.ended ? '' : job.progress?.text ?? ''; // Not spoken: only the states are.
  $('fraction').value = job.state === 'succeeded' ? 1 : job.progress?.fraction ?? 0;
  show($('built'), { attempt: job.attempt });
  $('cancel').disabled = Boolean(job.ended || job.stopping);
}

// Until the job has ended, or the page follows another one. While the host is away, asks again.
async function followJob(current) {
  for (let pause = 200; report === current; await new Promise(resolve => setTimeout(resolve, pause))) {
    const answer = await ask(`$jobs/${current.id}`);
    if (report !== current) return;
    pause = answer.ok ? 200 : 1000;
    if (answer.ok) {
      const job = JSON.parse(answer.text);
      showJob(job);
      if (job.ended) return;
    } else if (answer.status === 404) {
      current.source.close();
      report = null;
      $('cancel').disabled = true;
      $('state').textContent = 'There is no such job; it may have been deleted.';
      $('state').className = 'failed';
      return;
    } else $('state').textContent = 'The host does not answer; asking again.';
  }
}

// An EventSource connects again by itself, and continues behind the last page that arrived.
function followPages(current) {
  const seen = { pages: 0, gaps: 0, repeats: 0 };
  let next = 1;
  show($('built'), seen);
  current.source.onmessage = ({ data }) => {
    const { number, attempt, pid } = JSON.parse(data);
    if (number < next) seen.repeats++;
    else {
      seen.gaps += number - next;
      next = number + 1;
    }
    seen.pages++;
    show($('built'), seen);
    const row = element('li', '');
    row.append(element('b', '', `page ${number}`), element('span', '', `attempt ${attempt}`), element('small', '', `process ${pid}`));
    $('pages').append(row);
    if ($('pages').childElementCount > 1000) $('pages').firstElementChild.remove();
    $('pages').scrollTop = $('pages').scrollHeight;
  };
  const end = (text, kind) => {
    current.source.close();
    sayOfReport(text, kind);
  };
  current.source.addEventListener('end', ({ data }) => {
    const { count } = JSON.parse(data);
    end(`The host counted ${count} pages, complete.`, count === seen.pages ? 'fine' : 'failed');
  });
  current.source.addEventListener('problem', ({ data }) => end(explain({ problem: JSON.parse(data) }), 'failed'));

  // It gives up where the answer is no stream, as that of a host that starts.
  current.source.onerror = () => {
    if (current.source.readyState === EventSource.CLOSED && report === current) setTimeout(() => report === current && follow(current.id), 1000);
  };
}

function sayOfReport(text, kind) {
  const output = $('report').querySelector('output');
  output.textContent = text;
  output.className = kind;
}

function follow(id) {
  report?.source.close();
  report = { id, source: new EventSource(`/$jobs/${id}/items`) };
  history.replaceState(null, '', `#job=${id}`);
  $('pages').replaceChildren();
  sayOfReport('', '');
  followPages(report);
  followJob(report);
}

$('report').addEventListener('submit', async event => {
  event.preventDefault();
  const answer = await ask('Reports/Build', { verb: 'POST', values: fields(event.target), headers: { prefer: 'respond-async' } });
  if (answer.status === 202) follow(JSON.parse(answer.text).id);
  else sayOfReport(`${answer.status}  ${explain(answer)}`, 'failed');
});
$('cancel').addEventListener('click', async () => {
  const answer = await ask(`$jobs/${report.id}/cancel`, { verb: 'POST' });
  if (answer.ok) showJob(JSON.parse(answer.text));
  else sayOfReport(`${answer.status}  ${explain(answer)}`, 'failed');
});
$('kill').addEventListener('click', async () => {
  const answer = await ask('Reports/Crash', { verb: 'POST' });
  sayOfReport(`${answer.status}  ${explain(answer)}`, answer.ok ? 'fine' : 'failed');
});
const followAddress = () => idInAddress() && idInAddress() !== report?.id && follow(idInAddress());
addEventListener('hashchange', followAddress);
followAddress();

// ---- two waves of work: five calls at a time, a pause in which workers without a call end, and five at a time again

const atOnce = 5;

function stepOf(form, index) {
  const row = form.querySelectorAll('.steps li')[index];
  return (part, text, kind = '') => {
    row.querySelector('progress').value = part;
    Object.assign(row.querySelector('span'), { textContent: text, className: kind });
  };
}

async function wave(tasks, size, tell) {
  const start = performance.now();
  let sent = 0, done = 0, failed = 0;
  const answered = () => `${done} of ${tasks} in ${(ms(start) / 1000).toFixed(1)} s`;
  const call = async () => {
    while (sent < tasks) {
      sent++;
      const answer = await ask('Hasher/DoTask', { values: { size } });
      done++;
      if (!answer.ok) failed++;
      tell(done / tasks, answered());
    }
  };
  tell(0, answered());
  await Promise.all(Array.from({ length: atOnce }, call));
  tell(1, failed ? `${answered()}, ${failed} failed` : answered(), failed ? 'failed' : 'fine');
}

async function pauseFor(seconds, tell) {
  for (const start = performance.now(); ms(start) < seconds * 1000; await new Promise(resolve => setTimeout(resolve, 200))) {
    tell(ms(start) / 1000 / seconds, `${Math.ceil(seconds - ms(start) / 1000)} s left`);
  }
  tell(1, `${seconds} s`);
}

$('waves').addEventListener('submit', async event => {
  event.preventDefault();
  const form = event.target;
  const { tasks, size, pause } = Object.fromEntries(Object.entries(fields(form)).map(([name, value]) => [name, Number(value)]));
  const [first, rest, second] = [0, 1, 2].map(index => stepOf(form, index));
  const say = text => { form.querySelector('.status').textContent = text; };
  $('wave').disabled = true;
  for (const step of [first, rest, second]) step(0, '');
  say('The first wave runs.');
  await wave(tasks, size, first);
  say('The pause: workers without a call end.');
  await pauseFor(pause, rest);
  say('The second wave runs.');
  await wave(tasks, size, second);
  say('Both waves have ended.');
  $('wave').disabled = false;
});

// ---- neighbours

const hashing = { on: false, answered: 0, failed: 0, slowest: 0, times: [] };

async function hash(size) {
  while (hashing.on) {
    const answer = await ask('Hasher/DoTask', { values: { size } });
    hashing[answer.ok ? 'answered' : 'failed']++;
    if (!answer.ok) log('Hasher/DoTask', answer);
    hashing.slowest = Math.max(hashing.slowest, answer.took);
    hashing.times = [...hashing.times.slice(-99), answer.took];
    show($('hashes'), { answered: hashing.answered, failed: hashing.failed, last: round(answer.took), slowest: round(hashing.slowest) });
    const top = Math.max(20, ...hashing.times);
    $('spark').firstElementChild.setAttribute('points', hashing.times.map((time, i) => `${i * 300 / 99},${46 - 44 * time / top}`).join(' '));
    await new Promise(resolve => setTimeout(resolve, answer.ok ? 30 : 500));
  }
}

$('loop').addEventListener('submit', event => {
  event.preventDefault();
  hashing.on = !hashing.on;
  $('hashing').textContent = hashing.on ? 'Stop hashing' : 'Start hashing';
  $('hashing').setAttribute('aria-pressed', hashing.on);
  if (hashing.on) hash(fields(event.target).size);
});

function log(operation, answer, beside) {
  const row = element('li', answer.ok ? 'fine' : answer.status === 'left' ? '' : 'failed');
  row.append(element('b', '', `${answer.status} ${operation}`), element('small', '', `${round(answer.took)} ms`), element('span', '', explain(answer)));
  if (beside) row.append(element('em', '', beside));
  $('log').querySelector('.empty')?.remove();
  $('log').prepend(row);
  while ($('log').childElementCount > 50) $('log').lastElementChild.remove();
}

for (const form of document.querySelectorAll('form.bad')) {
  form.addEventListener('submit', async event => {
    event.preventDefault();
    const before = { ...hashing };
    const button = form.querySelector('button');
    button.disabled = true;
    const leave = Number(form.dataset.leave);
    const answer = await callOf(form, leave ? AbortSignal.timeout(leave) : undefined);
    button.disabled = false;
    const answered = hashing.answered - before.answered, failed = hashing.failed - before.failed;
    log(form.dataset.op, answer, hashing.on ? `During that time: ${answered} hashes answered, ${failed} failed.` : '');
  });
}

// ---- waiting: as many at a time as the browser has connections

$('sleep').addEventListener('submit', async event => {
  event.preventDefault();
  const operation = event.submitter.value;
  const { ms: wait, calls } = fields(event.target);
  const output = event.target.querySelector('output');
  output.className = 'waiting';
  output.textContent = `${operation}: ${calls} calls under way…`;
  const start = performance.now();
  const answers = await Promise.all(Array.from({ length: Number(calls) }, () => ask(operation, { values: { ms: wait } })));
  const took = ms(start), fine = answers.filter(answer => answer.ok).length;
  output.className = fine === answers.length ? 'fine' : 'failed';
  output.textContent = `${operation}: ${fine} of ${answers.length} answered in ${round(took)} ms, ${round(fine / took * 1000)} per second`;
});

// ---- many items: counted, not shown

$('many').addEventListener('submit', async event => {
  event.preventDefault();
  const operation = event.submitter.value;
  const { count } = fields(event.target);
  const output = event.target.querySelector('output');
  const start = performance.now();
  let first = null, lines = 0, bytes = 0;
  const tell = () => { output.textContent = `${operation}: first byte after ${round(first ?? 0)} ms, ${lines.toLocaleString('en')} items, ${(bytes / 1e6).toFixed(1)} MB in ${round(ms(start))} ms`; };
  output.className = 'waiting';
  try {
    const response = await fetch(`/${operation}?count=${count}`, { headers: { accept: operation.endsWith('Stream') ? 'application/x-ndjson' : 'application/json' } });
    const end = operation.endsWith('Stream') ? 10 : 34; // A line feed each; in an array, two quotes.
    for (let reader = response.body.getReader(), part; part = (await reader.read()).value;) {
      first ??= ms(start);
      bytes += part.length;
      for (const byte of part) if (byte === end) lines++;
      if (end === 10) tell();
    }
    if (end === 34) lines /= 2;
    tell();
    output.className = response.ok ? 'fine' : 'failed';
  } catch (error) {
    output.className = 'failed';
    output.textContent = `${operation}: ${error.message}`;
  }
});

showStopped();
