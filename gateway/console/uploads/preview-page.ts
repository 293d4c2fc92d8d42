import type { UploadEffects } from '../../../administration/uploads/review.ts';
import { countRemovals } from '../../../domain/removal-guard.ts';
import type { CrowdedPosition, EffectRow } from '../../../store/intake/stage-effects.ts';
import { Notice, Table } from '../components.ts';
import { HistoryLink } from '../history-link.ts';
import { type Html, html } from '../html.ts';
import { Form } from '../layout.ts';
import { countThat, number } from '../number.ts';
import type { ShownPage } from '../page.ts';
import { IN_SECONDS } from '../publishing/position-changes.ts';
import { addressOf, describeEvents, type PageWork } from './upload.ts';

/** The state that the preview has shown, so that nothing else is published. */
export const SEEN_FIELD = 'seen';
/** The number of withdrawals to which the person agrees. */
export const CONSENT_FIELD = 'withdraw';

const EFFECTS: Readonly<Record<EffectRow['effect'], string>> = {
  created: 'Endorse',
  changed: 'Change',
  withdrawn: 'Withdraw',
  unchanged: 'As it is',
};

export const countChanges = ({ counts }: UploadEffects): number =>
  counts.created + counts.changed + counts.withdrawn;

function describePublishing(effects: UploadEffects): string {
  const { counts } = effects;
  if (countChanges(effects) === 0) {
    return counts.unchanged > 0
      ? 'All of it is stored already, so nothing changes.'
      : 'There is nothing to publish yet.';
  }
  return describeEvents([
    [counts.created, 'new'],
    [counts.changed, 'changed'],
    [counts.withdrawn, 'withdrawn'],
  ]);
}

function EventRow({ row }: { row: EffectRow }): Html {
  const { effect, endorser, contest, choice, name, title, district, label } = row;
  return html`
    <tr>
      <th scope="row">${EFFECTS[effect]}</th>
      <td>${name}</td>
      <td>${title}, ${district} <small class="muted">${contest}</small></td>
      <td>${label} <small class="muted">${choice}</small></td>
      <td><${HistoryLink} endorser=${endorser} contest=${contest} of=${`${name}, ${title}, ${label}`} /></td>
    </tr>`;
}

/** Positions that a person may not have meant, such as the pick of an earlier table beside the one that corrects it. */
function Crowded({ crowded }: { crowded: readonly CrowdedPosition[] }): Html {
  return html`
    <p>Look at these before you publish. They would have more choices than a voter may mark, or a rank twice. A choice that no longer holds stays until you withdraw it:</p>
    <ul>${crowded.map(
      ({ endorser, contest, name, title, district, labels, hasRankTwice }) =>
        html`<li><a href=${`/console/endorsements/${contest}?${new URLSearchParams({ endorser })}`}>${name}: ${title}, ${district}</a>: ${labels.join(', ')}${hasRankTwice && ' (two have the same rank, which is rejected)'}</li>`,
    )}</ul>`;
}

/** Asks before an upload is published. */
export function showUploadPreview(
  { upload }: PageWork,
  { effects, ...answer }: { effects: UploadEffects } & Pick<ShownPage, 'problem' | 'status'>,
): ShownPage {
  const { counts, rows, repeated, leftOut, withoutPick, crowded, refusal, digest } = effects;
  const changes = countChanges(effects);
  return {
    title: `Publish: ${upload.fileName}`,
    ...answer,
    body: html`
      ${
        refusal === null
          ? html`<p>${describePublishing(effects)}${changes > 0 && ` ${IN_SECONDS}`}</p>`
          : html`<${Notice} kind="bad">${refusal}<//>`
      }
      <ul>
        ${counts.unchanged > 0 && html`<li>${countThat(counts.unchanged, 'endorsement', 'stays', 'stay')} as ${counts.unchanged === 1 ? 'it is' : 'they are'}.</li>`}
        ${leftOut > 0 && html`<li>${countThat(leftOut, 'row', 'is', 'are')} left out: not decided on, or not usable. <a href=${addressOf(upload)}>Look at them</a> first: publishing closes the upload, and they need another one then.</li>`}
        ${withoutPick > 0 && html`<li>${countThat(withoutPick, 'row', 'makes', 'make')} no endorsement, as the table says or as was decided.</li>`}
        ${repeated > 0 && html`<li>${countThat(repeated, 'row', 'repeats', 'repeat')} an earlier one. The last one counts.</li>`}
      </ul>
      ${crowded.length > 0 && html`<${Crowded} crowded=${crowded} />`}
      <${Table} caption="Events" head=${['Event', 'Endorser', 'Contest', 'Choice', 'History']} empty=${null}>
        ${rows.map((row) => html`<${EventRow} row=${row} />`)}
      <//>
      ${changes > rows.length && html`<p>The first ${number.format(rows.length)} of ${number.format(changes)} are shown.</p>`}
      ${
        changes > 0 &&
        refusal === null &&
        html`
        <${Form} action=${`${addressOf(upload)}/publish`}>
          <input type="hidden" name=${SEEN_FIELD} value=${digest} />
          ${effects.needsConsent && html`<${Consent} effects=${effects} />`}
          <div class="actions"><button>Publish</button></div>
        <//>`
      }
      <p><a href=${addressOf(upload)}>Back to the rows</a></p>`,
  };
}

function Consent({ effects: { removals } }: { effects: UploadEffects }): Html {
  const count = countRemovals(removals);
  return html`
    <p>The table would withdraw a large part of what is stored:</p>
    <ul>${removals.slice(0, 20).map(({ from, records }) => html`<li>${from}: ${records.map(({ removed, of }) => `${number.format(removed)} of ${number.format(of ?? removed)}`).join(', ')}</li>`)}</ul>
    <label class="check"><input type="checkbox" name=${CONSENT_FIELD} value=${count} required /> Withdraw ${count === 1 ? '1 endorsement' : `${number.format(count)} endorsements`}</label>`;
}
