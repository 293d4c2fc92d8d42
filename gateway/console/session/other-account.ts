import type { Pool } from 'pg';
import type { ConsoleSession } from '../../../store/access/console-sessions.ts';
import { findAccountFor } from '../../../store/console/accounts.ts';
import { switchSession } from '../../../store/console/sessions.ts';
import { Notice } from '../components.ts';
import { html } from '../html.ts';
import { Entered, SendAgain, SWITCH_FIELD } from '../kept-form.ts';
import type { ShownPage } from '../page.ts';

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

/** Answers a stray form: it changes nothing, keeps everything that was entered, and lets the person decide. */
export async function showStrayForm(stray: StrayForm, pool: Pool): Promise<ShownPage> {
  const { form, path, session, madeFor } = stray;
  const account = await findAccountFor(pool, session, madeFor);
  const again = new URLSearchParams(form);
  again.set(SWITCH_FIELD, 'yes');
  return {
    title: 'The console shows another account',
    status: 409,
    body: html`
      <${Notice} kind="bad" answers>The console shows the account ${session.account} now, and this form was made for ${account?.name ?? 'another one'}. Nothing was changed.<//>
      <${Entered} form=${form} />
      ${
        account
          ? html`
        <${SendAgain} form=${again} path=${path}><button>Show ${account.name} again and send the form</button><//>
        <p><a href="/console">Go on with ${session.account}</a></p>`
          : html`<p>You cannot see that account any more. <a href="/console">Continue with ${session.account}</a></p>`
      }`,
  };
}
