import { createRequire } from 'node:module';
import { formatCell, formatNumber } from './format-report.ts';
import type { Report, ReportSection } from './report.ts';

type Content = object | string | null | readonly Content[];
type Build = (type: unknown, props: object | null, ...children: readonly unknown[]) => object;

// Required with our own types: preact's types bring a browser's types into every file of the service.
const require = createRequire(import.meta.url);
const htm: { bind(build: Build): (text: TemplateStringsArray, ...values: readonly unknown[]) => object } =
  require('htm');
const { h }: { h: Build } = require('preact');
const {
  renderToString,
}: { renderToString: (document: object) => string } = require('preact-render-to-string');

const html = htm.bind(h);

const STYLE = `
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
table { border-collapse: collapse; } th, td { padding: .25rem .75rem .25rem 0; text-align: left; vertical-align: top; }
thead th, tbody tr { border-bottom: 1px solid #ccc; } .number { text-align: right; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } summary { cursor: pointer; } h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
@media (prefers-color-scheme: dark) { :root { color-scheme: dark; } thead th, tbody tr { border-color: #555; } }`;

/** The report as one HTML page that needs no other file and runs no script. Texts never become markup. */
export function renderReport({ title, facts, counts, sections }: Report): string {
  const document = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width" />
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
      <title>${formatCell(title)}</title>
      <style>${STYLE}</style>
    </head>
    <body>
      <h1>${formatCell(title)}</h1>
      <ul>${facts.map(({ label, value }) => html`<li>${label}: <bdi>${formatCell(value)}</bdi></li>`)}</ul>
      <table>
        <caption hidden>Counts</caption>
        <tbody>${counts.map(
          ({ label, count }) =>
            html`<tr><th scope="row">${label}</th><td class="number">${formatNumber(count)}</td></tr>`,
        )}</tbody>
      </table>
      ${sections.map(renderSection)}
    </body>
  </html>`;
  return `<!doctype html>\n${renderToString(document)}\n`;
}

function renderSection({ title, advice, columns, rows, total }: ReportSection): Content {
  const left = total - rows.length;
  return html`<section>
    <h2>${formatCell(title)} (${formatNumber(total)})</h2>
    ${advice === null ? null : html`<p>${formatCell(advice)}</p>`}
    <div class="scroll" tabindex="0">
      <table>
        <thead><tr>${columns.map((column) => html`<th scope="col">${formatCell(column)}</th>`)}</tr></thead>
        <tbody>${rows.map(
          (row) =>
            html`<tr>${row.map(
              (cell) =>
                html`<td class=${typeof cell === 'number' ? 'number' : null}><bdi>${formatCell(cell)}</bdi></td>`,
            )}</tr>`,
        )}</tbody>
      </table>
    </div>
    ${left > 0 ? html`<p>… and ${formatNumber(left)} more.</p>` : null}
  </section>`;
}
