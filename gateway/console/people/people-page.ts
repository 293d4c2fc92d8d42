import { listInvitations, type OpenInvitation } from '../../../store/console/invitations.ts';
import {
  countOwners,
  listMembers,
  MEMBER_ROLES,
  type Member,
  type MemberPlace,
} from '../../../store/console/members.ts';
import { CopyText, DoneNotice, Moment, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { Form, mayUse } from '../layout.ts';
import type { PageRequest, Refusal, ShownPage } from '../page.ts';
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

/** A person as their account knows them. */
export const nameOf = ({ name, email }: Pick<Member, 'name' | 'email'>): string => name || email;

function MemberRow(props: {
  member: Member;
  mayChange: boolean;
  /** Whether this is the account's only owner. */
  isNeeded: boolean;
}): Html {
  const { member, mayChange, isNeeded } = props;
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
            <${Form} action=${`/console/people/${personId}/role`}>
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

function InvitationRow({ invitation }: { invitation: OpenInvitation }): Html {
  const { id, email, role, invitedBy, expiresAt } = invitation;
  return html`
    <tr>
      <th scope="row">${email}</th>
      <td>${role}</td>
      <td>${invitedBy}</td>
      <td><${Moment} at=${expiresAt} /></td>
      <td class="actions">
        <${Form} action=${`/console/people/invitations/${id}/withdraw`}>
          <button class="plain" aria-label=${`Withdraw the invitation of ${email}`}>Withdraw</button>
        <//>
      </td>
    </tr>`;
}

function InviteForm({ values }: { values: URLSearchParams }): Html {
  const chosen = values.get('role') ?? 'member';
  return html`
    <${Form} action="/console/people/invitations" class="card">
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

/** The page of the members and the invitations of the account. @param refusal why a form was refused */
export async function showPeople(
  { session, query, form }: PageRequest,
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
            html`<${MemberRow} member=${member} mayChange=${mayChange} isNeeded=${owners === 1 && member.role === 'owner'} />`,
        )}
      <//>
      ${next && html`<${NextMembers} after=${next} />`}
      <${Table} caption="Open invitations" head=${['Address', 'Role', 'Invited by', 'Expires', 'Actions']} empty=${null}>
        ${invitations.map((invitation) => html`<${InvitationRow} invitation=${invitation} />`)}
      <//>
      ${mayChange && (hasProvider ? html`<${InviteForm} values=${form} />` : html`<${WithoutProvider} account=${session.account} />`)}
      ${!mayChange && html`<p>Owners of the account invite and remove people.</p>`}`,
  };
}
