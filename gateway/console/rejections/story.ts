import { readSubmission } from '../../../administration/rejections/describe.ts';
import { findWhatMended } from '../../../administration/rejections/find-mended.ts';
import { findLastOfSame } from '../../../administration/rejections/find-superseded.ts';
import { nameOf, originOf } from '../../../administration/rejections/name.ts';
import { findSettled } from '../../../administration/rejections/settle.ts';
import type { Rejection, Submission } from '../../../schemas/submission.ts';
import { findSettler } from '../../../store/stream/settled-rejections.ts';
import { Moment } from '../components.ts';
import type { ConsoleContext } from '../context.ts';
import { HistoryLink } from '../history-link.ts';
import { type Content, type Html, html } from '../html.ts';
import { isolateName } from '../isolation.ts';
import { type FoundRejection, placeOf } from './rejection.ts';

export function PositionHistory({ of: { endorser, contest } }: { of: Submission }): Html {
  return html`<${HistoryLink} endorser=${endorser} contest=${contest} of=${`${endorser}, ${contest}`} />`;
}

/** The fate of a rejected submission since. */
export async function loadStory(
  { pool }: ConsoleContext,
  item: Rejection,
  { rejections, search }: Pick<FoundRejection, 'rejections' | 'search'>,
): Promise<Content[]> {
  const story: Content[] = [];
  const how = (await findSettled(pool, [item])).get(item);
  const settler = how ? await findSettler(pool, nameOf(item)) : null;
  if (settler) {
    const what = how === 'dismissed' ? 'dismissed it' : 'sent a correction';
    story.push(html`${isolateName(settler.author)} has ${what}, at <${Moment} at=${settler.at} />.`);
  }
  const later = findLastOfSame(item, rejections);
  if (later) {
    story.push(
      html`The same submission came again and was rejected again: <a href=${placeOf(later) + search}>${originOf(later)}</a>.`,
    );
  }
  const change = await findWhatMended(pool, item);
  const submission = readSubmission(item);
  if (change && submission) {
    const { partition, offset, sequence, occurredAt } = change;
    story.push(
      html`The submission ${`${partition}/${offset}`} has changed the position since, at <${Moment} at=${occurredAt} />: change ${sequence} of the stream. <${PositionHistory} of=${submission} />`,
    );
  }
  return story;
}

export const Story = ({ story }: { story: readonly Content[] }): Html | null =>
  story.length === 0 ? null : html`<ul>${story.map((each) => html`<li>${each}</li>`)}</ul>`;
