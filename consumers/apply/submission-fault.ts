import type { Refusal } from '../../domain/refusal.ts';
import { isBuiltInError } from '../../service/failure.ts';
import { sqlStateOf } from '../../store/connection/sql-state.ts';

/** SQLSTATE classes that are about the data: data exception, integrity constraint violation, program limit exceeded. */
const DATA_ERROR = /^(22|23|54)/;

/** The refusal of a submission on which the code itself fails. */
export const DEFECT: Refusal = {
  code: 'defect',
  message: 'The service failed on it; its log has the error.',
};

/**
 * The refusal for an error that a submission may be at fault for. Undefined for an error of the servers, which is no
 * reason to reject anything.
 */
export function refuseForError(error: unknown): Refusal | undefined {
  const state = sqlStateOf(error);
  if (state !== null) {
    if (!DATA_ERROR.test(state)) return undefined;
    return { code: 'unstorable', message: `The database refuses it (SQLSTATE ${state}).` };
  }
  // One submission may have brought a defect to light.
  return isBuiltInError(error) ? DEFECT : undefined;
}
