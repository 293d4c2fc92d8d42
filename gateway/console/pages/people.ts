import { parseEmailAddress } from '../../../schemas/email-address.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import {
  createInvitation,
  INVITATION_DAYS,
  listInvitations,
  MAX_INVITATIONS,
  MayNotInviteError,
  type OpenInvitation,
  withdrawInvitation,
} from '../../../store/console/invitations.ts';
import {
  changeRole,
  countOwners,
  findMember,
  listMembers,
  MEMBER_ROLES,
  type Member,
  type MemberChange,
  type MemberPlace,
  removeMember,
} from '../../../store/console/members.ts';
import { actorOf } from '../actor.ts';
import { CopyText, DoneNotice, Moment, Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form, mayUse } from '../layout.ts';
import type { Page, PageReply, PageRequest, Refusal, ShownPage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';

const ON_PAGE = 100;

const DONE = new Map([
  ['role', 'The role is changed. It counts from the person’s next click.'],
  ['removed', 'The person is removed, and their sessions on this account have ended.'],
  ['withdrawn', 'The invitation is withdrawn: its link no longer works.'],
]);

const ROLE_HINTS = {
  member: 'reads the data and the stream, changes subscriptions',
  editor: 'also publishes endorsements',
  owner: 'also makes API keys and invites people',
} as const;

const NOT_OPEN =
  'The invitation is not open any more. It was accepted, withdrawn or replaced, or has expired. If it was accepted, the person is one of the members now.';

const LAST_OWNER: Refusal = {
  status: 409,
  problem: 'The account needs an owner: make somebody else an owner first.',
};

const nameOf = ({ name, email }: Pick<Member, 'name' | 'email'>): string => name || email;

function MemberRow(props: {
  member: Member;
  csrf: string;
  mayChange: boolean;
  /** Whether this is the account's only owner. */
  isNeeded: boolean;
}): Html {
  const { member, csrf, mayChange, isNeeded } = props;
  const { personId, email, name, role, since } = member;
  const others = MEMBER_ROLES.filter((each) => each !== role);
  return html`
    <tr>
      <th scope="row">${email}${name && html`<br /><small>${name}</small>`}</th>
      <td>${role}</td>
      <td><${Moment} at=${since} /></td>
      <td class="actions">
        ${mayChange && isNeeded && html`<span class="muted">the only owner</span>`}
        ${
          mayChange &&
          !isNeeded &&
          html`
          ${others.map(
            (other) => html`
            <${Form} action=${`/console/people/${personId}/role`} csrf=${csrf}>
              <input type="hidden" name="seen" value=${role} />
              <input type="hidden" name="role" value=${other} />
              <button class="plain" aria-label=${`Make ${other}: ${email}`}>Make ${other}</button>
            <//>`,
          )}
          <a class="danger" href=${`/console/people/${personId}/remove`} aria-label=${`Remove ${email}`}>Remove</a>`
        }
      </td>
    </tr>`;
}

function InvitationRow({ invitation, csrf }: { invitation: OpenInvitation; csrf: string }): Html {
  const { id, email, role, invitedBy, expiresAt } = invitation;
  return html`
    <tr>
      <th scope="row">${email}</th>
      <td>${role}</td>
      <td>${invitedBy}</td>
      <td><${Moment} at=${expiresAt} /></td>
      <td class="actions">
        <${Form} action=${`/console/people/invitations/${id}/withdraw`} csrf=${csrf}>
          <button class="plain" aria-label=${`Withdraw the invitation of ${email}`}>Withdraw</button>
        <//>
      </td>
    </tr>`;
}

function InviteForm({ csrf, values }: { csrf: string; values: URLSearchParams }): Html {
  const chosen = values.get('role') ?? 'member';
  return html`
    <${Form} action="/console/people/invitations" csrf=${csrf} class="card">
      <h2>Invite somebody</h2>
      <label>E-mail address
        <input type="email" name="email" required maxlength="254" autocomplete="off" value=${values.get('email')} placeholder="ann@example.org" />
      </label>
      <fieldset>
        <legend>Role</legend>
        ${MEMBER_ROLES.map(
          (role) => html`
          <label class="check"><input type="radio" name="role" value=${role} checked=${role === chosen} /> ${role} <small>${ROLE_HINTS[role]}</small></label>`,
        )}
      </fieldset>
      <button>Make an invitation</button>
      <p class="muted">You get a link to send to the person. The service sends no e-mail.</p>
    <//>`;
}

/** Quotes a text for a shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function WithoutProvider({ account }: { account: string }): Html {
  const command = `npm run ops -- console link --account ${quote(account)} --role member --person ann@example.org`;
  return html`
    <section class="card">
      <h2>Let somebody in</h2>
      <p>This service has no sign-in provider, so people come in by links. An operator makes one with this command, and sends it to the person:</p>
      <${CopyText} label="The command" text=${command} />
      <p class="muted">A link works once, within 15 minutes, and the session lasts 12 hours. Roles are member, editor, owner and operator.</p>
    </section>`;
}

/** A member's place in the list, in an address: `owner,12,ann@example.org`. */
function readPlace(text: string | null): MemberPlace | null {
  const [, known, id, email] = /^(\w+),(\d+),(.+)$/.exec(text ?? '') ?? [];
  const role = MEMBER_ROLES.find((each) => each === known);
  const personId = readRowId(id);
  return role && personId !== null && email !== undefined ? { role, personId, email } : null;
}

function NextMembers({ after: { role, personId, email } }: { after: MemberPlace }): Html {
  const query = new URLSearchParams({ after: `${role},${personId},${email}` });
  return html`<p><a class="button" href=${`/console/people?${query}`}>Next members</a></p>`;
}

async function showPeople(
  { session, csrf, query, form }: PageRequest,
  { pool, hasProvider }: ConsoleContext,
  refusal: Refusal | null = null,
): Promise<ShownPage> {
  const mayChange = mayUse(session.role, 'owner');
  const after = readPlace(query.get('after'));
  const { members, next } = await listMembers(pool, session.accountId, { limit: ON_PAGE, after });
  const owners = await countOwners(pool, session.accountId);
  const invitations = mayChange ? await listInvitations(pool, session.accountId) : [];
  return {
    title: 'People',
    ...refusal,
    script: 'copy',
    body: html`
      ${!refusal && html`<${DoneNotice} texts=${DONE} query=${query} />`}
      <${Table} caption="Members" head=${['Person', 'Role', 'Since', 'Actions']} empty=${after ? 'There are no further members.' : 'Nobody has joined this account with a sign-in provider.'}>
        ${members.map(
          (member) =>
            html`<${MemberRow} member=${member} csrf=${csrf} mayChange=${mayChange} isNeeded=${owners === 1 && member.role === 'owner'} />`,
        )}
      <//>
      ${next && html`<${NextMembers} after=${next} />`}
      <${Table} caption="Open invitations" head=${['Address', 'Role', 'Invited by', 'Expires', 'Actions']} empty=${null}>
        ${invitations.map((invitation) => html`<${InvitationRow} invitation=${invitation} csrf=${csrf} />`)}
      <//>
      ${mayChange && (hasProvider ? html`<${InviteForm} csrf=${csrf} values=${form} />` : html`<${WithoutProvider} account=${session.account} />`)}
      ${!mayChange && html`<p>Owners of the account invite and remove people.</p>`}`,
  };
}

function showInvited(email: string, url: string): ShownPage {
  return {
    title: 'Your invitation',
    script: 'copy',
    body: html`
      <${Notice} kind="good">This is the only time that the link is shown. Send it to ${email}.<//>
      <${CopyText} label="The link" text=${url} />
      <p>It works once, within ${INVITATION_DAYS} days, and only for somebody who signs in with that address. Earlier links for the address no longer work.</p>
      <p><a href="/console/people">Back to people</a></p>`,
  };
}

async function requireMember({ session, path }: PageRequest, { pool }: ConsoleContext): Promise<Member> {
  const id = readRowId(path.id);
  const member = id === null ? null : await findMember(pool, session.accountId, id);
  if (!member) throw new PageError(404, 'The account has no such member.');
  return member;
}

async function invite(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { session, form, publicUrl } = request;
  if (!context.hasProvider) throw new PageError(409, 'This service has no sign-in provider.');
  const email = parseEmailAddress(form.get('email') ?? '');
  const role = MEMBER_ROLES.find((known) => known === form.get('role'));
  if (email === null) {
    const problem = 'Give an e-mail address such as ann@example.org, in plain letters.';
    return showPeople(request, context, { status: 400, problem });
  }
  if (!role) return showPeople(request, context, { status: 400, problem: 'Choose a role.' });
  const { accountId, account, person } = session;
  const invitation = { accountId, account, email, role, invitedBy: person };
  const refuse = (problem: string) => showPeople(request, context, { status: 409, problem });
  try {
    const token = await inTransaction(context.pool, (client) =>
      createInvitation(client, invitation, actorOf(session)),
    );
    if (token !== null) return showInvited(email, `${publicUrl}/console/invitations/${token}`);
    return refuse(`The account has ${MAX_INVITATIONS} open invitations: withdraw some of them first.`);
  } catch (error) {
    if (error instanceof MayNotInviteError) return refuse(error.message);
    throw error;
  }
}

/** Answers a change of a member, who may have left or become the last owner meanwhile. */
async function answerChange(
  change: MemberChange,
  done: string,
  request: PageRequest,
  context: ConsoleContext,
): Promise<PageReply> {
  if (change === 'no_such_member') throw new PageError(404, 'The account has no such member.');
  if (change === 'last_owner') return showPeople(request, context, LAST_OWNER);
  return { redirect: `/console/people?done=${done}` };
}

/** The members of the account, and the invitations to it. */
export const peoplePages: readonly Page[] = [
  { method: 'GET', path: '/console/people', role: 'member', handle: showPeople },
  { method: 'POST', path: '/console/people/invitations', role: 'owner', handle: invite },
  {
    method: 'POST',
    path: '/console/people/invitations/{id}/withdraw',
    role: 'owner',
    async handle(request, context) {
      const { session, path } = request;
      const { pool } = context;
      const { accountId, account } = session;
      const invitations = await listInvitations(pool, accountId);
      const id = invitations.find((each) => String(each.id) === path.id)?.id;
      const of = { accountId, account };
      const withdrawn =
        id !== undefined &&
        (await inTransaction(pool, (client) => withdrawInvitation(client, { ...of, id }, actorOf(session))));
      if (!withdrawn) return showPeople(request, context, { status: 404, problem: NOT_OPEN });
      return { redirect: '/console/people?done=withdrawn' };
    },
  },
  {
    method: 'POST',
    path: '/console/people/{id}/role',
    role: 'owner',
    async handle(request, context) {
      const { personId, email, role: present } = await requireMember(request, context);
      const { session, form } = request;
      const { accountId, account } = session;
      const role = MEMBER_ROLES.find((known) => known === form.get('role'));
      if (!role) return showPeople(request, context, { status: 400, problem: 'Choose a role.' });
      if ((form.get('seen') ?? present) !== present && role !== present) {
        const problem = `Somebody has changed the role of ${email} meanwhile: it is ${present} now. Nothing was changed.`;
        return showPeople(request, context, { status: 409, problem });
      }
      const change = await inTransaction(context.pool, (client) =>
        changeRole(client, { accountId, account, personId, role }, actorOf(session)),
      );
      return answerChange(change, 'role', request, context);
    },
  },
  {
    method: 'GET',
    path: '/console/people/{id}/remove',
    role: 'owner',
    async handle(request, context) {
      const member = await requireMember(request, context);
      return {
        title: `Remove ${isolateName(nameOf(member))}?`,
        body: html`
          <p>${member.email} loses access to the account at once. Keys that this person made keep working: <a href="/console/keys">revoke them</a> if need be.</p>
          <${Form} action=${`/console/people/${member.personId}/remove`} csrf=${request.csrf}>
            <button class="danger">Remove the person</button> <a href="/console/people">Keep the person</a>
          <//>`,
      };
    },
  },
  {
    method: 'POST',
    path: '/console/people/{id}/remove',
    role: 'owner',
    async handle(request, context) {
      const { personId } = await requireMember(request, context);
      const { session } = request;
      const { accountId, account } = session;
      const change = await inTransaction(context.pool, (client) =>
        removeMember(client, { accountId, account, personId }, actorOf(session)),
      );
      // Their session has ended with it.
      if (change === 'done' && personId === session.personId) return { redirect: '/console/sign-in?left' };
      return answerChange(change, 'removed', request, context);
    },
  },
];
