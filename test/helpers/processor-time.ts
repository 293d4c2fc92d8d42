/**
 * The processor time of this thread for some work, in milliseconds. Unlike the time that passes, it hardly depends on
 * what else the machine does.
 */
export async function processorTimeOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}
