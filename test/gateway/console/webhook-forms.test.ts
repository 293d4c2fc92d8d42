/** The list and the forms of webhooks, for what the API answers. */
import { describe, expect, test } from '@jest/globals';
import type { ConsoleContext } from '../../../gateway/console/context.ts';
import { html, renderDocument } from '../../../gateway/console/html.ts';
import type { PageReply, PageRequest, ShownPage } from '../../../gateway/console/page.ts';
import { webhookPages } from '../../../gateway/console/pages/webhooks.ts';
import { ApiError } from '../../../gateway/http/api-error.ts';
import type { ErrorCode } from '../../../schemas/errors.ts';

const HOOK = {
  ...{ id: 7, name: 'Ours', url: 'https://a.example/', subscription: null, filter: { states: ['OR', 'CA'] } },
  ...{ state: 'active', reason: null, delivered_events: 1200, last_attempt: null, next_attempt_at: null },
  ...{ failing_since: null, updated_at: '2026-11-03T12:00:00.000Z' },
};
type Call = {
  method?: string;
  path: string;
  body?: unknown;
  unchangedSince?: string;
  idempotencyKey?: string;
};

/** Asks for a page. @param answer what the API answers to a call about webhooks */
async function ask(
  [method, path]: ['GET' | 'POST', string],
  answer: (call: Call) => unknown,
  { form = {}, role = 'owner' }: { form?: Record<string, string>; role?: string } = {},
) {
  const calls: Call[] = [];
  const call = async (_: unknown, made: Call) => {
    if (made.path.includes('categor')) return { data: [] };
    if (made.path.includes('subscriptions'))
      return { data: [3, 4].map((id) => ({ id, name: `Filter ${id}`, filter: {}, updated_at: '' })) };
    calls.push(made);
    return answer(made);
  };
  const page = webhookPages.find((each) => each.method === method && each.path === path);
  const request = {
    ...{ path: { id: '7' }, query: new URLSearchParams(), form: new URLSearchParams(form) },
    session: { accountId: 1, role },
  };
  const context = { api: { call } } as unknown as ConsoleContext;
  const reply = (await page?.handle(request as unknown as PageRequest, context)) as PageReply;
  const text = 'body' in reply ? renderDocument(html`<body>${reply.problem}${reply.body}</body>`) : '';
  return { reply, text, calls };
}
const refuse = (code: ErrorCode) => {
  throw new ApiError(code, `refused as ${code}.`);
};
const LIST = ['GET', '/console/webhooks'] as const;
const EDIT = ['POST', '/console/webhooks/{id}/edit'] as const;
const valueIn = (text: string, name: string) =>
  new RegExp(`name="${name}"[^>]*? value="([^"]*)"`).exec(text)?.[1];

describe('the list of webhooks', () => {
  test('tells what is disabled, unless the account has done it itself', async () => {
    const disabled = (id: number, reason: string) => ({
      ...HOOK,
      id,
      name: reason,
      state: 'disabled',
      reason,
    });
    const data = [HOOK, disabled(8, 'by_account'), disabled(9, 'receiver_gone'), disabled(10, 'by_operator')];
    const { text } = await ask([...LIST], () => ({ data }));
    const notices = [...text.matchAll(/<p class="notice bad"[^>]*><a href="([^"]*)"/g)].map(([, to]) => to);
    expect(notices).toEqual(['/console/webhooks/9', '/console/webhooks/10']);
    expect(text).toContain('1,200');
    expect(text).toContain('States: OR, CA');
    expect(text.match(/<tr class="over">/g)).toHaveLength(3);
  });

  test('offers a new one to owners, and says if the service has none', async () => {
    const data = [{ ...HOOK, subscription: { id: 3, name: 'Mine' } }];
    const [owner, member] = [
      await ask([...LIST], () => ({ data })),
      await ask([...LIST], () => ({ data }), { role: 'member' }),
    ];
    expect([owner, member].map(({ text }) => text.includes('Add a webhook'))).toEqual([true, false]);
    expect(owner.text).toContain('Subscription Mine');
    const none = await ask([...LIST], () => refuse('not_available'));
    expect(none.text).toContain('does not deliver to webhooks');
    expect(none.text).not.toContain('Add a webhook');
    await expect(ask([...LIST], () => refuse('server_busy'))).rejects.toThrow('refused as server_busy');
  });
});

