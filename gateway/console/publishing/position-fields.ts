import { MAX_TEXT } from '../../../schemas/catalogue/fields.ts';
import type { OwnChoice, OwnPosition } from '../../../store/console/own-positions.ts';
import { InBoth } from '../explorer/ballot-text.ts';
import { type Html, html, InTurns } from '../html.ts';
import { number } from '../number.ts';
import { type FieldValues, markingOf, PICK_TEXTS, readFields } from './position-form.ts';

interface PickProps {
  position: OwnPosition;
  item: OwnChoice;
  values: FieldValues;
}

/** The text of a choice: its label, with its party and a mark if it is withdrawn. */
function ChoiceLabel({ item }: { item: OwnChoice }): Html {
  return html`
    <span class=${item.withdrawn ? 'withdrawn' : null}>
      <${InBoth} text=${item.label} spanish=${item.label_es} />${item.party && html` <span class="muted"><${InBoth} text=${item.party} spanish=${item.party_es} /></span>`}${item.withdrawn && html` <small>withdrawn</small>`}
    </span>`;
}

const LIMIT = `at most ${number.format(MAX_TEXT)} characters`;

/** A field for a long text. A script shows how much room is left. */
function Statement(props: { label: string; id: string; name: string; value: string; lang?: string }): Html {
  const { label, id, name, value, lang } = props;
  return html`
    <label>${label} <textarea name=${name} rows="3" lang=${lang} aria-describedby=${id} data-limit=${MAX_TEXT}>${value}</textarea></label>
    <small class="muted" id=${id}>${LIMIT}</small>`;
}

/** The texts of a pick. They are folded away while they are empty. */
function PickTexts({ position, item, values }: PickProps): Html {
  const { key, label, party } = item;
  const place = position.choices.indexOf(item);
  const textOf = (field: string) => values.textOf(field, key) ?? '';
  const isFilled = PICK_TEXTS.some((field) => textOf(field) !== '');
  const line = party === null ? label : `${label}, ${party}`;
  return html`
    <details open=${isFilled}>
      <summary aria-label=${`Statement and source: ${line}`}>Statement and source</summary>
      <${Statement} label="Statement" id=${`room-${place}`} name=${`statement:${key}`} value=${textOf('statement')} />
      <${Statement} label="Statement in Spanish" id=${`room-es-${place}`} name=${`statement_es:${key}`} value=${textOf('statement_es')} lang="es" />
      <label>Address of the source <input type="url" name=${`source_url:${key}`} value=${textOf('source_url')} placeholder="https://" /></label>
      <label>Date of publication <input type="date" name=${`published_on:${key}`} value=${textOf('published_on')} /></label>
      <small class="muted">Key: <code>${position.key}/${key}</code></small>
    </details>`;
}

function Mark({ position, item, values }: PickProps): Html {
  const { key } = item;
  const isMarked = values.marked.has(key);
  if (markingOf(position) === 'ranks') {
    const rank = values.textOf('rank', key) ?? '';
    return html`
      <label class="check"><input type="number" class="rank" name=${`rank:${key}`} min="1" max=${position.ranks_allowed ?? position.choices.length} value=${rank} aria-label=${`Rank of ${item.label}`} /> <${ChoiceLabel} item=${item} /></label>
      ${isMarked && rank === '' && html`<label class="check"><input type="checkbox" name="choice" value=${key} checked /> Endorsed without a rank</label>`}`;
  }
  const type = markingOf(position) === 'one' ? 'radio' : 'checkbox';
  return html`<label class="check"><input type=${type} name="choice" value=${key} checked=${isMarked} /> <${ChoiceLabel} item=${item} /></label>`;
}

function PickFields(props: PickProps): Html {
  return html`
    <div class="pick" data-pick>
      <${Mark} ...${props} />
      <${PickTexts} ...${props} />
    </div>`;
}

/** The lines of each candidate together, at the place of the first line in ballot order. */
function groupLines(choices: readonly OwnChoice[]): OwnChoice[][] {
  return [...Map.groupBy(choices, ({ contender }) => contender).values()];
}

function CandidateFields({ lines, ...props }: Omit<PickProps, 'item'> & { lines: OwnChoice[] }): Html {
  const [first] = lines;
  const fields = lines.map((item) => html`<${PickFields} item=${item} ...${props} />`);
  if (lines.length === 1 || !first?.candidate) return html`<div>${fields}</div>`;
  return html`
    <fieldset class="lines">
      <legend>${first.candidate}, on ${lines.length} lines</legend>
      ${fields}
    </fieldset>`;
}

const LEGENDS = {
  one: 'The choice to endorse',
  some: 'The choices to endorse',
  ranks: 'The ranks of the choices, 1 for the first',
} as const;

/** The fields of a position, in ballot order. With scripts, ranks can also be dragged. */
export function PositionFields(props: { position: OwnPosition; values: URLSearchParams }): Html {
  const { position } = props;
  const values = readFields(props.values);
  const marking = markingOf(position);
  return html`
    <fieldset class="position" data-ranks=${marking === 'ranks' ? '' : null}>
      <legend>${LEGENDS[marking]}</legend>
      <${InTurns} items=${groupLines(position.choices)} each=${(lines: OwnChoice[]) => html`<${CandidateFields} lines=${lines} position=${position} values=${values} />`} />
      <p class="unseen" role="status" data-said></p>
    </fieldset>`;
}
