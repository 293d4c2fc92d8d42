/** A repeatable stream of random-looking numbers for a seed. */
export interface Random {
  /** A number from 0 up to, but not including, 1. */
  next(): number;
  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number;
  chance(probability: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** An item of the list, with the probability of its weight. */
  pickWeighted<T>(list: readonly T[], weightOf: (item: T) => number): T;
  /** Another stream for this label, independent of the numbers drawn before. */
  fork(label: string): Random;
}

export function createRandom(seed: number | string): Random {
  const origin = hash(0x811c9dc5, String(seed));
  let state = origin;
  // Mulberry32: small, fast and even enough for a demonstration.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const below = (end: number) => Math.floor(next() * end);
  const pick = <T>(list: readonly T[]): T => {
    if (list.length === 0) throw new RangeError('There is nothing to pick from.');
    return list[below(list.length)] as T;
  };
  return {
    next,
    below,
    chance: (probability) => next() < probability,
    pick,
    pickWeighted(list, weightOf) {
      let left = next() * list.reduce((sum, item) => sum + weightOf(item), 0);
      for (const item of list) {
        left -= weightOf(item);
        if (left < 0) return item;
      }
      return pick(list);
    },
    fork: (label) => createRandom(hash(origin, label)),
  };
}

/** FNV-1a over the text's UTF-16 units. A final mix gives similar labels different seeds. */
function hash(start: number, text: string): number {
  let value = start;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  return (value ^ (value >>> 13)) >>> 0;
}
