/** Shows the copy buttons, which only work with this script, and only where the browser lets pages copy: not by plain HTTP. */
const buttons = navigator.clipboard ? document.querySelectorAll<HTMLButtonElement>('[data-copy]') : [];
for (const button of buttons) {
  button.hidden = false;
  const label = button.getAttribute('aria-label');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling?.textContent ?? '');
    button.textContent = 'Copied';
    // Screen readers say the text while there is no other name.
    button.removeAttribute('aria-label');
    setTimeout(() => {
      button.textContent = 'Copy';
      if (label !== null) button.setAttribute('aria-label', label);
    }, 2000);
  });
}
