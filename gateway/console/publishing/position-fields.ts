import type { OwnChoice, OwnPosition } from '../../../store/console/own-positions.ts';
import { BallotText } from '../explorer/ballot-text.ts';
import { type Html, html } from '../html.ts';
import { markingOf, PICK_TEXTS } from './position-form.ts';

/** The text of a choice: its label, with its party and a mark if it is withdrawn. */
function ChoiceLabel({ item }: { item: OwnChoice }): Html {
  return html`
    <span class=${item.withdrawn ? 'withdrawn' : null}>
      <${BallotText}>${item.label}<//>${item.party && html` <span class="muted"><${BallotText}>${item.party}<//></span>`}${item.withdrawn && html` <small>withdrawn</small>`}
    </span>`;
}

/** The texts of a pick. They are folded away while they are empty. */
function PickTexts({ item: { key, label }, values }: { item: OwnChoice; values: URLSearchParams }): Html {
  const textOf = (field: string) => values.get(`${field}:${key}`) ?? '';
  const isFilled = PICK_TEXTS.some((field) => textOf(field) !== '');
  return html`
    <details open=${isFilled}>
      <summary aria-label=${`Statement and source: ${label}`}>Statement and source</summary>
      <label>Statement <textarea name=${`statement:${key}`} rows="3">${textOf('statement')}</textarea></label>
      <label>Statement in Spanish <textarea name=${`statement_es:${key}`} rows="3" lang="es">${textOf('statement_es')}</textarea></label>
      <label>Address of the source <input type="url" name=${`source_url:${key}`} value=${textOf('source_url')} placeholder="https://" /></label>
      <label>Published on <input type="date" name=${`published_on:${key}`} value=${textOf('published_on')} /></label>
    </details>`;
}

function Mark({
  position,
  item,
  values,
}: {
  position: OwnPosition;
  item: OwnChoice;
  values: URLSearchParams;
}): Html {
  const { key } = item;
  const isMarked = values.getAll('choice').includes(key);
  if (markingOf(position) === 'ranks') {
    const rank = values.get(`rank:${key}`) ?? '';
    return html`
      <label class="check"><input type="number" class="rank" name=${`rank:${key}`} min="1" max=${position.ranks_allowed ?? position.choices.length} value=${rank} aria-label=${`Rank of ${item.label}`} /> <${ChoiceLabel} item=${item} /></label>
      ${isMarked && rank === '' && html`<label class="check"><input type="checkbox" name="choice" value=${key} checked /> Endorsed without a rank</label>`}`;
  }
  const type = markingOf(position) === 'one' ? 'radio' : 'checkbox';
  return html`<label class="check"><input type=${type} name="choice" value=${key} checked=${isMarked} /> <${ChoiceLabel} item=${item} /></label>`;
}

const LEGENDS = {
  one: 'The choice to endorse',
  some: 'The choices to endorse',
  ranks: 'The ranks of the choices, 1 for the first',
} as const;

/** The fields of a position, in ballot order. */
export function PositionFields({
  position,
  values,
}: {
  position: OwnPosition;
  values: URLSearchParams;
}): Html {
  return html`
    <fieldset class="position">
      <legend>${LEGENDS[markingOf(position)]}</legend>
      ${position.choices.map(
        (item) => html`
        <div class="pick">
          <${Mark} position=${position} item=${item} values=${values} />
          <${PickTexts} item=${item} values=${values} />
        </div>`,
      )}
    </fieldset>`;
}
