const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;
/** The beginnings of dropped texts, by the kind of their warning. */
const dropped = new Map<string, string>();

/** Drops one of Node's warnings in this process, from any cause. */
export function dropWarning(kind: string, beginning = ''): void {
  dropped.set(kind, beginning);
  process.emitWarning = (...args: unknown[]) => {
    const [text, given] = args;
    const start = dropped.get(String(given));
    if (start === undefined || !String(text).startsWith(start)) emitWarning(...args);
  };
}
