import { changeRights } from '../../../administration/publishing/rights.ts';
import { OperatorError } from '../../../service/operator-error.ts';
import { type AllowedEndorser, listAllowedEndorsers } from '../../../store/accounts/endorsers.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { actorOf } from '../actor.ts';
import { DoneNotice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form } from '../layout.ts';
import { defineForm, definePage, type PageReply, type PageRequest, type ShownPage } from '../page.ts';
import { addressOfAccount, findAccount } from './operator-accounts.ts';

const ON_PAGE = 100;

const DONE = new Map([
  ['allowed', 'The account may publish for these endorsers at once.'],
  [
    'disallowed',
    'The account may no longer publish for this endorser. What was sent before is still applied.',
  ],
]);

function EndorserRow({ item, where }: { item: AllowedEndorser; where: string }): Html {
  const { slug, name } = item;
  return html`
    <tr>
      <th scope="row">${name}</th>
      <td><code>${slug}</code></td>
      <td><a href=${`${where}/${slug}`} aria-label=${`Disallow ${name}`}>Disallow</a></td>
    </tr>`;
}

/** @param problem a sentence about a refused form */
async function showRights(
  { path, query, form }: PageRequest,
  context: ConsoleContext,
  problem: string | null = null,
): Promise<ShownPage> {
  const account = await findAccount(context, path.id);
  const after = query.get('after') ?? '';
  const endorsers = await listAllowedEndorsers(context.pool, account.id, { after, limit: ON_PAGE + 1 });
  const shown = endorsers.slice(0, ON_PAGE);
  const where = `${addressOfAccount(account)}/endorsers`;
  const next = new URLSearchParams({ after: shown.at(-1)?.slug ?? '' });
  return {
    title: `Endorsers of ${isolateName(account.name)}`,
    problem,
    body: html`
      <${DoneNotice} texts=${DONE} query=${query} />
      <p>Keys of <a href=${addressOfAccount(account)}>this account</a> with the scope <code>endorsements:write</code> may publish for these endorsers.</p>
      <${Table} caption="Endorsers" head=${['Name', 'Slug', 'Actions']} empty="It may publish for no endorser.">
        ${shown.map((item) => html`<${EndorserRow} item=${item} where=${where} />`)}
      <//>
      ${endorsers.length > ON_PAGE && html`<p><a class="button" href=${`${where}?${next}`}>Next endorsers</a></p>`}
      <${Form} action=${where} class="card">
        <h2>Allow endorsers</h2>
        <label>Slugs of endorsers, each on a line <textarea name="endorsers" rows="4" required>${form.get('endorsers')}</textarea></label>
        <button>Allow</button>
      <//>`,
  };
}

async function disallow({ path, session }: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const account = await findAccount(context, path.id);
  const given = [path.slug ?? ''];
  await inTransaction(context.pool, (client) =>
    changeRights(client, account, { given, isAllowed: false }, actorOf(session)),
  ).catch((error: unknown) => {
    // The endorser is gone, and the right with it.
    if (!(error instanceof OperatorError)) throw error;
  });
  return { redirect: `${addressOfAccount(account)}/endorsers?done=disallowed` };
}

/** The endorsers for which an account may publish, for operators. */
export const operatorRightPages = [
  definePage('/console/operator/accounts/{id}/endorsers', 'operator', showRights),
  defineForm('/console/operator/accounts/{id}/endorsers', 'operator', async (request, context) => {
    const { path, form, session } = request;
    const account = await findAccount(context, path.id);
    const given = (form.get('endorsers') ?? '').split(/[\s,]+/);
    try {
      await inTransaction(context.pool, (client) =>
        changeRights(client, account, { given, isAllowed: true }, actorOf(session)),
      );
    } catch (error) {
      if (error instanceof OperatorError) return showRights(request, context, error.message);
      throw error;
    }
    return { redirect: `${addressOfAccount(account)}/endorsers?done=allowed` };
  }),
  definePage('/console/operator/accounts/{id}/endorsers/{slug}', 'operator', async ({ path }, context) => {
    const account = await findAccount(context, path.id);
    const where = `${addressOfAccount(account)}/endorsers`;
    return {
      title: `Disallow ${isolateName(path.slug ?? '')}?`,
      body: html`
        <p>Requests of the account ${isolateName(account.name)} that publish for this endorser are refused at once. Its endorsements stay.</p>
        <${Form} action=${`${where}/${encodeURIComponent(path.slug ?? '')}`}>
          <button class="danger">Disallow the endorser</button> <a href=${where}>Keep it</a>
        <//>`,
    };
  }),
  defineForm('/console/operator/accounts/{id}/endorsers/{slug}', 'operator', disallow),
];
