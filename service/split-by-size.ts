/**
 * Splits items into runs, in order, whose sizes add up to at most `maxSize`. A larger item is a run of its
 * own.
 *
 * @param sizeOf the size of an item, in the unit of `maxSize`
 */
export function* splitBySize<T>(
  items: Iterable<T>,
  maxSize: number,
  sizeOf: (item: T) => number,
): Generator<T[]> {
  let run: T[] = [];
  let total = 0;
  for (const item of items) {
    const size = sizeOf(item);
    if (run.length > 0 && total + size > maxSize) {
      yield run;
      run = [];
      total = 0;
    }
    run.push(item);
    total += size;
  }
  if (run.length > 0) yield run;
}
