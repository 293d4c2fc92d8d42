import { expect, test } from '@jest/globals';
import type { ConsoleContext } from '../../../gateway/console/context.ts';
import { html, renderDocument } from '../../../gateway/console/html.ts';
import type { PageRequest } from '../../../gateway/console/page.ts';
import { showReceipt } from '../../../gateway/console/publishing/receipt.ts';
import { ApiError } from '../../../gateway/http/api-error.ts';

/** The text of a receipt for what the API answers. */
async function show(call: () => Promise<unknown>): Promise<string> {
  const context = { api: { call } } as unknown as ConsoleContext;
  const { body } = await showReceipt({} as PageRequest, context, { id: 7 });
  return renderDocument(html`<body>${body}</body>`);
}

const outcomes = (...submissions: object[]) => ({
  data: { id: 7, submissions: submissions.map((each) => ({ endorser: 'e', contest: 'c', ...each })) },
});

test('a receipt says what is known, and offers to look again until all is known', async () => {
  const [done, onItsWay, rejected] = await Promise.all([
    show(async () => outcomes({ status: 'applied', events: ['event-1'] }, { status: 'unchanged' })),
    show(async () => outcomes({ status: 'applied', events: [] }, { status: 'submitted' })),
    show(async () => outcomes({ status: 'rejected', reason: { code: 'c', message: 'No such contest.' } })),
  ]);
  expect(done).toContain('<code>event-1</code>');
  expect([done, onItsWay, rejected].map((page) => page.includes('Look again'))).toEqual([false, true, false]);
  expect(onItsWay).toContain('on its way');
  expect(rejected).toContain('No such contest.');
});

test('the receipt at its own address looks again by itself while something is on its way', async () => {
  const scriptOf = async (status: string, children?: string) => {
    const context = { api: { call: async () => outcomes({ status }) } } as unknown as ConsoleContext;
    return (await showReceipt({} as PageRequest, context, { id: 7, ...(children && { children }) })).script;
  };
  expect(await scriptOf('submitted')).toBe('look-again');
  expect(await scriptOf('applied')).toBeUndefined();
  // A form's answer has the button "Undo", which another look would lose.
  expect(await scriptOf('submitted', 'Undo')).toBeUndefined();
});

test('a receipt that the service cannot show yet says that nothing is lost', async () => {
  const busy = await show(async () => {
    throw new ApiError('server_busy', 'Too many requests wait.');
  });
  expect(busy).toMatch(/stored safely.*Too many requests wait\..*Look again/s);
  const gone = show(async () => {
    throw new ApiError('not_found', 'The account has no submissions 7.');
  });
  await expect(gone).rejects.toThrow('no submissions 7');
});
