import { expect } from '@jest/globals';
import { createIo, createRunner } from '../commands/command-io.ts';
import { createCheckout } from './people-checkout.ts';

const run = createRunner('officeholders');

/** Loads a checkout with these files, by their paths below `data/`, into a database. */
export async function importPeople(
  databaseUrl: string,
  files: Record<string, string>,
  now = new Date(),
): Promise<void> {
  const checkout = await createCheckout(files);
  const io = createIo({ DATABASE_URL: databaseUrl }, { now });
  expect(await run(['import', checkout.dir], io).finally(checkout.remove)).toBe(0);
}
