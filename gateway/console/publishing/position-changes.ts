import { diffPositions, type PickChange, positionOf } from '../../../domain/position.ts';
import type { SubmittedPick } from '../../../schemas/submission.ts';
import type { OwnPosition } from '../../../store/console/own-positions.ts';
import { type Html, html } from '../html.ts';

interface Labels {
  choices: readonly Pick<OwnPosition['choices'][number], 'key' | 'label'>[];
}

/** A pick, as people read it. */
export function PickText({ position, pick }: { position: Labels; pick: SubmittedPick }): Html {
  const label = position.choices.find(({ key }) => key === pick.choice)?.label ?? pick.choice;
  return html`
    ${pick.rank !== null && `${pick.rank}. `}${label}${pick.statement && html`: “${pick.statement}”`}`;
}

/** How soon a publication is public. */
export const IN_SECONDS = 'Readers usually have what you publish within seconds.';

const EFFECTS = { created: 'Endorse', updated: 'Change', deleted: 'Withdraw' } as const;

/** The changes of a position, each of which is an event. */
export function Changes({ position, changes }: { position: Labels; changes: readonly PickChange[] }): Html {
  if (changes.length === 0) return html`<p>This is the present position, so nothing changes.</p>`;
  return html`
    <ul>${changes.map(({ type, pick }) => html`<li><strong>${EFFECTS[type]}</strong> <${PickText} position=${position} pick=${pick} /></li>`)}</ul>
    <p>${changes.length === 1 ? 'One event reaches the stream.' : `${changes.length} events reach the stream.`} ${IN_SECONDS}</p>`;
}

/** The changes that a new position makes, which are its events. */
export const changesTo = (
  { picks: before }: Pick<OwnPosition, 'picks'>,
  picks: readonly SubmittedPick[],
): PickChange[] => diffPositions(positionOf(before), positionOf(picks));
