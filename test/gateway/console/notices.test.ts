import { expect, test } from '@jest/globals';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const PAGES = ['/console/keys', '/console/people', '/console/subscriptions', '/console/operator/accounts/1'];

test.each(['__proto__', 'constructor', 'toString', 'nothing', ''])(
  'pages have no notice for the unknown word "%s" in their address',
  async (word) => {
    const operator = await ConsoleClient.signIn(service, { role: 'operator' });
    for (const path of PAGES) {
      const { html } = await operator.get(`${path}?done=${word}`);
      expect([path, html.includes('class="notice')]).toEqual([path, false]);
    }
  },
);

test('a known word has its notice', async () => {
  const operator = await ConsoleClient.signIn(service, { role: 'operator' });
  for (const [path, text] of [
    ['/console/keys?done=revoked', 'The key is revoked'],
    ['/console/people?done=removed', 'The person is removed'],
    ['/console/subscriptions?done=deleted', 'The subscription is deleted'],
    ['/console/operator/accounts/1?done=resumed', 'The account is resumed'],
  ] as const) {
    expect((await operator.get(path)).html).toContain(
      `<p class="notice good" tabindex="-1" autofocus role="status">${text}`,
    );
  }
});
