import { createKey } from '../../ops/commands/keys.ts';
import { currentActor, inOneTransaction } from '../../ops/database.ts';
import { generateApiKey } from '../../schemas/api-key.ts';
import { setAccountSuspended } from '../../store/accounts/accounts.ts';
import { issueKey, revokeKey } from '../../store/accounts/issued-keys.ts';

const ACCOUNT = { account: 'refused', plan: 'internal' };

/** Keys that may not read the stream, by the reason; null means no key. */
export async function createRefusedKeys(databaseUrl: string): Promise<Map<string, string | null>> {
  const good = await createKey({ databaseUrl, ...ACCOUNT });
  const revoked = await inOneTransaction(databaseUrl, async (client) => {
    const issued = await issueKey(
      client,
      { ...ACCOUNT, scopes: ['stream:read'], expiresAt: null },
      currentActor(),
    );
    await revokeKey(client, issued.id, currentActor());
    return issued.key;
  });
  const suspended = await createKey({ databaseUrl, account: 'suspended', plan: 'internal' });
  await inOneTransaction(databaseUrl, (client) =>
    setAccountSuspended(client, 'suspended', true, currentActor()),
  );
  return new Map([
    ['missing', null],
    ['unknown', generateApiKey()],
    ['mistyped', good.slice(0, -1) + (good.endsWith('0') ? '1' : '0')],
    ['revoked', revoked],
    ['expired', await createKey({ databaseUrl, ...ACCOUNT, expiresAt: new Date(0) })],
    ['suspended', suspended],
    ['without the scope', await createKey({ databaseUrl, ...ACCOUNT, scopes: ['data:read'] })],
  ]);
}
