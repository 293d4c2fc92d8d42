/**
 * Sends a form once if its button is double-clicked. A second answer would replace the first one, which may show a key
 * for the only time.
 */

/** Longer than any double click, in milliseconds. */
const DOUBLE_CLICK_MS = 1000;

let last: { form: EventTarget | null; at: number } | undefined;

document.addEventListener('submit', (event) => {
  const { target: form, timeStamp: at } = event;
  if (last?.form === form && at - last.at < DOUBLE_CLICK_MS) event.preventDefault();
  else last = { form, at };
});
