/**
 * Sends one form of a page, once, however often people click while its answer is on the way. A second answer would
 * replace the first one, which may show a key for the only time.
 */

/** People who have stopped the browser can send again after this time, in milliseconds. */
const ANSWER_MS = 30_000;

let sentAt: number | undefined;
const notice = document.createElement('p');
notice.setAttribute('role', 'alert');
notice.textContent = 'The form has been sent already. Wait for the answer.';

document.addEventListener('submit', (event) => {
  const { target: form, submitter, timeStamp: at } = event;
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return;
  if (sentAt === undefined || at - sentAt >= ANSWER_MS) {
    sentAt = at;
    return;
  }
  event.preventDefault();
  (submitter ?? form).after(notice);
});

// The Back button can show the page as it was left.
addEventListener('pageshow', () => {
  sentAt = undefined;
  notice.remove();
});
