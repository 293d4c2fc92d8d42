import { SCOPES, type Scope } from '../../../schemas/vocabulary.ts';
import type { ConsoleSession } from '../../../store/access/console-sessions.ts';
import {
  type IssuedKey,
  issueKeyOf,
  type KeyGrant,
  revokeKey,
  TooManyKeysError,
} from '../../../store/accounts/issued-keys.ts';
import {
  findKeyOf,
  type KeyPlace,
  type KeySummary,
  listBusyPredecessors,
  listKeysOf,
} from '../../../store/accounts/listed-keys.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import { actorOf } from '../actor.ts';
import { CopyText, DoneNotice, Moment, Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { FormId, readFormId } from '../form-id.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form, mayUse } from '../layout.ts';
import {
  defineForm,
  definePage,
  type PageReply,
  type PageRequest,
  type Refusal,
  type ShownPage,
} from '../page.ts';
import { PageError } from '../page-error.ts';
import { PlanLimits } from '../plan-limits.ts';
import { readRowId } from '../row-id.ts';
import { snippetsWith } from './first-requests.ts';
import { readKeyForm } from './key-form.ts';
import { ShownSnippet } from './start.ts';

const SCOPE_LABELS: Readonly<Record<Scope, string>> = {
  'data:read': 'Read data',
  'stream:read': 'Read events, the stream and subscriptions',
  'subscriptions:write': 'Change subscriptions',
  'endorsements:write': 'Publish endorsements',
  'webhooks:write': 'Manage webhooks',
};

const ON_PAGE = 100;

const DONE = new Map([
  ['revoked', 'The key is revoked: within five seconds it is refused everywhere and its streams end.'],
  [
    'made',
    'That form has made its key already. A key is shown once; if it is lost, revoke it and make another.',
  ],
]);

/** The state of a key in a word. */
function stateOf({ revokedAt, expiresAt }: KeySummary, now: number): 'usable' | 'revoked' | 'expired' {
  if (revokedAt) return 'revoked';
  return expiresAt && expiresAt.getTime() <= now ? 'expired' : 'usable';
}

const nameOf = ({ id, name }: Pick<KeySummary, 'id' | 'name'>): string => name || `key ${id}`;

function Row(props: { item: KeySummary; now: number; mayChange: boolean }): Html {
  const { item, now, mayChange } = props;
  const state = stateOf(item, now);
  return html`
    <tr class=${state === 'usable' ? null : 'over'}>
      <th scope="row">${nameOf(item)}${item.replaces && html` <small class="muted">replaces ${item.replaces}</small>`}</th>
      <td>${item.id}</td>
      <td>${item.scopes.join(', ')}</td>
      <td><${Moment} at=${item.createdAt} /></td>
      <td><${Moment} at=${item.lastUsedAt} /></td>
      <td>${state === 'usable' ? html`<${Moment} at=${item.expiresAt} />` : state}</td>
      <td class="actions">
        ${
          mayChange &&
          state === 'usable' &&
          html`
          <${Form} action=${`/console/keys/${item.id}/rotate`}>
            <${FormId} />
            <button class="plain" aria-label=${`Rotate ${nameOf(item)}`}>Rotate</button>
          <//>
          <a class="danger" href=${`/console/keys/${item.id}/revoke`} aria-label=${`Revoke ${nameOf(item)}`}>Revoke</a>`
        }
      </td>
    </tr>`;
}

function NewKeyForm({ values }: { values: URLSearchParams }): Html {
  // A refused rotation has no values of this form.
  const chosen = values.has('name') ? values.getAll('scope') : SCOPES;
  return html`
    <${Form} action="/console/keys" class="card">
      <h2>Make a key</h2>
      <${FormId} />
      <label>Name <input name="name" maxlength="100" required value=${values.get('name')} placeholder="Website, production" /></label>
      <fieldset>
        <legend>It may</legend>
        ${SCOPES.map(
          (scope) => html`
          <label class="check"><input type="checkbox" name="scope" value=${scope} checked=${chosen.includes(scope)} /> ${SCOPE_LABELS[scope]} <code>${scope}</code></label>`,
        )}
      </fieldset>
      <label>Expires on <input type="date" name="expires" value=${values.get('expires')} /> <small class="muted">the first moment of this day in UTC; empty: never</small></label>
      <button>Make key</button>
    <//>`;
}

/** A key's place in the list, in an address: `usable-12` or `over-12`. */
function readPlace(text: string | null): KeyPlace | null {
  const [, state, digits] = /^(usable|over)-(\d+)$/.exec(text ?? '') ?? [];
  const id = readRowId(digits);
  return id === null ? null : { isOver: state === 'over', id };
}

const formatPlace = ({ isOver, id }: KeyPlace): string => `${isOver ? 'over' : 'usable'}-${id}`;

async function showKeys(
  { session, query, form }: PageRequest,
  { pool, clock }: ConsoleContext,
  refusal: Refusal | null = null,
): Promise<ShownPage> {
  const after = readPlace(query.get('after'));
  const { keys, next } = await listKeysOf(pool, session.accountId, { limit: ON_PAGE, after });
  const busy = await listBusyPredecessors(pool, session.accountId);
  const now = clock.now();
  const mayChange = mayUse(session.role, 'owner');
  return {
    title: 'API keys',
    ...refusal,
    script: 'copy',
    body: html`
      <${DoneNotice} texts=${DONE} query=${query} />
      ${busy.map(
        (old) => html`
        <${Notice} kind="bad">${nameOf(old)} (${old.id}) has been replaced and is still used, last at <${Moment} at=${old.lastUsedAt} />.
          Move its programs to the new key before you revoke it.<//>`,
      )}
      <${Table} caption="Keys" head=${['Name', 'Id', 'Scopes', 'Made', 'Last used', 'Expires', 'Actions']} empty=${after ? 'There are no further keys.' : 'The account has no keys yet.'}>
        ${keys.map((item) => html`<${Row} item=${item} now=${now} mayChange=${mayChange} />`)}
      <//>
      ${keys.length > 0 && html`<p class="muted">“Last used” is accurate to about a minute.</p>`}
      ${next && html`<p><a class="button" href=${`/console/keys?after=${formatPlace(next)}`}>Next keys</a></p>`}
      ${mayChange ? html`<${NewKeyForm} values=${form} />` : html`<p>Owners of the account make and revoke keys.</p>`}`,
  };
}

/** Shows a new key, once. */
function showIssued(
  { id, key }: IssuedKey,
  { publicUrl, session }: PageRequest,
  replaced: KeySummary | null,
): ShownPage {
  return {
    title: 'Your new key',
    script: 'copy',
    body: html`
      <${Notice} kind="good">This is the only time that the key is shown. Keep it like a password.<//>
      <${CopyText} label="The key" text=${key} />
      <h2>The first request</h2>
      ${snippetsWith(key, publicUrl).map((snippet) => html`<${ShownSnippet} snippet=${snippet} name="first" />`)}
      <h2>The limits of the plan ${session.plan}</h2>
      <${PlanLimits} plan=${session} />
      ${
        replaced &&
        html`<p>${nameOf(replaced)} still works beside it. <a href=${`/console/keys/${replaced.id}/revoke`}>Revoke it</a> once nothing uses it.</p>
        ${replaced.expiresAt && html`<p>The new key expires when ${nameOf(replaced)} does, at <${Moment} at=${replaced.expiresAt} />. A key with another end is made on the page of all keys.</p>`}`
      }
      <p><a href="/console/keys">All keys</a> · <a href="/console/start">First request</a> <span class="muted">Key ${id}</span></p>`,
  };
}

async function findKey(
  session: ConsoleSession,
  { pool }: ConsoleContext,
  id: string | undefined,
): Promise<KeySummary> {
  const known = readRowId(id);
  const key = known === null ? null : await findKeyOf(pool, session.accountId, known);
  if (!key) throw new PageError(404, 'The account has no such key.');
  return key;
}

async function issue(
  request: PageRequest,
  context: ConsoleContext,
  grant: KeyGrant,
  replaced: KeySummary | null,
): Promise<PageReply> {
  const { session } = request;
  const account = { id: session.accountId, name: session.account };
  try {
    const issued = await inTransaction(context.pool, (client) =>
      issueKeyOf(client, account, grant, actorOf(session)),
    );
    return issued ? showIssued(issued, request, replaced) : { redirect: '/console/keys?done=made' };
  } catch (error) {
    if (!(error instanceof TooManyKeysError)) throw error;
    return showKeys(request, context, { status: 409, problem: error.message });
  }
}

/** The keys of the account, and making, rotating and revoking them. */
export const keyPages = [
  definePage('/console/keys', 'member', showKeys),
  defineForm('/console/keys', 'owner', async (request, context) => {
    const read = readKeyForm(request.form, context.clock.now());
    if ('problem' in read) return showKeys(request, context, { status: 400, problem: read.problem });
    return issue(request, context, read.grant, null);
  }),
  defineForm('/console/keys/{id}/rotate', 'owner', async (request, context) => {
    const old = await findKey(request.session, context, request.path.id);
    if (stateOf(old, context.clock.now()) !== 'usable') {
      throw new PageError(409, 'Only a usable key can be rotated; make a new one instead.');
    }
    const { name, scopes, expiresAt } = old;
    const formId = readFormId(request.form);
    return issue(request, context, { name, scopes, expiresAt, replaces: old.id, formId }, old);
  }),
  definePage('/console/keys/{id}/revoke', 'owner', async ({ session, path }, context) => {
    const key = await findKey(session, context, path.id);
    if (key.revokedAt) return { redirect: '/console/keys?done=revoked' };
    return {
      title: `Revoke ${isolateName(nameOf(key))}?`,
      body: html`
        <p>Programs that use this key are refused within five seconds, and their streams end. This cannot be undone.</p>
        <p>Last used: <${Moment} at=${key.lastUsedAt} /></p>
        <${Form} action=${`/console/keys/${key.id}/revoke`}>
          <button class="danger">Revoke the key</button> <a href="/console/keys">Keep it</a>
        <//>`,
    };
  }),
  defineForm('/console/keys/{id}/revoke', 'owner', async ({ session, path }, context) => {
    const { id } = await findKey(session, context, path.id);
    await inTransaction(context.pool, (client) => revokeKey(client, id, actorOf(session), session.accountId));
    return { redirect: '/console/keys?done=revoked' };
  }),
];
