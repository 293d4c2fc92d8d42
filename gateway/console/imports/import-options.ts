import { kindOfFile } from '../../../administration/catalogue/file-kind.ts';
import { CATALOGUE_KINDS } from '../../../schemas/catalogue-files.ts';
import { ELECTION_TYPES } from '../../../schemas/vocabulary.ts';
import type { CatalogueFileOptions } from '../../../store/console/catalogue-files.ts';
import { Select } from '../components.ts';
import { type Html, html } from '../html.ts';

type Format = Pick<CatalogueFileOptions, 'kind' | 'isTable'>;

/** The possible contents of a file, with their names for people. */
const FORMATS = new Map<string, { label: string; format: Format }>([
  ['table', { label: 'A table with a row for each choice', format: { kind: null, isTable: true } }],
  [
    'endorsers-table',
    { label: 'A table of endorsers', format: { kind: 'endorsers' as const, isTable: true } },
  ],
  ...CATALOGUE_KINDS.map((kind) => {
    const label = `Lines of JSON: ${kind.replace('-', ' ')}`;
    return [kind, { label, format: { kind, isTable: false } }] as const;
  }),
]);

const MAX_SLUG = 200;

/** The content of a file, by the person's word or else by its name; null if neither tells it. */
function formatOf(form: URLSearchParams, fileName: string): Format | null {
  const said = FORMATS.get(form.get('format') ?? '');
  if (said) return said.format;
  const kind = kindOfFile(fileName);
  if (/\.(csv|tsv|txt)$/i.test(fileName)) return { kind, isTable: true };
  return kind && { kind, isTable: false };
}

/** The options of a form, without a format if the form leaves that to the name of the file. */
type Entries = Omit<CatalogueFileOptions, keyof Format> & Partial<Format>;

export const readEntries = (form: URLSearchParams): Entries => ({
  ...FORMATS.get(form.get('format') ?? '')?.format,
  election: form.get('election')?.trim().slice(0, MAX_SLUG) || null,
  electionType: ELECTION_TYPES.find((type) => type === form.get('type')) ?? null,
  skipRefused: form.has('skip-refused'),
  keepMissing: form.has('keep-missing'),
  allowRenames: form.has('allow-renames'),
});

/** Reads the options of a form. @returns null if nothing says what the file has */
export function readImportOptions(form: URLSearchParams, fileName: string): CatalogueFileOptions | null {
  const format = formatOf(form, fileName);
  return format && { ...readEntries(form), ...format };
}

/** The fields of how a file is read, and of what its import may do. */
export function ImportOptionFields({ options }: { options: Entries }): Html {
  const chosen = [...FORMATS].find(
    ([, { format }]) => options.kind === format.kind && options.isTable === format.isTable,
  );
  return html`
    <${Select} label="The file has" name="format" options=${[...FORMATS].map(([value, { label }]) => [value, label])} chosen=${chosen?.[0] ?? null} none="What its name says, such as contests.ndjson" />
    <fieldset>
      <legend>Only for tables</legend>
      <label>Election for rows that name no election (its slug) <input name="election" value=${options.election} maxlength=${MAX_SLUG} /></label>
      <${Select} label="Type of elections, if the rows do not say it" name="type" options=${ELECTION_TYPES.map((type) => [type, type.replace('_', ' ')])} chosen=${options.electionType} none="As the table says" />
    </fieldset>
    <label class="check"><input type="checkbox" name="keep-missing" value="yes" checked=${options.keepMissing} /> The file is only a part: keep contests and choices that it lacks (--keep-missing)</label>
    <label class="check"><input type="checkbox" name="skip-refused" value="yes" checked=${options.skipRefused} /> Leave refused records out, and import the others (--skip-refused)</label>
    <label class="check"><input type="checkbox" name="allow-renames" value="yes" checked=${options.allowRenames} /> Let choices keep their keys and become other people or answers, and measures get others' texts (--allow-renames)</label>`;
}
