import type { Event } from '../../schemas/http/events.ts';
import { showControls } from '../../schemas/show-controls.ts';
import type { Paint } from '../colours.ts';

const COLOURS = {
  'endorsement.created': 'green',
  'endorsement.updated': 'yellow',
  'endorsement.deleted': 'red',
} as const;

/** An event in one line for people. Control characters of the data are written out. */
export function formatEvent(event: Event, paint: Paint): string {
  const { type, occurred_at, endorser, contest, election, choice, endorsement } = event;
  const rank = endorsement.rank === null ? '' : `, rank ${endorsement.rank}`;
  return [
    paint('dim', showControls(occurred_at)),
    paint(COLOURS[type], type.replace('endorsement.', '')),
    showControls(`${election.state} ${contest.district.level}`),
    `${paint('bold', showControls(endorser.name))}: ${showControls(`${choice.label}${rank}`)}`,
    showControls(contest.short_title),
    paint('dim', showControls(election.slug)),
  ].join('  ');
}
