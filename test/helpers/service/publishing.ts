import type { ConsoleClient } from '../console/console-client.ts';
import type { TestService } from './service.ts';

/** Allows an account to publish for endorsers, without the service. */
export async function allowEndorsers(
  service: Pick<TestService, 'query'>,
  account: string,
  slugs: readonly string[],
): Promise<void> {
  await service.query(
    `INSERT INTO account_endorsers SELECT a.id, e.id FROM accounts a, endorsers e
     WHERE a.name = $1 AND e.slug = ANY($2) ON CONFLICT DO NOTHING`,
    [account, slugs],
  );
}

/** Publishes a position in the console. @returns the id of the receipt */
export async function publishInConsole(
  client: ConsoleClient,
  contest: number,
  fields: { endorser: string; choice: string },
): Promise<number> {
  const form = await client.get(`/console/endorsements/${contest}?endorser=${fields.endorser}`);
  const [, version = ''] = /name="version" value="([^"]+)"/.exec(form.html) ?? [];
  const { html } = await client.post(`/console/endorsements/${contest}`, { ...fields, version });
  return Number(/receipts\/(\d+)/.exec(html)?.[1]);
}
