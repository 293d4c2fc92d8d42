import { expect, test } from '@jest/globals';
import type { ConsoleContext } from '../../../gateway/console/context.ts';
import { html, renderDocument } from '../../../gateway/console/html.ts';
import type { PageRequest } from '../../../gateway/console/page.ts';
import { showSending } from '../../../gateway/console/uploads/sending-page.ts';
import { systemClock } from '../../../service/clock.ts';
import type { Upload, UploadBatch } from '../../../store/console/uploads.ts';

test('the receipt of an upload waits for its last batch, and shows what the others have become meanwhile', async () => {
  const rows: UploadBatch[] = [1, 2, 3].map((ordinal) => ({
    ordinal,
    count: 2,
    publicationId: 10 + ordinal,
  }));
  const waits: string[] = [];
  const call = async (_request: PageRequest, { query }: { query: URLSearchParams }) => {
    const wait = query.get('wait') ?? '';
    waits.push(wait);
    // Everything is applied during the wait.
    const status = waits.some((each) => each !== '0') ? 'applied' : 'submitted';
    const submissions = [1, 2].map(() => ({ endorser: 'e', contest: 'c', status, events: [] }));
    return { data: { submissions } };
  };
  const query = async (text: string) => ({ rows: text.includes('ORDER BY ordinal') ? rows : [] });
  const context = { pool: { query }, api: { call }, clock: systemClock } as unknown as ConsoleContext;
  const request = { query: new URLSearchParams(), session: {} } as unknown as PageRequest;
  const upload = { id: 1, fileName: 'list.csv', changedAt: new Date(), undoes: null } as Upload;
  const { body } = await showSending(request, context, { upload });
  const page = renderDocument(html`<body>${body}</body>`);
  expect(page).toContain('6 of 6 submissions are sent.');
  expect(page).toContain('6 on the stream');
  expect(page).not.toContain('on their way');
  expect(waits.filter((wait) => wait === '0')).toHaveLength(2);
});
