import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { renderReport } from '../intake/reports/render-report.ts';
import type { Report } from '../intake/reports/report.ts';
import { OperatorError } from '../service/operator-error.ts';

/** Checks the value of an option `--report`. */
export function parseReportPath(path: string): string {
  if (!/\.(html|json)$/.test(path)) throw new InvalidArgumentError('Its name must end in .html or .json.');
  return path;
}

/** Writes a report as a page or as JSON, by the end of the path. @throws OperatorError if the file cannot be written */
export async function writeReport(path: string, report: Report): Promise<void> {
  const text = path.endsWith('.json') ? `${JSON.stringify(report, null, 2)}\n` : renderReport(report);
  await writeFile(path, text).catch((error: Error) => {
    throw new OperatorError(`The report cannot be written to ${path}: ${error.message}.`, { cause: error });
  });
}
