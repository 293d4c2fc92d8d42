import { Table } from './components.ts';
import { type Html, html } from './html.ts';
import { number } from './number.ts';

/** A part of a bar. */
export interface PlotPart {
  /** Names its colour in console.css: `plot-<kind>`. */
  kind: string;
  label: string;
}

export interface PlotBar {
  /** The position on the axis, in words. */
  label: string;
  /** The values of the parts, in their order. */
  values: readonly number[];
}

const WIDTH = 720;
const HEIGHT = 180;
const BASE = 160;
const GAP = 0.25;

/** The smallest of 1, 2, 5, 10, 20, 50, ... that is at least `max`, for axes that are easy to read. */
export function roundUp(max: number): number {
  if (max <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(max));
  return ([1, 2, 5, 10].find((step) => step * power >= max) ?? 10) * power;
}

function Bar(props: {
  bar: PlotBar;
  parts: readonly PlotPart[];
  x: number;
  width: number;
  top: number;
}): Html {
  const { bar, parts, x, width, top } = props;
  let y = BASE;
  const text = parts
    .map(({ label }, index) => `${label}: ${number.format(bar.values[index] ?? 0)}`)
    .join(', ');
  return html`
    <g>
      <title>${bar.label}: ${text}</title>
      <rect x=${x} y="0" width=${width} height=${BASE} class="plot-hit" />
      ${parts.map(({ kind }, index) => {
        const height = ((bar.values[index] ?? 0) / top) * (BASE - 10);
        y -= height;
        return (
          height > 0 && html`<rect x=${x} y=${y} width=${width} height=${height} class=${`plot-${kind}`} />`
        );
      })}
    </g>`;
}

/** Stacked bars over time, with the values as a table for people who cannot see the bars. */
export function Plot(props: { title: string; parts: readonly PlotPart[]; bars: readonly PlotBar[] }): Html {
  const { title, parts, bars } = props;
  const totals = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const top = roundUp(Math.max(...totals, 0));
  const step = WIDTH / Math.max(1, bars.length);
  return html`
    <figure class="plot">
      <figcaption>
        ${title}
        <span class="legend">${parts.map(({ kind, label }) => html`<span><i class=${`plot-${kind}`}></i>${label}</span>`)}</span>
      </figcaption>
      <svg viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${`${title}: ${number.format(totals.reduce((sum, total) => sum + total, 0))} in all`}>
        <line x1="0" y1=${BASE} x2=${WIDTH} y2=${BASE} class="plot-axis" />
        <line x1="0" y1="10" x2=${WIDTH} y2="10" class="plot-grid" />
        <text x="0" y="8" class="plot-text">${number.format(top)}</text>
        ${bars.map((bar, index) => html`<${Bar} bar=${bar} parts=${parts} x=${index * step} width=${step * (1 - GAP)} top=${top} />`)}
        <text x="0" y=${HEIGHT - 4} class="plot-text">${bars[0]?.label}</text>
        <text x=${WIDTH} y=${HEIGHT - 4} class="plot-text end">${bars.at(-1)?.label}</text>
      </svg>
      <details>
        <summary aria-label=${`As a table: ${title}`}>As a table</summary>
        <${Table} caption=${title} head=${['When', ...parts.map(({ label }) => label)]} numbersFrom=${1}>
          ${bars.map(({ label, values }) => html`<tr><th scope="row" class="day">${label}</th>${values.map((value) => html`<td class="number">${number.format(value)}</td>`)}</tr>`)}
        <//>
      </details>
    </figure>`;
}
