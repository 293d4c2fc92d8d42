/**
 * Looks again for work under way, while the page is shown. It loads the page anew only if the service has something new
 * to show: a reader keeps the focus until then, and the page while the service or the network is away.
 */
const EVERY_MS = 2_000;

let seen: string | undefined;

async function hasNews(): Promise<boolean> {
  if (document.visibilityState === 'hidden') return false;
  const response = await fetch(location.href);
  if (response.status === 429 || response.status >= 500) return false;
  const text = await response.text();
  const before = seen ?? text;
  seen = text;
  // The page has this script until the work is done.
  return text !== before || !text.includes('/look-again.js');
}

function lookSoon(): void {
  setTimeout(async () => {
    if (await hasNews().catch(() => false)) location.reload();
    else lookSoon();
  }, EVERY_MS);
}

lookSoon();
