import { beforeAll, expect, test } from '@jest/globals';
import type { ConsoleContext } from '../../../gateway/console/context.ts';
import type { PageRequest } from '../../../gateway/console/page.ts';
import { listEndorsers } from '../../../gateway/console/publishing/own-position.ts';
import { lines, loadCatalogue } from '../../helpers/ballots/catalogue.ts';
import { category, endorser } from '../../helpers/ballots/catalogue-records.ts';
import { createAccount } from '../../helpers/postgres/accounts.ts';
import { usePool, useTestDatabase } from '../../helpers/postgres/database.ts';

const { url, client } = useTestDatabase();
const pool = usePool(url);
const slugs = Array.from({ length: 501 }, (_, index) => `local-${String(index).padStart(3, '0')}`);
let accountId: number;

beforeAll(async () => {
  await loadCatalogue(url, [
    ['endorser-categories', category()],
    ...lines(
      'endorsers',
      slugs.map((slug) => endorser({ slug, name: slug })),
    ),
  ]);
  accountId = await createAccount(client);
  await client.query('INSERT INTO account_endorsers (account_id, endorser_id) SELECT $1, id FROM endorsers', [
    accountId,
  ]);
});

async function offered(query: string, form = ''): Promise<string[]> {
  const request = {
    session: { accountId },
    query: new URLSearchParams(query),
    form: new URLSearchParams(form),
  } as unknown as PageRequest;
  return (await listEndorsers(request, { pool } as unknown as ConsoleContext)).map(({ slug }) => slug);
}

test('of very many endorsers, a page offers the first, and the one of its address or form always', async () => {
  const first = slugs.slice(0, 500);
  expect(await offered('')).toEqual(first);
  expect(await offered('endorser=local-007')).toEqual(first);
  expect(await offered('endorser=nobody')).toEqual(first);
  const withLast = [...slugs.slice(0, 499), 'local-500'];
  expect(await offered('endorser=local-500')).toEqual(withLast);
  expect(await offered('endorser=local-007', 'endorser=local-500')).toEqual(withLast);
});
