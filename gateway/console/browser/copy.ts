/** Shows the copy buttons. They need this script, and a browser that lets pages copy, which excludes plain HTTP. */
const buttons = navigator.clipboard ? document.querySelectorAll<HTMLButtonElement>('[data-copy]') : [];
for (const button of buttons) {
  button.hidden = false;
  const label = button.getAttribute('aria-label');
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.previousElementSibling?.textContent ?? '');
    button.textContent = 'Copied';
    // Screen readers say the text while the button has no other name.
    button.removeAttribute('aria-label');
    setTimeout(() => {
      button.textContent = 'Copy';
      if (label !== null) button.setAttribute('aria-label', label);
    }, 2000);
  });
}
