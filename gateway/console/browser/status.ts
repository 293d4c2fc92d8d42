/** Shows the present state of the service while the page is shown, without moving the reader's place. */
import { showLocalTimes } from './show-local-times.ts';

const EVERY_MS = 10_000;

/** The open details, by their place on the page, so that a new state does not close them. */
function readOpen(main: Element): boolean[] {
  return [...main.querySelectorAll('details')].map(({ open }) => open);
}

async function refresh(): Promise<void> {
  if (document.visibilityState === 'hidden') return;
  const response = await fetch(location.href, { redirect: 'error' });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const [shown, present] = [document.querySelector('main'), page.querySelector('main')];
  // A reader who has moved the focus into the page keeps it.
  if (!shown || !present || shown.contains(document.activeElement)) return;
  const open = readOpen(shown);
  shown.replaceChildren(...present.childNodes);
  showLocalTimes(shown);
  shown.querySelectorAll('details').forEach((each, index) => {
    each.open = open[index] ?? false;
  });
}

// Without the service the page keeps its last state, whose time it shows.
setInterval(() => refresh().catch(() => {}), EVERY_MS);
