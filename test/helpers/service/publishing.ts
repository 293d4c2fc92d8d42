import type { ConsoleClient } from '../console/console-client.ts';

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
