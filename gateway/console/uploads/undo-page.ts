import type { Left, Restored, Undoability, UndoEffects } from '../../../administration/uploads/undo.ts';
import { shorten } from '../../../schemas/problems.ts';
import type { SubmittedPick } from '../../../schemas/submission.ts';
import { MAX_UPLOADS, type Upload } from '../../../store/console/uploads.ts';
import { Moment, Table } from '../components.ts';
import { HistoryLink } from '../history-link.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import { countThat, number } from '../number.ts';
import type { ShownPage } from '../page.ts';
import { PickText } from '../publishing/position-changes.ts';
import { SEEN_FIELD } from './preview-page.ts';
import { addressOf, describeEvents, undoAddressOf } from './upload.ts';

/** The most picks of a position that a page lists, and the longest text of each, in characters. */
const MAX_PICKS = 20;
const MAX_TEXT = 200;

/** Until when an upload can be undone. */
export function UndoLimit({ until }: { until: Date }): Html {
  return html`<p class="muted">It can be undone until <${Moment} at=${until} />, as long as it is one of the ${MAX_UPLOADS} uploads that are kept.</p>`;
}

const REASONS: Readonly<Record<Exclude<Undoability, 'possible'>, string>> = {
  early: 'Some submissions of this upload are still on their way. It can be undone once they are applied.',
  late: 'This upload can no longer be undone, because the changes since then are no longer kept.',
  never: 'There is nothing to undo: no submission of this upload is known.',
};

/** Says why an upload cannot be undone. */
export function showNoUndo(upload: Upload, undoability: Exclude<Undoability, 'possible'>): ShownPage {
  return {
    title: `Undo: ${upload.fileName}`,
    problem: `${REASONS[undoability]} Nothing was changed.`,
    status: 409,
    body: html`
      ${undoability === 'early' && html`<p><a class="button" href=${undoAddressOf(upload)}>Look again</a></p>`}
      <p><a href=${addressOf(upload)}>Back to the receipt</a></p>`,
  };
}

const describeUndoing = ({ events }: UndoEffects): string =>
  describeEvents([
    [events.deleted, 'withdrawn'],
    [events.updated, 'changed back'],
    [events.created, 'endorsed again'],
  ]);

/** Asks before an upload is undone. */
export function showUndoPreview(
  upload: Upload,
  shown: {
    effects: UndoEffects;
    /** Names what is shown. */
    seen: string;
    /** The number of submissions that are not sent. */
    waiting: number;
    until: Date;
  } & Pick<ShownPage, 'problem' | 'status'>,
): ShownPage {
  const { effects, seen, waiting, until, ...answer } = shown;
  const { restored, changed, impossible, unneeded } = effects.positions;
  const stays = changed + impossible;
  const notes = html`
        ${changed > 0 && html`<li>${countThat(changed, 'position', 'stays as it is, because somebody has changed it', 'stay as they are, because somebody has changed them')} since.</li>`}
        ${impossible > 0 && html`<li>${countThat(impossible, 'position', 'stays as it is, because it', 'stay as they are, because they')} cannot be restored.</li>`}
        ${unneeded > 0 && html`<li>${countThat(unneeded, 'position', 'stands', 'stand')} as before the upload already.</li>`}
        ${waiting > 0 && html`<li>${waiting === 1 ? '1 submission of the upload is not sent yet. It' : `${number.format(waiting)} submissions of the upload are not sent yet. They`} will not be sent${restored === 0 ? ' if you delete the upload' : ''}.</li>`}`;
  return {
    title: `Undo: ${upload.fileName}`,
    ...answer,
    body: html`
      ${
        restored === 0
          ? html`<p>Nothing is left to undo.</p>`
          : html`<p>${countThat(restored, 'position', 'gets', 'get')} back what stood before the upload. ${describeUndoing(effects)}</p>`
      }
      ${stays + unneeded + waiting > 0 && html`<ul>${notes}</ul>`}
      ${
        restored > 0 &&
        html`
        <${Form} action=${undoAddressOf(upload)}>
          <input type="hidden" name=${SEEN_FIELD} value=${seen} />
          <div class="actions"><button class="danger">Undo this upload</button> <a href=${addressOf(upload)}>Keep it</a></div>
        <//>
        <${UndoLimit} until=${until} />
        <${Table} caption="Positions that are restored" head=${['Endorser', 'Contest', 'Stands now', 'Will stand again']}>
          ${effects.restored.map((each) => html`<${RestoredRow} item=${each} />`)}
        <//>
        ${restored > effects.restored.length && html`<p>The first ${effects.restored.length} of ${number.format(restored)} are shown.</p>`}`
      }
      ${
        stays > 0 &&
        html`
        <${Table} caption="Positions that stay as they are" head=${['Endorser', 'Contest', 'Why']}>
          ${effects.left.map((each) => html`<${LeftRow} item=${each} />`)}
        <//>
        ${stays > effects.left.length && html`<p>The first ${effects.left.length} of ${number.format(stays)} are shown.</p>`}`
      }
      <p><a href=${addressOf(upload)}>Back to the receipt</a></p>`,
  };
}

