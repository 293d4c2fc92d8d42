import { Presets, SingleBar } from 'cli-progress';

export interface Progress {
  advance(amount: number): void;
  stop(): void;
}

/** Called with the completed part of the work, and the total. */
export type OnProgress = (done: number, total: number) => void;

/** Shows a progress bar as `startProgress` does, for work whose total is unknown until it begins. */
function startLateProgress(terminal: boolean, label: string): { onProgress: OnProgress; stop(): void } {
  let bar: Progress | null = null;
  let shown = 0;
  return {
    onProgress(done, total) {
      bar ??= startProgress(terminal, label, total);
      bar.advance(done - shown);
      shown = done;
    },
    stop: () => bar?.stop(),
  };
}

/** Runs work with such a progress bar, which disappears at the end. */
export async function withProgress<T>(
  terminal: boolean,
  label: string,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  const { onProgress, stop } = startLateProgress(terminal, label);
  try {
    return await work(onProgress);
  } finally {
    stop();
  }
}

/** Shows a progress bar on standard error if that is a terminal, and nothing otherwise. */
export function startProgress(terminal: boolean, label: string, total: number): Progress {
  if (!terminal || total === 0) return { advance() {}, stop() {} };
  const format = `${label} {bar} {percentage}% | {eta_formatted}`;
  const bar = new SingleBar(
    { format, stream: process.stderr, stopOnComplete: true, clearOnComplete: true, hideCursor: true },
    Presets.shades_grey,
  );
  bar.start(total, 0);
  return {
    advance: (amount) => bar.increment(amount),
    stop: () => bar.stop(),
  };
}
