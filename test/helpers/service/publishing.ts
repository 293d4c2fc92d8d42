import type { ConsoleClient } from '../console/console-client.ts';
import { until } from '../until.ts';

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

/** Waits for a rejection in whose row of the console's list a text is. @returns the address of its page */
export async function findRejection(operator: ConsoleClient, text: string): Promise<string> {
  let place = '';
  await until(`${text} is rejected`, async () => {
    const { html } = await operator.get('/console/operator/rejected');
    const rows = html.split('<tr').slice(1);
    const row = rows.find((each) => each.includes(text)) ?? '';
    [, place = ''] = /href="(\/console\/operator\/rejected\/\d+\/[^"]+?)"/.exec(row) ?? [];
    return place !== '';
  });
  return place;
}
