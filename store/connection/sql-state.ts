/**
 * The SQLSTATE of an error or of one of its causes; null if none comes from Postgres.
 *
 * Looks at the code rather than the class, because drivers wrap each other's errors and classes can be loaded twice.
 */
export function sqlStateOf(error: unknown): string | null {
  for (
    let cause = error;
    typeof cause === 'object' && cause !== null;
    cause = (cause as { cause?: unknown }).cause
  ) {
    const { code } = cause as { code?: unknown };
    if (typeof code === 'string' && /^(?=.*[0-9])[0-9A-Z]{5}$/.test(code)) return code;
  }
  return null;
}

export const FOREIGN_KEY_VIOLATION = '23503';
export const UNIQUE_VIOLATION = '23505';
export const LOCK_NOT_AVAILABLE = '55P03';

/** Runs work whose violations of constraints are refusals: each becomes an error of its own, by its SQLSTATE. */
export async function refusing<T>(
  refusals: Readonly<Record<string, new () => Error>>,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const Refusal = refusals[sqlStateOf(error) ?? ''];
    throw Refusal ? new Refusal() : error;
  }
}
