import { MEASURE_UNITS } from '../matching/contest-words.ts';
import type { RowNames } from '../matching/row-names.ts';
import { foldText } from '../matching/words.ts';
import { isYesOrNo, readAnswer } from '../tables/answers.ts';

type Names = Pick<RowNames, 'contest' | 'choice' | 'position'>;

const SLOGAN = /^(?:vote )?(yes(?= on )|no(?= on )|oppose)(?: on)? (.*[^!.])[!.]*$/i;
const UNIT = `(?:${['prop', ...MEASURE_UNITS].join('|')})`;
/** A measure by its number or letters: `Prop. 2`, `2`, `RR`. */
const CODE = new RegExp(`^(?:${UNIT} )?([0-9]{1,4}[a-z]?|[a-z]{1,2})$`);

/** A heading of measures, which names none. */
const HEADING = new RegExp(`^(?:(?:state|county|city|local|ballot) )*${UNIT}s?$`);

/** The answer and the measure of a text such as `Vote No on Prop 2!`; null for any other text. */
function readSlogan(text: string | null | undefined): { answer: string; measure: string } | null {
  const [, answer = '', measure = ''] = SLOGAN.exec(text?.trim() ?? '') ?? [];
  return measure === '' ? null : { answer, measure };
}

/** Whether a text in the column of contests names the measure of a slogan. */
function isAbout(contest: string, measure: string): boolean {
  const [, code] = CODE.exec(foldText(measure)) ?? [];
  const text = foldText(contest);
  return code === undefined
    ? text === foldText(measure)
    : new RegExp(`(?:^|\\b${UNIT} )${code}(?: |$)`).test(text);
}

/**
 * Reads a row that says its answer together with the name of the measure: `Yes on 51`. Other rows stay as they are. Beside
 * a position, the slogan is an answer as well: two answers that are not both Yes make no endorsement.
 */
export function splitSlogan(names: Names): Names {
  const { contest, choice, position } = names;
  const said = choice ?? position ?? null;
  const slogan = readSlogan(said ?? contest);
  const isBeside = choice !== null && position !== undefined;
  if (slogan === null || (isBeside && !isYesOrNo(position))) return names;
  const { answer, measure } = slogan;
  const isNamed = said !== null && contest !== null && !HEADING.test(foldText(contest));
  if (isNamed && !isAbout(contest, measure)) return isBeside ? { ...names, position: undefined } : names;
  const about = isNamed ? contest : measure;
  const isOne = !isBeside || (readAnswer(answer) === 'yes' && readAnswer(position ?? '') === 'yes');
  return isOne
    ? { contest: about, choice: null, position: answer }
    : { contest: about, choice: answer, position };
}
