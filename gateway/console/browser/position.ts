/** The form of a position: the room that a statement has left, and ranks by drag. */
import './rank-drag.ts';

/** The pause in typing before screen readers hear the room that is left, in milliseconds. */
const QUIET_MS = 1000;
/** From here on, they hear it. */
const NEAR = 200;

const said = document.querySelector('[data-said]');
let timer: ReturnType<typeof setTimeout> | undefined;

const characters = (count: number): string =>
  `${count.toLocaleString('en')} ${count === 1 ? 'character' : 'characters'}`;
const describeRoom = (left: number): string =>
  left < 0 ? `${characters(-left)} too many` : `${characters(left)} left`;

for (const field of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-limit]')) {
  const hint = document.getElementById(field.getAttribute('aria-describedby') ?? '');
  const show = () => {
    // The service counts characters, not halves of emoji.
    const left = Number(field.dataset.limit) - [...field.value.trim()].length;
    if (hint) hint.textContent = describeRoom(left);
    if (left < 0) field.setAttribute('aria-invalid', 'true');
    else field.removeAttribute('aria-invalid');
    clearTimeout(timer);
    if (!said || left > NEAR) return;
    timer = setTimeout(() => {
      said.textContent = describeRoom(left);
    }, QUIET_MS);
  };
  field.addEventListener('input', show);
  if (field.value !== '') show();
}
