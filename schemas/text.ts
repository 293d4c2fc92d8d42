/** Scripts whose spelling can need a joiner between two letters. */
const JOINING =
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan'
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('');
const LETTER_BEFORE = new RegExp(`[${JOINING}]\\p{M}*$`, 'u');
const LETTER_AFTER = new RegExp(`^[${JOINING}]`, 'u');
const EMOJI_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
/** The longest emoji or letter with its marks that matters beside a joiner, in UTF-16 code units. */
const NEIGHBOUR = 8;

const WHITE_SPACE = /[\s\u0085\u180e]+/gu;
/** Characters that show nothing: controls, formats such as zero-width spaces, fillers, and lone surrogates. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\u115f\u1160\u3164\uffa0]/gu;
const JOINERS = '\u200c\u200d';

/** Whether a joiner changes how its neighbours look: within words of some scripts, and between emoji. */
function isNeeded(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - NEIGHBOUR), at);
  const after = text.slice(at + 1, at + 1 + NEIGHBOUR);
  if (text[at] === '\u200d' && EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after)) return true;
  return LETTER_BEFORE.test(before) && LETTER_AFTER.test(after);
}

/**
 * The one form of a text (contract, "Catalogue and submission files"): trimmed, in NFC, with runs of white space as one
 * space, and without invisible characters. Two texts that look the same are then mostly equal.
 */
export function normalizeText(text: string): string {
  const spaced = text.replace(WHITE_SPACE, ' ');
  return spaced
    .replace(INVISIBLE, (character, at: number) =>
      JOINERS.includes(character) && isNeeded(spaced, at) ? character : '',
    )
    .replace(/ +/g, ' ')
    .trim()
    .normalize('NFC');
}
