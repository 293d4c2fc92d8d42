/** Ranks by drag, with a mouse, a pen or a finger. The numbers stay, for the keyboard and for everybody else. */
import { moveRank, type Ranked } from './rank-order.ts';

const fieldset = document.querySelector('[data-ranks]');
const rows = [...(fieldset?.querySelectorAll<HTMLElement>('[data-pick]') ?? [])];
const inputOf = (row: Element) => row.querySelector<HTMLInputElement>('input.rank');
const keyOf = (row: Element): string => inputOf(row)?.name ?? '';

function readRanks(): Ranked[] {
  return rows.map((row) => {
    const rank = Number(inputOf(row)?.value);
    return { key: keyOf(row), rank: rank > 0 ? rank : null };
  });
}

function writeRanks(order: readonly string[]): void {
  for (const row of rows) {
    const input = inputOf(row);
    const at = order.indexOf(keyOf(row));
    if (input) input.value = at === -1 ? '' : String(at + 1);
  }
}

const rowAt = ({ clientX, clientY }: PointerEvent): HTMLElement | undefined => {
  const found = document.elementFromPoint(clientX, clientY)?.closest('[data-pick]');
  return rows.find((row) => row === found);
};

/** Adds a handle to a row. It has no place in the order of the keyboard, where the number does the same. */
function addHandle(row: HTMLElement): void {
  const handle = document.createElement('span');
  handle.className = 'handle';
  handle.setAttribute('aria-hidden', 'true');
  handle.title = 'Drag to rank';
  handle.append('⠿');
  const mark = (over: HTMLElement | undefined) => {
    for (const each of rows) each.classList.toggle('over', each === over && each !== row);
  };
  let isDragged = false;
  const end = () => {
    isDragged = false;
    row.classList.remove('dragged');
    mark(undefined);
  };
  handle.addEventListener('pointerdown', (event) => {
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    isDragged = true;
    row.classList.add('dragged');
  });
  handle.addEventListener('pointermove', (event) => {
    if (isDragged) mark(rowAt(event));
  });
  handle.addEventListener('pointerup', (event) => {
    const target = rowAt(event);
    if (isDragged && target) writeRanks(moveRank(readRanks(), keyOf(row), keyOf(target)));
    end();
  });
  handle.addEventListener('pointercancel', end);
  row.prepend(handle);
}

for (const row of rows) addHandle(row);
