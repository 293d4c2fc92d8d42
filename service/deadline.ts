/**
 * Waits for an answer, but not longer than `ms` milliseconds. An answer that arrived while this process was busy still
 * counts: the event loop reads it before the deadline is enforced.
 *
 * @param createError makes the error to throw when time is up
 * @throws the error of `createError`, or that of the answer
 */
export async function withDeadline<T>(answer: Promise<T>, ms: number, createError: () => Error): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => setImmediate(() => late.reject(createError())), ms);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
