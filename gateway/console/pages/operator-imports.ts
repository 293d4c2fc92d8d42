import type { Order } from '../../../administration/catalogue/file-work.ts';
import { inTransaction } from '../../../store/connection/transaction.ts';
import {
  CATALOGUE_FILE_DAYS,
  type CatalogueFile,
  changeCatalogueOptions,
  deleteCatalogueFile,
  listCatalogueFiles,
  MAX_CATALOGUE_FILES,
  saveCatalogueFile,
} from '../../../store/console/catalogue-files.ts';
import { TooManyFilesError } from '../../../store/console/make-room.ts';
import { actorOf } from '../actor.ts';
import { FileTable } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { MAX_FILE } from '../file-form.ts';
import { html } from '../html.ts';
import { showFile } from '../imports/file-page.ts';
import { addressOf, CONSENT_FIELD, findFile, IMPORTS, SEEN_FIELD } from '../imports/import-file.ts';
import { ImportOptionFields, readEntries, readImportOptions } from '../imports/import-options.ts';
import { Form } from '../layout.ts';
import { defineForm, definePage, type PageReply, type PageRequest, type ShownPage } from '../page.ts';
import { replacesUnseen } from '../shown-values.ts';

/** How long a form waits for its work, in milliseconds. The page then says that the work continues. */
const WAIT_MS = 3_000;

const BUSY = 'The service works on another catalogue file: try again when it is done.';

const stateOf = ({ importedAt, isWorkedOn }: CatalogueFile<never>): string =>
  isWorkedOn ? 'in work' : importedAt ? 'imported' : 'not imported';

/** The form for a file, and the files. @param problem why a file was not taken */
async function showFiles(
  { form }: PageRequest,
  { pool }: ConsoleContext,
  problem: string | null = null,
): Promise<ShownPage> {
  const files = await listCatalogueFiles(pool);
  return {
    title: 'Catalogue imports',
    problem,
    body: html`
      <p>Choose a file of the catalogue: lines of JSON such as contests.ndjson, or a table (CSV or TSV), at most ${MAX_FILE}. You see what its import would change before anything is changed.</p>
      <${Form} action=${IMPORTS} class="card" hasFile>
        <label>File <input type="file" name="file" accept=".ndjson,.csv,.tsv,.txt" required /></label>
        <${ImportOptionFields} options=${readEntries(form)} />
        <button>Upload</button>
      <//>
      <${FileTable} caption="Uploaded files" files=${files.map((file) => ({ ...file, address: addressOf(file), state: stateOf(file) }))} />
      <p class="muted">There are at most ${MAX_CATALOGUE_FILES} files. Each is kept for ${CATALOGUE_FILE_DAYS} days after its last change. Larger files, and feeds, need the command <code>catalog import</code>.</p>`,
  };
}

/** Works on a file, and shows its page once the work is done or takes long. */
async function work(
  request: PageRequest,
  context: ConsoleContext,
  { id, order }: { id: number; order: Order },
): Promise<PageReply> {
  const { catalogueFiles } = context;
  if (!(await catalogueFiles.start(id, order))) {
    return showFile(await findFile({ ...request, path: { id: String(id) } }, context), {
      problem: BUSY,
      status: 409,
    });
  }
  await catalogueFiles.wait(WAIT_MS);
  return { redirect: addressOf({ id }) };
}

async function takeFile(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { file, form, session } = request;
  if (file === null) {
    const problem = 'Choose a file that is not empty. A browser does not keep the choice of a file.';
    return showFiles(request, context, problem);
  }
  const options = readImportOptions(form, file.name);
  if (options === null) {
    const problem = `The name ${file.name} does not say what the file has: say it in the form, and choose the file again.`;
    return showFiles(request, context, problem);
  }
  try {
    const { person } = session;
    const id = await inTransaction(context.pool, (client) =>
      saveCatalogueFile(client, { person, fileName: file.name, content: file.content, options }),
    );
    return work(request, context, { id, order: { work: 'compare' } });
  } catch (error) {
    if (!(error instanceof TooManyFilesError)) throw error;
    return showFiles(request, context, `${error.message} Import or delete one of them first.`);
  }
}

async function compareAgain(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const file = await findFile(request, context);
  if (file.isWorkedOn || file.importedAt) return { redirect: addressOf(file) };
  const { form } = request;
  const options = readImportOptions(form, file.fileName) ?? { ...file.options, ...readEntries(form) };
  if (replacesUnseen(form, file.options, options)) {
    const problem =
      'Somebody else has changed how to import the file since you opened the page, so your choice is not saved. The form below has theirs.';
    return showFile(file, { problem, status: 409 });
  }
  await changeCatalogueOptions(context.pool, file.id, options);
  return work(request, context, { id: file.id, order: { work: 'compare' } });
}

/** Imports what the preview has shown, and nothing else. */
async function importSeen(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const { form, session } = request;
  const file = await findFile(request, context);
  const { id, outcome } = file;
  if (file.isWorkedOn || file.importedAt) return { redirect: addressOf(file) };
  const refuse = (problem: string) => showFile(file, { problem, status: 409 });
  const seen = form.get(SEEN_FIELD);
  if (outcome === null || seen !== outcome.digest) {
    return refuse('The preview has changed since the page was opened, so nothing was imported.');
  }
  const { consent } = outcome;
  if (consent !== null && form.get(CONSENT_FIELD) !== String(consent)) {
    return refuse('Nothing was imported: agree to what the import takes away first.');
  }
  return work(request, context, { id, order: { work: 'import', seen, consent, actor: actorOf(session) } });
}

async function remove(request: PageRequest, context: ConsoleContext): Promise<PageReply> {
  const file = await findFile(request, context);
  // Somebody has begun its import, or has imported it, since the page was opened.
  if (file.isWorkedOn || file.importedAt) return { redirect: addressOf(file) };
  await deleteCatalogueFile(context.pool, file.id);
  return { redirect: IMPORTS };
}

/** Imports of catalogue files by operators without a shell: the upload, the preview and the import. */
export const operatorImportPages = [
  definePage(IMPORTS, 'operator', showFiles),
  defineForm(IMPORTS, 'operator', takeFile, { takesFile: true }),
  definePage(`${IMPORTS}/{id}`, 'operator', async (request, context) =>
    showFile(await findFile(request, context)),
  ),
  defineForm(`${IMPORTS}/{id}`, 'operator', compareAgain),
  defineForm(`${IMPORTS}/{id}/import`, 'operator', importSeen),
  defineForm(`${IMPORTS}/{id}/delete`, 'operator', remove),
];
