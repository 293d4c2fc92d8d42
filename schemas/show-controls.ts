const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
const SHORT: Record<string, string> = { '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/**
 * Makes a text from outside fit for a line on a terminal: writes out each tab, line break and other control character,
 * as `\t` or `\u001b`. This includes characters for the direction of text, because they can make a terminal show a
 * line in another order.
 */
export function showControls(text: string): string {
  return text.replace(
    CONTROL,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
