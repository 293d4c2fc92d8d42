import type { Count } from './event-counts.ts';

const SVG = 'http://www.w3.org/2000/svg';

/** A bar that fills a part of the width. Screen readers skip it, because its number stands beside it. */
function createBar(part: number): SVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  const attributes = {
    class: 'bar',
    viewBox: '0 0 100 10',
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  const bar = document.createElementNS(SVG, 'rect');
  bar.setAttribute('width', String(Math.max(1, part * 100)));
  bar.setAttribute('height', '10');
  svg.append(bar);
  return svg;
}

/** Shows counts as rows of a table, each with a bar. */
export function showCounts(rows: Element, counts: readonly Count[]): void {
  // The others together can be more than the largest.
  const largest = Math.max(1, ...counts.map(([, count]) => count));
  rows.replaceChildren(
    ...counts.map(([value, count]) => {
      const row = document.createElement('tr');
      const [name, bar, number] = ['th', 'td', 'td'].map((tag) => document.createElement(tag));
      name?.setAttribute('scope', 'row');
      name?.append(value);
      bar?.append(createBar(count / largest));
      number?.append(count.toLocaleString('en'));
      number?.classList.add('number');
      row.append(...[name, bar, number].filter((cell) => cell !== undefined));
      return row;
    }),
  );
}
