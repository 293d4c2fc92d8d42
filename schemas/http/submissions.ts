import { type TArray, type TObject, type TSchema, Type } from 'typebox';
import { submissionForms } from '../submission-files.ts';
import { described, enumeration, named, record, recordId, text } from './fields.ts';

/** The most submissions of a request. */
export const MAX_SUBMISSIONS = 500;

/** The formats that other programs know, for those of files. */
const FORMATS: Readonly<Record<string, object>> = {
  'calendar-date': { format: 'date' },
  'http-url': { format: 'uri', pattern: '^[hH][tT][tT][pP][sS]?://' },
};

/** A schema of a file as other programs read it: texts are described in the form that they are stored in. */
export function publishFileSchema(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(publishFileSchema);
  const { format = '', textForm: _, ...rest } = part as { format?: string; textForm?: string };
  const published = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, publishFileSchema(value)]),
  );
  return { ...published, ...FORMATS[format] };
}

/** A form of a file, in which contests and choices can also be named by their ids. */
const form = (schema: TSchema) => withIds(publishFileSchema(schema) as TObject);
function withIds(schema: TObject): TObject {
  const properties = Object.entries(schema.properties).map(([name, property]) =>
    name === 'contest' || name === 'choice'
      ? [name, described(Type.Union([property, recordId]), `The key of the ${name}, or its id.`)]
      : [name, property],
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}
const position = form(submissionForms.position);
const { picks } = position.properties as { picks: TArray<TObject> };

const submission = Type.Union([
  named('PickSubmission', 'One choice to endorse or to withdraw.', form(submissionForms.onePick)),
  named('PositionSubmission', "An endorser's whole position in a contest, which replaces the present one.", {
    ...position,
    properties: {
      ...position.properties,
      picks: { ...picks, items: named('SubmittedPick', 'A pick of a position.', withIds(picks.items)) },
    },
  } as TObject),
]);

const bodyOf = (item: TSchema) =>
  Type.Object(
    {
      submissions: Type.Array(item, {
        minItems: 1,
        maxItems: MAX_SUBMISSIONS,
        title: `a list of 1 to ${MAX_SUBMISSIONS} submissions`,
      }),
    },
    { title: 'an object with submissions', additionalProperties: false },
  );

/** The body of POST. */
export const submissionsBody = named('SubmissionsBody', 'Submissions to publish.', bodyOf(submission));

/** The same without the forms of its items. */
export const submissionList = bodyOf(Type.Unknown());

const submissionStatus = enumeration(
  'SubmissionStatus',
  'What became of a submission. `submitted`: it is on its way. `applied`: it made changes, whose events are on the ' +
    'stream. `unchanged`: the service knew it already. `rejected`: it was refused, for the `reason`.',
  ['submitted', 'applied', 'unchanged', 'rejected'],
);

/** The submissions of a request. */
export const publication = record('Publication', 'The submissions of one request, and what became of them.', {
  id: recordId,
  submissions: described(
    Type.Array(
      record('SubmissionOutcome', 'A submission, and what became of it.', {
        endorser: described(text, 'The slug of the endorser.'),
        contest: described(text, 'The key of the contest.'),
        status: submissionStatus,
        events: Type.Optional(
          described(
            Type.Array(text),
            'Only if applied: the ids of its events. The first 20, if the request had several submissions.',
          ),
        ),
        reason: Type.Optional(
          described(
            record('SubmissionRejection', 'The reason for a rejected submission.', {
              code: described(
                text,
                'For programs, such as `unknown_choice`. Later versions can have others.',
              ),
              message: described(text, 'For people.'),
            }),
            'Only if rejected.',
          ),
        ),
      }),
    ),
    'In the order of the request.',
  ),
});
