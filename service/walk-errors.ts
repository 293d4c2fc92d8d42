/** The most errors to inspect. */
const MAX_ERRORS = 50;

/** An error, its causes, and the errors that it holds, each once. */
export function* walkErrors(error: unknown): Generator<object> {
  const seen = new Set<object>();
  const open = [error];
  while (open.length > 0 && seen.size < MAX_ERRORS) {
    const next = open.shift();
    if (typeof next !== 'object' || next === null || seen.has(next)) continue;
    seen.add(next);
    yield next;
    const { cause, errors } = next as Record<string, unknown>;
    open.push(cause);
    if (Array.isArray(errors)) open.push(...errors);
  }
}
