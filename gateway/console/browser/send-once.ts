/** Sends a form once when somebody double-clicks its button: the second answer would replace the first, and a key is shown once. */

/** Longer than any double click, in milliseconds. */
const DOUBLE_CLICK_MS = 1000;

let last: { form: EventTarget | null; at: number } | undefined;

document.addEventListener('submit', (event) => {
  const { target: form, timeStamp: at } = event;
  if (last?.form === form && at - last.at < DOUBLE_CLICK_MS) event.preventDefault();
  else last = { form, at };
});