describe('the form of a webhook', () => {
  const FORM = {
    name: 'New',
    url: ' https://b.example ',
    subscription: '',
    states: 'OR',
    version: HOOK.updated_at,
  };

  test('shows its values: the subscription that it follows, or its filter', async () => {
    const show = ['GET', '/console/webhooks/{id}/edit'] as const;
    const own = await ask([...show], () => ({ data: HOOK }));
    expect([valueIn(own.text, 'name'), valueIn(own.text, 'url'), valueIn(own.text, 'version')]).toEqual([
      ...['Ours', 'https://a.example/', HOOK.updated_at],
    ]);
    expect(own.text).not.toMatch(/value="3" selected/);
    const following = { ...HOOK, subscription: { id: 4, name: 'Filter 4' } };
    const { text } = await ask([...show], () => ({ data: following }));
    expect(text).toMatch(/value="4" selected/);
    const missing = ask([...show], () => refuse('not_found'));
    await expect(missing).rejects.toMatchObject({ status: 404 });
  });

  test('saves what it says, as the version that it has shown', async () => {
    const { calls, reply } = await ask([...EDIT], () => ({}), { form: FORM });
    expect(calls).toEqual([
      {
        ...{
          method: 'PUT',
          path: '/v1/webhooks/{id}',
          parameters: { id: '7' },
          unchangedSince: HOOK.updated_at,
        },
        body: { name: 'New', url: 'https://b.example', filter: { states: ['OR'] } },
      },
    ]);
    expect(reply).toEqual({ redirect: '/console/webhooks/7?done=saved' });
  });

  test('that somebody else was faster than keeps its entries, and can then replace theirs', async () => {
    const theirs = {
      ...HOOK,
      name: 'Theirs',
      url: 'https://c.example/',
      updated_at: '2026-11-03T13:00:00.000Z',
    };
    const answer = ({ method }: Call) => (method === 'PUT' ? refuse('conflict') : { data: theirs });
    const { text, reply } = await ask([...EDIT], answer, { form: FORM });
    expect((reply as ShownPage).status).toBe(409);
    expect(text).toContain(
      'refused as conflict. Somebody has changed the webhook meanwhile: it is Theirs, https://c.example/',
    );
    expect([valueIn(text, 'name'), valueIn(text, 'version')]).toEqual(['New', theirs.updated_at]);
  });

  test('that is refused for another reason says that alone', async () => {
    const answer = ({ method }: Call) => (method === 'PUT' ? refuse('invalid_webhook') : { data: HOOK });
    const { text, reply } = await ask([...EDIT], answer, { form: FORM });
    expect([(reply as ShownPage).status, text.includes('refused as invalid_webhook.')]).toEqual([400, true]);
    expect(text).not.toContain('Somebody has changed');
    await expect(ask([...EDIT], () => refuse('internal_error'), { form: FORM })).rejects.toThrow(
      'internal_error',
    );
  });

  test('of a new one makes it once, shows its secret, and keeps its entries if it is refused', async () => {
    const add = ['POST', '/console/webhooks'] as const;
    const form = { ...FORM, form: '5f2d1c1e-0b57-4c8e-9f57-2d1f9b7c0001', subscription: '3' };
    const made = await ask([...add], () => ({ data: { ...HOOK, secret: 'whsec_1' } }), { form });
    expect(made.calls).toMatchObject([
      {
        method: 'POST',
        idempotencyKey: expect.stringMatching(`^${form.form}[.]`),
        body: { name: 'New', subscription: 3 },
      },
    ]);
    expect(made.text).toContain('<code>whsec_1</code>');
    const refused = await ask([...add], () => refuse('conflict'), { form });
    expect((refused.reply as ShownPage).status).toBe(409);
    expect([valueIn(refused.text, 'name'), /value="3" selected/.test(refused.text)]).toEqual(['New', true]);
    // A webhook must not get every change because its subscription was deleted meanwhile.
    const late = await ask([...add], () => refuse('invalid_webhook'), {
      form: { ...form, subscription: '5' },
    });
    expect(late.text).toContain('<option value="5" selected>');
    // A form that was refused under its id may be sent again under another one.
    expect(valueIn(refused.text, 'form')).toMatch(/^[0-9a-f-]{36}$/);
    expect(valueIn(refused.text, 'form')).not.toBe(form.form);
  });
});
