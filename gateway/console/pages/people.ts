import { parseEmailAddress } from '../../../schemas/email-address.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import {
  createInvitation,
  INVITATION_DAYS,
  MAX_INVITATIONS,
  MayNotInviteError,
  withdrawInvitation,
} from '../../../store/console/invitations.ts';
import {
  changeRole,
  findMember,
  MEMBER_ROLES,
  type Member,
  type MemberChange,
  removeMember,
} from '../../../store/console/members.ts';
import { actorOf } from '../actor.ts';
import { CopyText, Notice } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form } from '../layout.ts';
import {
  defineForm,
  definePage,
  type PageReply,
  type PageRequest,
  type Refusal,
  type ShownPage,
} from '../page.ts';
import { PageError } from '../page-error.ts';
import { nameOf, showPeople } from '../people/people-page.ts';
import { readRowId } from '../row-id.ts';

const NOT_OPEN =
  'The invitation is not open any more. It was accepted, withdrawn or replaced, or has expired. If it was accepted, the person is one of the members now.';

const LAST_OWNER: Refusal = {
  status: 409,
  problem: 'The account needs an owner: make somebody else an owner first.',
};

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
export const peoplePages = [
  definePage('/console/people', 'member', showPeople),
  defineForm('/console/people/invitations', 'owner', invite),
  defineForm('/console/people/invitations/{id}/withdraw', 'owner', async (request, context) => {
    const { session, path } = request;
    const { accountId, account } = session;
    const id = readRowId(path.id);
    const withdrawn =
      id !== null &&
      (await inTransaction(context.pool, (client) =>
        withdrawInvitation(client, { accountId, account, id }, actorOf(session)),
      ));
    if (!withdrawn) return showPeople(request, context, { status: 404, problem: NOT_OPEN });
    return { redirect: '/console/people?done=withdrawn' };
  }),
  defineForm('/console/people/{id}/role', 'owner', async (request, context) => {
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
  }),
  definePage('/console/people/{id}/remove', 'owner', async (request, context) => {
    const member = await requireMember(request, context);
    return {
      title: `Remove ${isolateName(nameOf(member))}?`,
      body: html`
        <p>${member.email} loses access to the account at once. Keys that this person made keep working: <a href="/console/keys">revoke them</a> if need be.</p>
        <${Form} action=${`/console/people/${member.personId}/remove`}>
          <button class="danger">Remove the person</button> <a href="/console/people">Keep the person</a>
        <//>`,
    };
  }),
  defineForm('/console/people/{id}/remove', 'owner', async (request, context) => {
    const { personId } = await requireMember(request, context);
    const { session } = request;
    const { accountId, account } = session;
    const change = await inTransaction(context.pool, (client) =>
      removeMember(client, { accountId, account, personId }, actorOf(session)),
    );
    // Their session has ended with it.
    if (change === 'done' && personId === session.personId) return { redirect: '/console/sign-in?left' };
    return answerChange(change, 'removed', request, context);
  }),
];
