/** Scripts whose spelling can need a joiner between two letters. */
const JOINING = scripts(
  'Arabic Syriac Mongolian Nko Devanagari Bengali Gurmukhi Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Khmer Myanmar Tibetan',
);
/** Selectors of Mongolian belong to its script, and are not letters. */
const SHOWN = '(?!\\p{Default_Ignorable_Code_Point})';
const LETTER_BEFORE = new RegExp(`${SHOWN}[${JOINING}]\\p{M}*$`, 'u');
const LETTER_AFTER = new RegExp(`^${SHOWN}[${JOINING}]`, 'u');
const EMOJI_BEFORE = /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u;
const EMOJI_AFTER = /^\p{Extended_Pictographic}/u;
/** Characters that a variation selector can change. */
const VARIABLE_BEFORE = new RegExp(
  `${SHOWN}[\\p{Extended_Pictographic}\\p{Sm}${scripts('Han Mongolian Myanmar Phags_Pa')}]$`,
  'u',
);
/** A digit and its selector, before the frame that makes them a key. */
const DIGIT_BEFORE = /[0-9#*]$/;
const KEY_AFTER = /^\u20e3/;
/** The black flag, which tags turn into the flag of a region, such as that of California. */
const FLAG_BEFORE = /\u{1f3f4}[\u{e0020}-\u{e007e}]*$/u;
/** The longest emoji, flag or letter with its marks that matters beside such a character, in UTF-16 code units. */
const NEIGHBOUR = 16;

/** JavaScript also counts the byte order mark, which shows nothing. */
const WHITE_SPACE = /(?:(?!\ufeff)[\s\u0085\u180e\u2800])+/gu;
/** Characters that show nothing: controls, zero-width spaces, fillers, selectors, tags, and lone surrogates. */
const INVISIBLE = /\ufeff|(?!\s)[\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;
const JOINER = /[\u200c\u200d]/;
const SELECTOR = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}\u180b-\u180d\u180f]/u;
const TAG = /[\u{e0020}-\u{e007f}]/u;
/**
 * No language puts more marks on a letter (Unicode's stream-safe text); further ones are dropped. The time to order the
 * marks of a letter grows with the square of their number.
 */
const TOO_MANY_MARKS = /(\p{M}{30})\p{M}+/gu;
/** Visible ASCII with single spaces, which is in every form already. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/;
/** A part of a text that may have to change, apart from its composition. Most texts have none, and are spared the search. */
const UNCLEAN = /[^\S ]|^ | $| {2}|[\p{M}\p{Cc}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]/u;
const LINE_BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

function scripts(names: string): string {
  return names
    .split(' ')
    .map((name) => `\\p{Script=${name}}`)
    .join('');
}

/** Whether a character without a look of its own changes the look of its neighbours. */
function isNeeded(character: string, text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - NEIGHBOUR), at);
  const next = at + character.length;
  const after = text.slice(next, next + NEIGHBOUR);
  if (JOINER.test(character)) {
    if (character === '\u200d' && EMOJI_BEFORE.test(before) && EMOJI_AFTER.test(after)) return true;
    return LETTER_BEFORE.test(before) && LETTER_AFTER.test(after);
  }
  if (SELECTOR.test(character)) {
    return VARIABLE_BEFORE.test(before) || (DIGIT_BEFORE.test(before) && KEY_AFTER.test(after));
  }
  return TAG.test(character) && FLAG_BEFORE.test(before);
}

function dropInvisible(text: string): string {
  return text.replace(INVISIBLE, (character, at: number) => (isNeeded(character, text, at) ? character : ''));
}

/**
 * The one form of a text (contract, "Catalogue and submission files"): trimmed, in NFC, with runs of white space as one
 * space, and without invisible characters. Two texts that look the same are then mostly equal.
 */
export function normalizeText(text: string): string {
  if (PLAIN.test(text)) return text;
  if (!UNCLEAN.test(text)) return text.normalize('NFC');
  return dropInvisible(text.replace(WHITE_SPACE, ' '))
    .replace(TOO_MANY_MARKS, '$1')
    .replace(/ +/g, ' ')
    .trim()
    .normalize('NFC');
}

/**
 * The one form of a text of several paragraphs: that of each line, with line feeds in between, at most one empty line in
 * a row, and none around the text.
 */
export function normalizeLines(text: string): string {
  if (PLAIN.test(text)) return text;
  const lines = text.split(LINE_BREAK).map(normalizeText).join('\n');
  return lines.replace(/\n{3,}/g, '\n\n').replace(/^\n+|\n+$/g, '');
}

/**
 * The one form of an address: trimmed and without invisible characters. Composing its letters could make it the address
 * of another page.
 */
export function normalizeAddress(text: string): string {
  return PLAIN.test(text) ? text : dropInvisible(text).trim();
}
