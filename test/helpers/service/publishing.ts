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

/** Uploads a table in the console. @returns the id of the upload */
export async function uploadInConsole(
  client: ConsoleClient,
  lines: readonly string[],
  fields: { endorser?: string; election?: string; name?: string } = {},
): Promise<number> {
  const { name = 'list.csv', ...settings } = fields;
  const file = { name, text: `${lines.join('\n')}\n` };
  const { location, html } = await client.postFile('/console/endorsements/uploads', settings, file);
  if (location === '') throw new Error(`The table was refused: ${html}`);
  return Number(location.split('/').at(-1));
}
