import { errorCode } from './enumerations.ts';
import { described, record, text } from './fields.ts';

const error = record('Error', 'The reason why a request was not carried out.', {
  code: errorCode,
  message: described(text, 'Names the problem, the value and the remedy. For people.'),
  request_id: described(text, 'The id of the request, as in X-Request-Id. Quote it in a report.'),
});

/** The body of an answer of status 400 and above (specification, "Errors"). */
export const errorBody = record('ErrorResponse', 'The body of every answer of status 400 and above.', {
  error,
});
