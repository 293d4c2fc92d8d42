import type { Pool } from 'pg';
import type { ConsoleSession } from '../../../store/access/console-sessions.ts';
import { findAccountFor } from '../../../store/console/accounts.ts';
import { switchSession } from '../../../store/console/sessions.ts';
import { Notice } from '../components.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import type { ShownPage } from '../page.ts';
import { CSRF_FIELD } from './forgery.ts';

/** The field that asks to show the form's account again before the form is handled. */
const SWITCH_FIELD = 'show_account';
/** Fields that nobody has entered. */
const HIDDEN = new Set([CSRF_FIELD, SWITCH_FIELD, 'form', 'version']);

/** A form that was made while the console showed another account. */
export interface StrayForm {
  form: URLSearchParams;
  /** The path to which it was sent. */
  path: string;
  session: ConsoleSession;
  /** The id of the account for which it was made. */
  madeFor: number;
}

/** Shows a form's account again if the form asks for it and the person may still see it. @returns whether it did */
export async function switchBack({ form, session, madeFor }: StrayForm, pool: Pool): Promise<boolean> {
  const account = form.has(SWITCH_FIELD) ? await findAccountFor(pool, session, madeFor) : null;
  if (account) await switchSession(pool, session.id, account.id);
  return account !== null;
}

function Entered({ form }: { form: URLSearchParams }): Html | null {
  const entered = [...form].filter(([name, value]) => !HIDDEN.has(name) && value !== '');
  if (entered.length === 0) return null;
  return html`
    <h2>What the form says</h2>
    <dl class="entered">${entered.map(([name, value]) => html`<div><dt>${name.replaceAll('_', ' ')}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Answers a stray form: it changes nothing, keeps everything that was entered, and lets the person decide. */
export async function showStrayForm(stray: StrayForm, pool: Pool): Promise<ShownPage> {
  const { form, path, session, madeFor } = stray;
  const account = await findAccountFor(pool, session, madeFor);
  return {
    title: 'The console shows another account',
    status: 409,
    body: html`
      <${Notice} kind="bad">The console shows the account ${session.account} now, and this form was made for ${account?.name ?? 'another one'}. Nothing was changed.<//>
      <${Entered} form=${form} />
      ${
        account
          ? html`
        <${Form} action=${path} csrf=${form.get(CSRF_FIELD) ?? ''}>
          <input type="hidden" name=${SWITCH_FIELD} value="yes" />
          ${[...form].map(([name, value]) => name !== CSRF_FIELD && name !== SWITCH_FIELD && html`<input type="hidden" name=${name} value=${value} />`)}
          <button>Show ${account.name} again and send the form</button>
        <//>
        <p><a href="/console">Go on with ${session.account}</a></p>`
          : html`<p>You cannot see that account any more. <a href="/console">Continue with ${session.account}</a></p>`
      }`,
  };
}
