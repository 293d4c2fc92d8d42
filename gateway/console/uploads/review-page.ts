import type { ClientBase } from 'pg';
import type { SeenRow } from '../../../administration/intake/table-work.ts';
import { type Review, ROWS_ON_PAGE, reviewUpload } from '../../../administration/uploads/review.ts';
import type { Fate } from '../../../intake/endorsements/outcome.ts';
import { TableError } from '../../../intake/tables/table-error.ts';
import type { Upload, UploadDecision } from '../../../store/console/uploads.ts';
import { Notice, Table } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { Form } from '../layout.ts';
import { countThat, number } from '../number.ts';
import type { ShownPage } from '../page.ts';
import { listElections } from '../publishing/own-position.ts';
import { ShownValues } from '../shown-values.ts';
import { SEEN_FIELD } from './preview-page.ts';
import { describeRow, RowChoices } from './row-choices.ts';
import { ColumnFields, SettingFields } from './settings-form.ts';
import { addressOf, type PageWork, UPLOADS } from './upload.ts';

const FATES: Readonly<Record<Fate, string>> = {
  exact: 'exact',
  decided: 'decided',
  close: 'close',
  ambiguous: 'ambiguous',
  none: 'without a match',
  'left out': 'left out',
  'not representable': 'that no endorsement can say',
  refused: 'that cannot be used',
};

export interface ReviewOptions {
  /** The line after which rows are asked about. */
  after: number;
  /** The form's decisions about rows that somebody else has decided on since, by line. */
  refused?: ReadonlyMap<string, UploadDecision | null>;
  problem?: string;
  status?: number;
  /** Whether the problem is about the settings, which are shown then. */
  showsSettings?: boolean;
}

/** The review of an upload: what its rows mean, and which ones need a decision. */
export async function showReview(
  context: ConsoleContext,
  { client, work, options }: { client: ClientBase; work: PageWork; options: ReviewOptions },
): Promise<ShownPage> {
  const { upload } = work;
  const { after, problem, status = 200, showsSettings = false } = options;
  const review = await reviewUpload(client, work, after).catch((error: unknown) => {
    if (error instanceof TableError) return error.problem;
    throw error;
  });
  const isReadable = typeof review !== 'string';
  const elections = await listElections(client, context, upload.settings.election);
  return {
    title: `Upload: ${upload.fileName}`,
    problem,
    status: isReadable ? status : 400,
    body: html`
      ${
        isReadable
          ? html`<${Summary} review=${review} work=${work} />`
          : html`<${Notice} kind="bad">${review} Nothing is lost: below, say what the columns hold, or choose the endorser and the election of all rows. If the first line of the file is an endorsement, put a line with the names of the columns above it, and upload the file again.<//>`
      }
      ${isReadable && html`<${Questions} review=${review} work=${work} options=${options} />`}
      ${isReadable && html`<${Listed} review=${review} />`}
      <details open=${!isReadable || showsSettings}>
        <summary>Endorser, election and columns</summary>
        <${Form} action=${`${addressOf(upload)}/settings`} class="card">
          <${ShownValues} values=${upload.settings} />
          <${SettingFields} endorsers=${work.endorsers} elections=${elections} settings=${upload.settings} />
          <${ColumnFields} header=${upload.header} settings=${upload.settings} />
          <button>Read the table again</button>
        <//>
      </details>
      <${DeleteForm} upload=${upload} />
      <p><a href=${UPLOADS}>All uploads</a></p>`,
  };
}

/** The form to delete an upload, if it is still as the page shows it: somebody may have sent it since. */
export function DeleteForm({ upload }: { upload: Pick<Upload, 'id' | 'state'> }): Html {
  return html`
    <${Form} action=${`${addressOf(upload)}/delete`}>
      <input type="hidden" name=${SEEN_FIELD} value=${upload.state} />
      <button class="plain">Delete this upload</button>
    <//>`;
}

function Summary({
  review: { read, unused, counts, rows, open },
  work,
}: {
  review: Review;
  work: PageWork;
}): Html {
  const present = (Object.keys(FATES) as Fate[]).filter((fate) => counts.get(fate));
  return html`
    <p>Read as ${read}. ${rows === 1 ? '1 row' : `${number.format(rows)} rows`}: ${present.map((fate) => `${number.format(counts.get(fate) ?? 0)} ${FATES[fate]}`).join(', ')}.</p>
    ${unused.length > 0 && html`<p>Columns that are not used: ${unused.map(isolateName).join(', ')}. If one of them has a statement or a source, say so below.</p>`}
    <p>${
      open === 0
        ? 'No row needs a decision.'
        : `${countThat(open, 'row', 'needs', 'need')} a decision, and ${open === 1 ? 'is' : 'are'} left out until then.`
    } Decisions count for later rows with the same names, and are remembered for the account's next table when this one is sent.</p>
    <p><a class="button" href=${`${addressOf(work.upload)}/preview`}>Preview</a></p>`;
}

function Questions(props: { review: Review; work: PageWork; options: ReviewOptions }): Html | null {
  const { review, work, options } = props;
  const { asked, askedBefore, askedInAll } = review;
  const address = addressOf(work.upload);
  if (askedInAll === 0) return null;
  if (asked.length === 0) {
    return html`<h2>Rows to decide on</h2><p>That was the last row.${review.open > 0 && ` ${countThat(review.open, 'row', 'still needs', 'still need')} a decision.`} <a href=${address}>Begin with the first again</a></p>`;
  }
  const first = askedBefore + 1;
  const last = askedBefore + asked.length;
  return html`
    <h2>Rows to decide on</h2>
    <p>${number.format(first)} to ${number.format(last)} of ${number.format(askedInAll)}.${options.after > 0 && html` <a href=${address}>Begin with the first again</a>`} For another choice, open its contest at <a href="/console/endorsements">Our endorsements</a>: its key stands there under “Statement and source”.</p>
    <${Form} action=${address}>
      <input type="hidden" name="after" value=${options.after} />
      ${asked.map((seen) => html`<${RowChoices} seen=${seen} stored=${work.upload.decisions[seen.line]} refused=${options.refused?.get(String(seen.line))} endorsers=${work.endorsers} />`)}
      <button>${last < askedInAll ? `Save, and show the next ${Math.min(ROWS_ON_PAGE, askedInAll - last)}` : 'Save'}</button>
    <//>`;
}

function Listed({ review: { listed, counts } }: { review: Review }): Html[] {
  return [...listed].flatMap(([fate, rows]) => {
    const count = counts.get(fate) ?? 0;
    if (rows.length === 0) return [];
    const title = `${number.format(count)} ${count === 1 ? 'row' : 'rows'} ${FATES[fate]}`;
    return [
      html`
      <details open=${fate !== 'exact'}>
        <summary>${title}</summary>
        <${Table} caption=${title} head=${['Line', 'The row', fate === 'exact' ? 'Means' : 'Why']}>
          ${rows.map((seen) => html`<${ListedRow} seen=${seen} />`)}
        <//>
        ${count > rows.length && html`<p>The first ${rows.length} are shown.</p>`}
      </details>`,
    ];
  });
}

function ListedRow({ seen }: { seen: SeenRow }): Html {
  const { line, fate, reason, proposed } = seen;
  return html`
    <tr><th scope="row">${line}</th><td>${describeRow(seen)}</td><td>${fate === 'exact' ? [proposed, reason].filter((part) => part !== '').join('; ') : reason}</td></tr>`;
}
