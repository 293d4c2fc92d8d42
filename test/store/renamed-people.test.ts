import { expect, test } from '@jest/globals';
import { hashToken } from '../../schemas/console-token.ts';
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  listInvitations,
} from '../../store/console/invitations.ts';
import { listMembers, removeMember } from '../../store/console/members.ts';
import { type Identity, refreshPerson } from '../../store/console/people.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const ACTOR = { osUser: 'ada', person: null };

/** Makes an invitation. @returns the hash of its token */
async function invite(accountId: number, email: string, invitedBy: string): Promise<Buffer> {
  const invitation = { accountId, account: 'acme', email, role: 'owner' as const, invitedBy };
  return hashToken((await createInvitation(client, invitation, ACTOR)) ?? '');
}

async function join(accountId: number, identity: Identity): Promise<void> {
  await acceptInvitation(client, await invite(accountId, identity.email, 'ada'), identity);
}

test.each([
  ['signs in', (identity: Identity) => refreshPerson(client, identity)],
  ['joins an account', async (identity: Identity) => join(await createAccount(client), identity)],
])('an invitation ends with its author, who meanwhile %s with a new address', async (_, comeBack) => {
  const accountId = await createAccount(client);
  const identityOf = (name: string, email: string) => {
    return { issuer: 'https://id', subject: `${name} ${accountId}`, email, name };
  };
  const ann = identityOf('ann', `ann${accountId}@old.org`);
  await join(accountId, ann);
  await join(accountId, identityOf('bob', `bob${accountId}@a.org`));
  const [hash, bobs] = [
    await invite(accountId, 'cyd@a.org', ann.email),
    await invite(accountId, 'dan@a.org', `bob${accountId}@a.org`),
  ];
  const email = `ann${accountId}@new.org`;
  await comeBack({ ...ann, email });
  const authors = (await listInvitations(client, accountId)).map(({ invitedBy }) => invitedBy);
  expect(authors).toEqual([`bob${accountId}@a.org`, email]);
  const { members } = await listMembers(client, accountId, { limit: 10, after: null });
  const personId = members.find((each) => each.email === email)?.personId ?? 0;
  await removeMember(client, { accountId, account: 'acme', personId }, ACTOR);
  expect(await findInvitation(client, hash)).toBeNull();
  expect(await findInvitation(client, bobs)).not.toBeNull();
});
