/** Letters that run from right to left, and characters that turn the direction of the text around them. */
const TURNING =
  /[\u0590-\u08ff\u200e\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const OPENS = /[\u2066-\u2068]/;
const FIRST_STRONG_ISOLATE = '\u2068';
const POP = '\u2069';

/** Whether a text could change the order of the text around it. */
export const mayTurn = (text: string): boolean => TURNING.test(text);

/** Closes every isolate that a text opens and drops stray closings, so that the text cannot leave its own isolate. */
export function closeIsolates(text: string): string {
  let depth = 0;
  const kept = [...text].filter((character) => {
    if (OPENS.test(character)) depth += 1;
    if (character !== POP) return true;
    depth -= 1;
    if (depth >= 0) return true;
    depth = 0;
    return false;
  });
  return kept.join('') + POP.repeat(depth);
}

/** A name within a sentence, isolated so that the sentence keeps its order. */
export function isolateName(name: string): string {
  return mayTurn(name) ? `${FIRST_STRONG_ISOLATE}${closeIsolates(name)}${POP}` : name;
}
