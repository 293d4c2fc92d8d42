/** Headers in the form of Kafka's log: their number, then names and values, each after its length. All are short. */
export function encodeHeaders(headers: Readonly<Record<string, string>>): Buffer {
  const zigzag = (value: number) => (value < 64 ? [value * 2] : [((value * 2) & 0x7f) | 0x80, value >> 6]);
  const all = Object.entries(headers);
  const text = (value: string) => [Buffer.from(zigzag(Buffer.byteLength(value))), Buffer.from(value)];
  return Buffer.concat([Buffer.from(zigzag(all.length)), ...all.flatMap((pair) => pair.flatMap(text))]);
}
