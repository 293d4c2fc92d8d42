/** Asks for the counts of subscriptions that were not ready when the page was made. */
import './copy.ts';

const PAUSE_MS = 1500;
/** After this many attempts, people can reload the page themselves. */
const MOST_TRIES = 20;

/** Loads the page again, and copies its counts. */
async function updateCounts(): Promise<void> {
  const response = await fetch(location.pathname);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const cell of document.querySelectorAll<HTMLElement>('[data-counting]')) {
    const counted = page.querySelector(`[data-count="${cell.dataset.count}"]:not([data-counting])`);
    if (counted) cell.replaceWith(counted);
  }
}

function updateSoon(tries: number): void {
  if (tries === 0 || !document.querySelector('[data-counting]')) return;
  setTimeout(async () => {
    await updateCounts().catch(() => {});
    updateSoon(tries - 1);
  }, PAUSE_MS);
}

updateSoon(MOST_TRIES);
