import type { FileOutcome } from '../../../administration/catalogue/uploaded-file.ts';
import { type CatalogueFile, findCatalogueFile } from '../../../store/console/catalogue-files.ts';
import type { ConsoleContext } from '../context.ts';
import type { PageRequest } from '../page.ts';
import { PageError } from '../page-error.ts';
import { readRowId } from '../row-id.ts';

export const IMPORTS = '/console/operator/imports';
export const addressOf = ({ id }: { id: number }): string => `${IMPORTS}/${id}`;

export type UploadedFile = CatalogueFile<FileOutcome>;

/** The digest of the outcome that the preview has shown, so that nothing else is imported. */
export const SEEN_FIELD = 'seen';
/** The number of removals to which the person agrees. */
export const CONSENT_FIELD = 'consent';

/** Finds the file in the path. @throws PageError 404 if it does not exist, or was deleted */
export async function findFile({ path }: PageRequest, { pool }: ConsoleContext): Promise<UploadedFile> {
  const id = readRowId(path.id);
  const file = id && (await findCatalogueFile<FileOutcome>(pool, id));
  if (!file) throw new PageError(404, 'There is no such catalogue file, or it was deleted.');
  return file;
}

/** The number of records that an import adds, changes and removes. */
export const countChanges = ({ counts }: FileOutcome): number =>
  Object.values(counts).reduce((sum, { added, changed, removed }) => sum + added + changed + removed, 0);
