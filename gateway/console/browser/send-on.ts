/** Goes on sending an upload: presses the button that the page has for people without scripts. */
document.querySelector<HTMLButtonElement>('button[data-send-on]')?.click();
