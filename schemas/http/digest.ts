import { Type } from 'typebox';
import { single } from './envelopes.ts';
import { count, described, integer, record, text } from './fields.ts';

const sum = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description:
    'The sum, modulo 2^256, of the SHA-256 of the content of each endorsement, in 64 hexadecimal digits.',
});

const digestBucket = record('DigestBucket', 'The endorsements whose ids are in a range, as one number.', {
  first_id: integer,
  last_id: integer,
  count,
  digest: sum,
});

const digest = record(
  'Digest',
  'The endorsements that a filter chooses, as numbers. A complete copy of them has the same numbers. ' +
    'docs/copies.md of the service describes them to the byte.',
  {
    stream_cursor: described(
      text,
      'The position of the stream that the digest shows. A copy that has read so far has the same digest.',
    ),
    count,
    digest: sum,
    bucket_size: described(integer, 'How many ids a bucket spans.'),
    buckets: Type.Array(digestBucket, {
      description: 'By id; ranges without endorsements are left out.',
    }),
  },
);

/** The answer of `GET /v1/digest`. */
export const digestAnswer = single(digest);
