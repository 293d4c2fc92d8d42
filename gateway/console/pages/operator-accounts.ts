import { normalizeText } from '../../../schemas/text.ts';
import {
  AccountMovedError,
  type AccountSummary,
  ensureAccount,
  listAccounts,
  setAccountPlan,
  setAccountSuspended,
} from '../../../store/accounts/accounts.ts';
import { listPlans, PlanMismatchError } from '../../../store/accounts/plans.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { findAccountId } from '../../../store/console/accounts.ts';
import { actorOf } from '../actor.ts';
import { DoneNotice, Moment, Notice, Select, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form } from '../layout.ts';
import { LinkForm } from '../operators/link-form.ts';
import { defineForm, definePage, type PageRequest, type ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';

const ON_PAGE = 100;
const MAX_NAME_LENGTH = 100;

const DONE = new Map([
  ['known', 'There was an account of this name already: this is it. Nothing has changed.'],
  [
    'suspended',
    'The account is suspended: within five seconds its keys are refused, and its streams and webhooks stop.',
  ],
  ['resumed', 'The account is resumed.'],
  ['plan', 'The account has another plan. Gateways apply it within seconds.'],
]);

/** The account of a page. @throws PageError if there is none of this id */
export async function findAccount(
  { pool }: Pick<ConsoleContext, 'pool'>,
  id: string | undefined,
): Promise<AccountSummary> {
  const known = readRowId(id);
  const [account] = known === null ? [] : await listAccounts(pool, { id: known });
  if (!account) throw new PageError(404, 'There is no such account.');
  return account;
}

export const addressOfAccount = ({ id }: Pick<AccountSummary, 'id'>): string =>
  `/console/operator/accounts/${id}`;

function AccountRow({ item }: { item: AccountSummary }): Html {
  return html`
    <tr class=${item.suspendedAt ? 'over' : null}>
      <th scope="row"><a href=${addressOfAccount(item)}>${item.name}</a></th>
      <td>${item.plan}</td>
      <td class="number">${item.usableKeys}</td>
      <td><${Moment} at=${item.createdAt} /></td>
      <td>${item.suspendedAt && html`<${Moment} at=${item.suspendedAt} />`}</td>
    </tr>`;
}

async function showAccounts(
  { query, form }: PageRequest,
  { pool }: ConsoleContext,
  problem: string | null = null,
): Promise<ShownPage> {
  const contains = (query.get('q') ?? '').trim();
  const after = query.get('after') ?? '';
  const accounts = await listAccounts(pool, { contains, after, limit: ON_PAGE + 1 });
  const shown = accounts.slice(0, ON_PAGE);
  const next = new URLSearchParams({ ...(contains && { q: contains }), after: shown.at(-1)?.name ?? '' });
  const plans = await listPlans(pool);
  return {
    title: 'Accounts',
    problem,
    body: html`
      <form class="filters" method="get">
        <label>Name contains <input type="search" name="q" value=${contains} /></label>
        <button>Search</button>
      </form>
      <${Table} caption="Accounts" head=${['Account', 'Plan', 'Usable keys', 'Made', 'Suspended']} numbersFrom=${2} numbersTo=${2}>
        ${shown.map((item) => html`<${AccountRow} item=${item} />`)}
      <//>
      ${accounts.length > ON_PAGE && html`<p><a class="button" href=${`/console/operator/accounts?${next}`}>Next accounts</a></p>`}
      <${Form} action="/console/operator/accounts" class="card">
        <h2>Make an account</h2>
        <label>Name <input name="name" required maxlength=${MAX_NAME_LENGTH} value=${form.get('name')} /></label>
        <${Select} label="Plan" name="plan" options=${plans.map(({ name }) => [name, name])} chosen=${form.get('plan')} />
        <button>Make account</button>
      <//>`,
  };
}

/** @param chosen a plan that was not set, because the account's plan has been changed in the meantime */
async function showAccount(
  { path, query }: PageRequest,
  context: ConsoleContext,
  chosen: string | null = null,
): Promise<ShownPage> {
  const account = await findAccount(context, path.id);
  const plans = await listPlans(context.pool);
  const where = addressOfAccount(account);
  return {
    title: account.name,
    status: chosen === null ? 200 : 409,
    body: html`
      ${
        chosen !== null &&
        html`<${Notice} kind="bad" answers>The account has been moved to the plan ${account.plan} in the meantime, so its plan is not changed. “Change plan” moves it to ${chosen}.<//>`
      }
      <${DoneNotice} texts=${DONE} query=${query} />
      <dl class="facts">
        <div><dt>Plan</dt><dd>${account.plan}</dd></div>
        <div><dt>Usable keys</dt><dd>${account.usableKeys}</dd></div>
        <div><dt>Publishes for</dt><dd><a href=${`${where}/endorsers`}>${account.endorsers} ${account.endorsers === 1 ? 'endorser' : 'endorsers'}</a></dd></div>
        <div><dt>State</dt><dd>${account.suspendedAt ? 'suspended' : 'in use'}</dd></div>
      </dl>
      <p>Made <${Moment} at=${account.createdAt} />${account.suspendedAt && html`, suspended <${Moment} at=${account.suspendedAt} />`}</p>
      <${Form} action="/console/account">
        <input type="hidden" name="account" value=${account.id} />
        <button>Show this account in the console</button>
        <p class="muted">Keys, usage, subscriptions and people are then those of this account.</p>
      <//>
      <${Form} action=${`${where}/plan`} class="card">
        <h2>Plan</h2>
        <input type="hidden" name="seen" value=${account.plan} />
        <${Select} label="Plan" name="plan" options=${plans.map(({ name }) => [name, name])} chosen=${chosen ?? account.plan} />
        <button>Change plan</button>
      <//>
      ${
        account.suspendedAt
          ? html`
        <${Form} action=${`${where}/resume`} class="card">
          <h2>Resume</h2>
          <p>Its keys work again at once, and its webhooks continue where they stood.</p>
          <button>Resume the account</button>
        <//>`
          : html`<p><a class="button" href=${`${where}/suspend`}>Suspend the account</a></p>`
      }
      <${LinkForm} where=${where} />
      <p><a href=${`/console/operator/usage/${account.id}`}>Usage of this account</a> · <a href=${`/console/operator/audit?account=${account.id}`}>Audit log of this account</a></p>`,
  };
}

const setSuspended = (isSuspended: boolean) =>
  defineForm(
    `/console/operator/accounts/{id}/${isSuspended ? 'suspend' : 'resume'}`,
    'operator',
    async ({ path, session }, context) => {
      const account = await findAccount(context, path.id);
      await inTransaction(context.pool, (client) =>
        setAccountSuspended(client, account.name, isSuspended, actorOf(session)),
      );
      return { redirect: `${addressOfAccount(account)}?done=${isSuspended ? 'suspended' : 'resumed'}` };
    },
  );

/** Every account, for operators. */
export const operatorAccountPages = [
  definePage('/console/operator/accounts', 'operator', showAccounts),
  defineForm('/console/operator/accounts', 'operator', async (request, context) => {
    const name = normalizeText(request.form.get('name') ?? '');
    const plan = request.form.get('plan') ?? '';
    if (name === '' || name.length > MAX_NAME_LENGTH) {
      const problem = `The name must have 1 to ${MAX_NAME_LENGTH} characters.`;
      return showAccounts(request, context, problem);
    }
    try {
      return await inTransaction(context.pool, async (client) => {
        const known = await findAccountId(client, name);
        const id = await ensureAccount(client, { name, plan }, actorOf(request.session));
        return { redirect: `${addressOfAccount({ id })}${known === null ? '' : '?done=known'}` };
      });
    } catch (error) {
      if (error instanceof PlanMismatchError) return showAccounts(request, context, error.message);
      throw error;
    }
  }),
  definePage('/console/operator/accounts/{id}', 'operator', showAccount),
  defineForm('/console/operator/accounts/{id}/plan', 'operator', async (request, context) => {
    const { path, form, session } = request;
    const account = await findAccount(context, path.id);
    const plan = form.get('plan') ?? '';
    try {
      await inTransaction(context.pool, (client) =>
        setAccountPlan(client, account.name, plan, actorOf(session), form.get('seen')),
      );
    } catch (error) {
      if (error instanceof AccountMovedError) return showAccount(request, context, plan);
      if (error instanceof PlanMismatchError) throw new PageError(400, error.message);
      throw error;
    }
    return { redirect: `${addressOfAccount(account)}?done=plan` };
  }),
  definePage('/console/operator/accounts/{id}/suspend', 'operator', async ({ path }, context) => {
    const account = await findAccount(context, path.id);
    const where = addressOfAccount(account);
    return {
      title: `Suspend ${isolateName(account.name)}?`,
      body: html`
        <p>Within five seconds its keys are refused, and its streams and webhooks stop, until it is resumed.</p>
        <${Form} action=${`${where}/suspend`}>
          <button class="danger">Suspend the account</button> <a href=${where}>Keep it in use</a>
        <//>`,
    };
  }),
  setSuspended(true),
  setSuspended(false),
];