type Position = Pick<Restored, 'endorser' | 'endorserName' | 'contest' | 'title'>;

function PlaceCells({ item }: { item: Position }): Html {
  const { endorser, endorserName, contest, title } = item;
  return html`
    <th scope="row">${endorserName}</th>
    <td>${title} <small class="muted">${contest}</small> <${HistoryLink} endorser=${endorser} contest=${contest} of=${`${endorserName}, ${title}`} /></td>`;
}

function RestoredRow({ item }: { item: Restored }): Html {
  return html`
    <tr>
      <${PlaceCells} item=${item} />
      <td><${Side} item=${item} picks=${item.present} others=${item.before} /></td>
      <td><${Side} item=${item} picks=${item.before} others=${item.present} /></td>
    </tr>`;
}

function LeftRow({ item }: { item: Left }): Html {
  return html`<tr><${PlaceCells} item=${item} /><td>${item.reason ?? 'Changed since the upload.'}</td></tr>`;
}

/** The picks of one side that change. */
function Side(props: {
  item: Restored;
  picks: readonly SubmittedPick[];
  others: readonly SubmittedPick[];
}): Html {
  const { item, picks, others } = props;
  const changing = new Set(item.changes.map(({ pick }) => pick.choice));
  const shown = picks.filter(({ choice }) => changing.has(choice));
  const same = picks.length - shown.length;
  const more = shown.length - MAX_PICKS;
  if (picks.length === 0) return html`<span class="muted">No position</span>`;
  return html`
    ${shown.slice(0, MAX_PICKS).map((pick) => html`<${SidePick} item=${item} pick=${pick} other=${others.find(({ choice }) => choice === pick.choice)} />`)}
    ${more > 0 && html`<div class="muted">and ${number.format(more)} more</div>`}
    ${same > 0 && html`<div class="muted">${shown.length > 0 ? 'and ' : ''}${number.format(same)} that ${same === 1 ? 'stays' : 'stay'}</div>`}`;
}

const VALUES = [
  ['statement_es', 'Spanish statement'],
  ['source_url', 'source'],
  ['published_on', 'published on'],
] as const;

/** A pick, with the further values that differ from those of the other side. */
function SidePick(props: { item: Restored; pick: SubmittedPick; other: SubmittedPick | undefined }): Html {
  const { item, pick, other } = props;
  const statement = pick.statement && shorten(pick.statement, MAX_TEXT);
  return html`
    <div>
      <${PickText} position=${item} pick=${{ ...pick, statement }} />
      ${VALUES.map(([field, label]) => {
        if (!other || pick[field] === other[field]) return null;
        const lang = field === 'statement_es' && pick[field] !== null ? 'es' : null;
        return html`<div class="muted">${label}: <span lang=${lang} class=${field === 'published_on' ? 'day' : null}>${shorten(pick[field] ?? 'none', MAX_TEXT)}</span></div>`;
      })}
    </div>`;
}
