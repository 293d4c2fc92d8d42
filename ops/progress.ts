import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  advance(amount: number): void;
  stop(): void;
}

/** Shows a progress bar on standard error if that is a terminal, and nothing otherwise. */
export function startProgress(terminal: boolean, label: string, total: number): Progress {
  if (!terminal || total === 0) return { advance() {}, stop() {} };
  const format = `${label} {bar} {percentage}% | {eta_formatted}`;
  const bar = new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, hideCursor: true },
    Presets.shades_grey,
  );
  bar.start(total, 0);
  return {
    advance: (amount) => bar.increment(amount),
    stop: () => bar.stop(),
  };
}
