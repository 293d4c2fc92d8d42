import { type Content, type Html, html } from './html.ts';
import { number } from './number.ts';
import { CSRF_FIELD } from './session/forgery.ts';

/** The field that asks to show the form's account again before the form is handled. */
export const SWITCH_FIELD = 'show_account';
/** Fields that nobody has entered, without the line that the name of some ends with: `shown:4`. */
const HIDDEN = new Set([
  CSRF_FIELD,
  SWITCH_FIELD,
  'account',
  'form',
  'version',
  'seen',
  'after',
  'line',
  'shown',
]);

/** The most entries that are shown: a form can have so many that showing them all would delay others. */
const MAX_SHOWN = 1_000;

/** The entries of a form that was not handled. */
export function Entered({ form }: { form: URLSearchParams }): Html | null {
  const entered = [...form].filter(
    ([name, value]) => !HIDDEN.has(name.split(':', 1)[0] ?? '') && value !== '',
  );
  if (entered.length === 0) return null;
  return html`
    <h2>What the form says</h2>
    <dl class="entered">${entered.slice(0, MAX_SHOWN).map(([name, value]) => html`<div><dt>${name.replaceAll('_', ' ')}</dt><dd>${value}</dd></div>`)}</dl>
    ${entered.length > MAX_SHOWN && html`<p>The form has ${number.format(entered.length - MAX_SHOWN)} more entries. They are kept as well.</p>`}`;
}

/** The fields of a form, hidden. */
export const KeptFields = ({ form }: { form: URLSearchParams }): Html =>
  html`${[...form].map(([name, value]) => html`<input type="hidden" name=${name} value=${value} />`)}`;

/** A form that sends another one again, with its token and everything that was entered. */
export function SendAgain(props: { form: URLSearchParams; path: string; children?: Content }): Html {
  const { form, path, children } = props;
  return html`
    <form method="post" action=${path}><${KeptFields} form=${form} />${children}</form>`;
}
