/** Shows the copy buttons, which only work with this script, and only where the browser lets pages copy: not by plain HTTP. */
const buttons = navigator.clipboard ? document.querySelectorAll<HTMLButtonElement>('[data-copy]') : [];
for (const button of buttons) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling?.textContent ?? '');
    button.textContent = 'Copied';
    setTimeout(() => {
      button.textContent = 'Copy';
    }, 2000);
  });
}
