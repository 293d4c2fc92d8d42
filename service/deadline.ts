/**
 * Waits for an answer for at most `ms` milliseconds. Reads an answer that arrived while this process was busy
 * before it enforces the deadline.
 *
 * @param createError makes the error for a missed deadline
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
