import { register } from 'prom-client';

/** The value of a counter or gauge of this process; 0 for unknown labels. */
export async function metricValue(
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number> {
  const metric = await register.getSingleMetric(name)?.get();
  if (!metric) throw new Error(`There is no metric ${name}.`);
  const found = metric.values.find((each) =>
    Object.entries(labels).every(([label, value]) => String(each.labels[label]) === value),
  );
  return found?.value ?? 0;
}

/** The sum over all series with these labels, of a counter or of a histogram's count. */
export async function countObserved(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
  const metric = await register.getSingleMetric(name)?.get();
  return (metric?.values ?? [])
    .filter((each) => 'metricName' in each && each.metricName === `${name}_count`)
    .filter((each) => Object.entries(labels).every(([label, value]) => String(each.labels[label]) === value))
    .reduce((sum, { value }) => sum + value, 0);
}
