const KEYWORDS = new Set(['and', 'or', 'unless', 'bool', 'by', 'on', 'ignoring', 'offset', 'without']);

/** The names of the metrics in a Prometheus query; the series of a histogram count as the histogram. */
export function findMetricNames(expr: string): string[] {
  const bare = expr
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\{[^}]*\}/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ')
    .replaceAll(/\b(by|on|ignoring|without) ?\([^)]*\)/g, ' ')
    .replaceAll(/offset \w+/g, ' ');
  const names = [...bare.matchAll(/(?<![\w:.])([a-zA-Z_:][\w:]*)(?!\w)(?!\s*\()/g)].map(
    ([, name]) => name as string,
  );
  const metrics = names.filter((name) => !KEYWORDS.has(name));
  return [...new Set(metrics.map((name) => name.replace(/_(bucket|count|sum)$/, '')))];
}
