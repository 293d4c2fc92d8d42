/** Runs the first requests on their page, with the page's session. */
import './copy.ts';
import { askApi, explainError } from './reconnect.ts';
import { SseParser } from './sse-parser.ts';

/** The most frames that the page keeps. */
const MOST_FRAMES = 50;

/** The parts of a request on the page. */
interface Parts {
  path: string;
  isStream: boolean;
  run: HTMLButtonElement;
  stop: HTMLButtonElement | null;
  status: Element;
  answer: HTMLElement;
}

async function showAnswer({ path, answer, status }: Parts, signal: AbortSignal): Promise<void> {
  const began = performance.now();
  const response = await askApi(path, { signal, cache: 'no-store' });
  const body = await response.json();
  status.textContent = `${response.status}, after ${Math.round(performance.now() - began)} ms`;
  answer.hidden = false;
  answer.textContent = JSON.stringify(body, null, 2);
}

/** Shows frames as they arrive, until the person stops them. */
async function showFrames({ path, answer, status }: Parts, signal: AbortSignal): Promise<void> {
  const response = await askApi(path, { signal, cache: 'no-store' });
  status.textContent = 'Connected: frames appear as changes happen.';
  answer.hidden = false;
  answer.textContent = '';
  const parser = new SseParser();
  const reader = response.body?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part?.value) break;
    for (const { raw } of parser.push(part.value)) answer.append(`${raw}\n\n`);
    while (answer.childNodes.length > MOST_FRAMES) answer.firstChild?.remove();
    answer.scrollTop = answer.scrollHeight;
  }
  status.textContent = 'The service ended the stream, as it does from time to time.';
}

function enliven(parts: Parts): void {
  const { isStream, run, stop, status } = parts;
  let running = new AbortController();
  run.addEventListener('click', async () => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    status.textContent = 'Asking …';
    if (stop) {
      stop.hidden = false;
      run.hidden = true;
      stop.focus();
    }
    try {
      await (isStream ? showFrames(parts, signal) : showAnswer(parts, signal));
    } catch (error) {
      status.textContent = signal.aborted
        ? 'Stopped.'
        : explainError(error, 'The service cannot be reached. Try again.');
    }
    run.hidden = false;
    // Hiding the focused button would lose the focus.
    if (document.activeElement === stop) run.focus();
    if (stop) stop.hidden = true;
  });
  stop?.addEventListener('click', () => running.abort());
}

for (const section of document.querySelectorAll<HTMLElement>('[data-request]')) {
  const run = section.querySelector<HTMLButtonElement>('[data-run]');
  const status = section.querySelector('[data-status]');
  const answer = section.querySelector<HTMLElement>('[data-answer]');
  if (!run || !status || !answer) continue;
  const stop = section.querySelector<HTMLButtonElement>('[data-stop]');
  const { request: path = '', kind } = section.dataset;
  run.hidden = false;
  section.querySelector('[data-plain]')?.remove();
  enliven({ path, isStream: kind === 'stream', run, stop, status, answer });
}
