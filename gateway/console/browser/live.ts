/** The live page: follows the stream with the session of the page. */
import './filter-pickers.ts';
import { Follower, type FollowState } from './follow.ts';
import { followWhileShown } from './follow-while-shown.ts';
import { find, LiveView } from './live-view.ts';

/** Heartbeats come every 20 seconds. */
const SILENCE_MS = 60_000;
/** How often the page looks whether its subscription was edited, in milliseconds. */
const DESCRIBE_MS = 10_000;

const live = find('live');
const pause = find<HTMLButtonElement>('pause');
const countdown = find('countdown');
const place = find<HTMLAnchorElement>('place');
const view = new LiveView();
let ticking: ReturnType<typeof setInterval> | undefined;

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Counts down the seconds of a wait, beside the sentence that screen readers read out. */
function countDown(ms: number): void {
  const end = performance.now() + ms;
  const tick = () => {
    countdown.textContent = `${Math.max(0, Math.ceil((end - performance.now()) / 1000))} s`;
  };
  tick();
  ticking = setInterval(tick, 250);
}

const SENTENCES = {
  connecting: 'Connecting …',
  connected: 'Connected: events appear as they happen.',
  paused: 'Paused. The connection is closed; resuming continues after the last event.',
} as const;

function describe(state: FollowState): string {
  if (state.kind === 'wait') return `Waiting to connect again. ${state.reason}`;
  return state.kind === 'stop' ? `Stopped. ${state.reason}` : SENTENCES[state.kind];
}

/** The address of this page that continues after the last id. */
function placeOf(lastId: string): URL {
  const url = new URL(location.href);
  for (const name of ['from', 'since', 'show']) url.searchParams.delete(name);
  url.searchParams.set('start', 'cursor');
  url.searchParams.set('cursor', lastId);
  return url;
}

function showStop(why: string, lastId: string | null): void {
  find(`when-${why}`).hidden = false;
  if (why !== 'signed-out' || lastId === null) return;
  const { pathname, search } = placeOf(lastId);
  find<HTMLAnchorElement>('sign-in').href =
    `/console/sign-in?return_to=${encodeURIComponent(pathname + search)}`;
}

function show(state: FollowState): void {
  clearInterval(ticking);
  countdown.textContent = '';
  live.dataset.state = state.kind;
  const sentence = find('sentence');
  const text = describe(state);
  if (sentence.textContent !== text) sentence.textContent = text;
  pause.textContent = state.kind === 'paused' || state.kind === 'stop' ? 'Resume' : 'Pause';
  pause.hidden = state.kind === 'stop';
  if (state.kind === 'wait') countDown(state.waitMs);
  if (state.kind === 'stop') showStop(state.why, follower.lastId);
}

const follower = new Follower({
  url: `/console/api/v1/stream?${live.dataset.query ?? ''}`,
  silenceMs: SILENCE_MS,
  fetch: (url, init) => fetch(url, init),
  wait,
  onState: show,
  onBlock: (block) => view.addFrame(block),
  onChange: (json) => {
    view.addEvent(json);
    place.hidden = false;
  },
});

pause.addEventListener('click', () => {
  if (live.dataset.state === 'paused') follower.start();
  else follower.pause();
});
// The last id changes with each event, so the link is updated only when it is used.
for (const event of ['pointerenter', 'focus', 'click']) {
  place.addEventListener(event, () => {
    if (follower.lastId !== null) place.href = placeOf(follower.lastId).href;
  });
}
const raw = find<HTMLInputElement>('raw');
const showRaw = () => {
  find('frames').hidden = !raw.checked;
};
raw.addEventListener('change', showRaw);
showRaw();
// Filling in a starting point selects it.
for (const name of ['since', 'cursor']) {
  document.querySelector(`input[name=${name}]`)?.addEventListener('input', () => {
    const radio = document.querySelector<HTMLInputElement>(`input[name=start][value=${name}]`);
    if (radio) radio.checked = true;
  });
}
/** Another page can edit the subscription, whose filter the stream then follows. */
async function describeAgain(): Promise<void> {
  const shown = document.querySelector('[data-description]');
  if (!shown || document.hidden) return;
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const text = page.querySelector('[data-description]')?.textContent;
  if (text && shown.textContent !== text) shown.textContent = text;
}
if (document.querySelector('[data-description]')) {
  setInterval(() => describeAgain().catch(() => {}), DESCRIBE_MS);
}
live.hidden = false;
followWhileShown(follower, document);
