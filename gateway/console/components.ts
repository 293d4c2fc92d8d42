import { type Content, type Html, html } from './html.ts';

/**
 * A message above a page: the result of an action, or a problem with the form.
 *
 * @param answers whether it answers a form. It then has the focus, so that screen readers say it, and Tab continues there.
 */
export function Notice(props: { kind: 'good' | 'bad'; answers?: boolean; children?: Content }): Html {
  const { kind, answers = false, children } = props;
  return html`<p class=${`notice ${kind}`} tabindex=${answers ? '-1' : null} autofocus=${answers} role=${kind === 'bad' ? 'alert' : 'status'}>${children}</p>`;
}

/**
 * The notice after a form, by the word `done` in the address. The texts are fixed, so that an address cannot put words
 * on the page. An unknown word has no notice.
 */
export function DoneNotice(props: {
  texts: ReadonlyMap<string, string>;
  query: URLSearchParams;
}): Html | null {
  const { texts, query } = props;
  const text = texts.get(query.get('done') ?? '');
  return text === undefined ? null : html`<${Notice} kind="good" answers>${text}<//>`;
}

/** A moment, to the minute or to the second in UTC; a dash for null. */
export function Moment({ at, seconds = false }: { at: Date | null; seconds?: boolean }): Html {
  if (at === null) return html`<span class="muted">–</span>`;
  const iso = at.toISOString();
  return html`<time datetime=${iso} title=${iso}>${iso.slice(0, 10)} ${iso.slice(11, seconds ? 19 : 16)} UTC</time>`;
}

/** A date, which does not break at its hyphens. */
export const Day = ({ children }: { children?: Content }): Html => html`<span class="day">${children}</span>`;

/**
 * A choice of one value.
 *
 * @param options values with their labels
 * @param none the label of no choice, if there may be none
 */
export function Select(props: {
  label: string;
  name: string;
  options: readonly (readonly [value: string | number, label: string])[];
  chosen: string | number | null;
  none?: string;
}): Html {
  const { label, name, options, chosen, none } = props;
  return html`
    <label>${label}
      <select name=${name}>
        ${none !== undefined && html`<option value="">${none}</option>`}
        ${options.map(([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`)}
      </select>
    </label>`;
}

/** Text to copy, with a button if scripts run. */
export function CopyText({ text, label }: { text: string; label: string }): Html {
  return html`
    <div class="copy">
      <pre tabindex="0" aria-label=${label}><code>${text}</code></pre>
      <button type="button" class="plain" data-copy hidden aria-label=${`Copy: ${label}`}>Copy</button>
    </div>`;
}

/**
 * A table that scrolls sideways on a narrow page.
 *
 * @param numbersFrom the first column of numbers, which are aligned right; by default none
 * @param numbersTo the last one; by default the last of the table
 * @param empty a sentence in place of a table without rows; null for nothing
 * @param filled whether a script fills the rows
 */
export function Table(props: {
  caption: string;
  head: readonly string[];
  numbersFrom?: number;
  numbersTo?: number;
  empty?: string | null;
  filled?: boolean;
  children?: Content;
}): Html | null {
  const {
    caption,
    head,
    numbersFrom = head.length,
    numbersTo = head.length,
    empty,
    filled,
    children,
  } = props;
  const isEmpty = Array.isArray(children) && children.length === 0;
  if (isEmpty && empty !== undefined) return empty === null ? null : html`<p>${empty}</p>`;
  return html`
    <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
      <table>
        <caption>${caption}</caption>
        <thead><tr>${head.map((title, index) => html`<th scope="col" class=${index >= numbersFrom && index <= numbersTo ? 'number' : null}>${title}</th>`)}</tr></thead>
        <tbody data-rows=${filled ? '' : null}>${children}</tbody>
      </table>
    </div>`;
}

/** Files that people have uploaded, each with its state in words. */
export function FileTable(props: {
  caption: string;
  files: readonly { address: string; fileName: string; state: string; person: string; changedAt: Date }[];
}): Html {
  return html`
    <${Table} caption=${props.caption} head=${['File', 'State', 'By', 'Changed']} empty=${null}>
      ${props.files.map(
        ({ address, fileName, state, person, changedAt }) => html`
        <tr>
          <th scope="row"><a href=${address}>${fileName}</a></th>
          <td>${state}</td>
          <td>${person}</td>
          <td><${Moment} at=${changedAt} /></td>
        </tr>`,
      )}
    <//>`;
}
