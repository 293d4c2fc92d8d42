/** The sentence for a missing topic, without its end. */
export const describeMissingTopic = (topic: string): string =>
  `There is no topic ${topic}: "npm run ops -- topics apply" creates it`;

/** The topic that Kafka's client did not find; null for any other error. */
export function findMissingTopic(error: unknown): string | null {
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code !== 'PLT_KFK_USER') return null;
  return /^Unknown topic (\S+)\.$/.exec(String(message))?.[1] ?? null;
}
