/** Looks again for work under way, every two seconds while the page is shown. */
const EVERY_MS = 2_000;

setInterval(() => {
  if (document.visibilityState === 'visible') location.reload();
}, EVERY_MS);
