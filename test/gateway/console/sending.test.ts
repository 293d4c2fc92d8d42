import { expect, test } from '@jest/globals';
import type { ConsoleContext } from '../../../gateway/console/context.ts';
import { html, renderDocument } from '../../../gateway/console/html.ts';
import type { PageRequest } from '../../../gateway/console/page.ts';
import { showSending } from '../../../gateway/console/uploads/sending-page.ts';
import { ApiError } from '../../../gateway/http/api-error.ts';
import { systemClock } from '../../../service/clock.ts';
import type { Upload, UploadBatch } from '../../../store/console/uploads.ts';

/** The receipt of an upload of three sent batches. @param statusOf the outcome of a publication's submissions */
async function showReceipt(statusOf: (id: string, wait: string) => string): Promise<string> {
  const rows: UploadBatch[] = [1, 2, 3].map((ordinal) => ({
    ordinal,
    count: 2,
    publicationId: 10 + ordinal,
  }));
  const call = async (
    _request: PageRequest,
    { parameters: { id = '' }, query }: { parameters: Record<string, string>; query: URLSearchParams },
  ) => {
    const status = statusOf(id, query.get('wait') ?? '');
    return { data: { submissions: [1, 2].map(() => ({ endorser: 'e', contest: 'c', status, events: [] })) } };
  };
  const query = async (text: string) => ({ rows: text.includes('ORDER BY ordinal') ? rows : [] });
  const context = { pool: { query }, api: { call }, clock: systemClock } as unknown as ConsoleContext;
  const request = { query: new URLSearchParams(), session: {} } as unknown as PageRequest;
  const upload = { id: 1, fileName: 'list.csv', changedAt: new Date(), undoes: null } as Upload;
  const { body } = await showSending(request, context, { upload });
  return renderDocument(html`<body>${body}</body>`);
}

test('the receipt of an upload waits for its last batch, and shows what the others have become meanwhile', async () => {
  const waits: string[] = [];
  const page = await showReceipt((_, wait) => {
    waits.push(wait);
    // Everything is applied during the wait.
    return waits.some((each) => each !== '0') ? 'applied' : 'submitted';
  });
  expect(page).toContain('6 of 6 submissions are sent.');
  expect(page).toContain('6 on the stream');
  expect(page).not.toContain('on their way');
  expect(waits.filter((wait) => wait === '0')).toHaveLength(2);
});

test('the receipt of an upload counts the submissions of all batches whose outcomes are not known', async () => {
  const page = await showReceipt((id) => {
    if (id !== '13') throw new ApiError('server_busy', 'Too many requests wait for outcomes.');
    return 'applied';
  });
  expect(page).toContain('The outcomes of 4 cannot be shown: Too many requests wait for outcomes.');
  expect(page).toContain('2 on the stream');
  expect(page).toContain('>Look again</a>');
});
