import { definePage } from '../page.ts';
import { PageError } from '../page-error.ts';
import { showReceipt } from '../publishing/receipt.ts';
import { readRowId } from '../row-id.ts';

/** The receipts of publications. */
export const receiptPages = [
  definePage('/console/endorsements/receipts/{id}', 'editor', async (request, context) => {
    const id = readRowId(request.path.id);
    if (id === null) throw new PageError(404, 'There is no such receipt.');
    return showReceipt(request, context, { id });
  }),
];
