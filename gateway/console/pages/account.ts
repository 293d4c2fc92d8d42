import { findAccountFor, listAccountsOf } from '../../../store/console/accounts.ts';
import { switchSession } from '../../../store/console/sessions.ts';
import { Select } from '../components.ts';
import { html } from '../html.ts';
import { Form } from '../layout.ts';
import { defineForm, definePage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';

/** The account that the pages show, and the person's other accounts. */
export const accountPages = [
  definePage('/console/account', 'member', async ({ session }, { pool }) => {
    const accounts = await listAccountsOf(pool, session);
    return {
      title: 'Account',
      body: html`
        <p>The console shows the account <strong>${session.account}</strong>, on the plan ${session.plan}.</p>
        ${
          accounts.length > 1 &&
          html`
          <${Form} action="/console/account">
            <${Select} label="Show another account" name="account" options=${accounts.map(({ id, name }) => [id, name])} chosen=${session.accountId} />
            <button>Show</button>
          <//>`
        }
        ${session.role === 'operator' && html`<p><a href="/console/operator/accounts">All accounts</a></p>`}`,
    };
  }),
  defineForm(
    '/console/account',
    'member',
    async ({ session, form }, { pool }) => {
      const id = readRowId(form.get('account'));
      const chosen = id === null ? null : await findAccountFor(pool, session, id);
      if (chosen === null) throw new PageError(404, 'There is no such account.');
      await switchSession(pool, session.id, chosen.id);
      return { redirect: '/console' };
    },
    { anyAccount: true },
  ),
];
