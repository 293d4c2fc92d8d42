import type { Refusal } from '../../domain/refusal.ts';
import { isBuiltInError } from '../../service/failure.ts';
import { sqlStateOf } from '../../store/connection/sql-state.ts';

/** SQLSTATE classes that are about the data: data exception, integrity constraint violation, program limit exceeded. */
const DATA_ERROR = /^(22|23|54)/;

/** The refusal of a submission that the code itself fails on. */
export const DEFECT: Refusal = {
  code: 'defect',
  message: 'The service failed on it; its log has the error.',
};

/**
 * The refusal for an error that a submission may have caused. Undefined for an error of the servers, which
 * must not reject submissions.
 */
export function refuseForError(error: unknown): Refusal | undefined {
  const state = sqlStateOf(error);
  if (state !== null) {
    if (!DATA_ERROR.test(state)) return undefined;
    return { code: 'unstorable', message: `The database refuses it (SQLSTATE ${state}).` };
  }
  // A submission may have revealed a defect.
  return isBuiltInError(error) ? DEFECT : undefined;
}
