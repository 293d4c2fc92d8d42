import { MEASURE_UNITS } from '../matching/contest-words.ts';
import type { RowNames } from '../matching/row-names.ts';
import { foldText } from '../matching/words.ts';
import { isYesOrNo, readAnswer } from '../tables/answers.ts';

type Names = Pick<RowNames, 'contest' | 'choice' | 'position'>;

const UNIT = `(?:${['prop', ...MEASURE_UNITS].join('|')})`;
const ANSWER = '(?:vote )?(?<answer>yes|no|s[ií]|supports?|opposed?|against)';
/** `Vote No on Prop 2!`, `Oppose Prop 2`, `No a la Prop 2`. */
const SLOGAN = new RegExp(
  `^${ANSWER}(?: on | a (?:la )?| (?=${UNIT}\\b)|(?<=oppose) )(?:on )?(?<measure>.*[^!.])[!.]*$`,
  'i',
);
/** `No: Prop 2`; `Prop 2 - No`, `Prop 2 (No)`, `Prop 2 No`. */
const MARKED = [
  new RegExp(`^${ANSWER}(?:\\s*[–—:,]| -)\\s*(?<measure>.+)$`, 'i'),
  new RegExp(`^(?<measure>.+?)(?:(?:\\s*[–—:,(]| -)\\s*|(?<=\\d[a-z]?|\\b[a-z]) )${ANSWER}[)!.]*$`, 'i'),
];
const NUMBER = '([0-9]{1,4}[a-z]?|[a-z]{1,2})';
/** A measure by its number or letters: `Prop. 2`, `2`, `RR`. */
const CODE = new RegExp(`^(?:${UNIT} )?${NUMBER}$`);
/** The same, perhaps with its title: `Prop. 2: Trains`. */
const NAME = new RegExp(`^${UNIT} ${NUMBER} |${CODE.source}`);

/** A heading of measures, which names none. */
const HEADING = new RegExp(`^(?:(?:state|county|city|local|ballot) )*${UNIT}s?$`);

/** The answer and the measure of a text that says both; null for any other text. */
function readSlogan(
  text: string | null,
  mayMark: (measure: string) => boolean,
): { answer: string; measure: string } | null {
  const [said, ...marked] = [SLOGAN, ...MARKED].map((pattern) => pattern.exec(text?.trim() ?? '')?.groups);
  const found = said ?? marked.find((each) => each !== undefined && mayMark(each.measure ?? ''));
  return found ? { answer: found.answer ?? '', measure: found.measure ?? '' } : null;
}

/** Whether a text in the column of contests names the measure of a slogan. */
function isAbout(contest: string, measure: string): boolean {
  const [, code] = CODE.exec(foldText(measure)) ?? [];
  const text = foldText(contest);
  return code === undefined
    ? text === foldText(measure)
    : new RegExp(`(?:^|\\b${UNIT} )${code}(?: |$)`).test(text);
}

/** A measure with its answers. Two answers that are not both Yes make no endorsement. */
function answerTogether(contest: string, answer: string, others: readonly string[]): Names {
  const isOne = others.length === 0 || [answer, ...others].every((each) => readAnswer(each) === 'yes');
  const other = others.find((each) => readAnswer(each) === 'no') ?? others[0];
  return isOne ? { contest, choice: null, position: answer } : { contest, choice: answer, position: other };
}

/**
 * Reads a row that says its answer together with the name of the measure: `Yes on 51`. Other rows stay as they are. Beside
 * other answers of the row, the slogan is an answer as well.
 */
export function splitSlogan(names: Names): Names {
  const { contest, choice, position } = names;
  const others = [choice, position].flatMap((text) => (isYesOrNo(text) ? (text ?? []) : []));
  const said = choice ?? position ?? null;
  const own = others.length > 0 || said === null ? readSlogan(contest, () => others.length > 0) : null;
  if (own !== null) return answerTogether(own.measure, own.answer, others);
  const isName = (measure: string) =>
    NAME.test(foldText(measure)) || foldText(measure) === foldText(contest ?? '');
  const slogan = readSlogan(said, isName);
  const isBeside = choice !== null && position !== undefined;
  if (slogan === null || (isBeside && !isYesOrNo(position))) return names;
  const { answer, measure } = slogan;
  const isNamed = contest !== null && !HEADING.test(foldText(contest));
  if (isNamed && !isAbout(contest, measure)) return isBeside ? { ...names, position: undefined } : names;
  return answerTogether(isNamed ? contest : measure, answer, isBeside ? others : []);
}
