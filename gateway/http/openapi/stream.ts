/*
 * The text about the stream of Server-Sent Events. OpenAPI 3.1 cannot describe the frames of a stream. So the schema
 * describes one frame, and the text explains the rest.
 */

const ABOUT_FRAMES = `
### Frames

The answer begins at once and does not end until the service or the client ends it. The schema is that of one frame; its
\`data\` is JSON in one line, and has a schema for each kind:

| event | data | when |
| --- | --- | --- |
| \`ready\` | \`StreamReady\` | first; its id is the position at which the stream begins |
| \`endorsement\` | \`Event\` | for each change that matches, in the order of the stream |
| \`checkpoint\` | \`StreamCheckpoint\` | the position has moved past changes that do not match: at least every 20 seconds while there are some, and every hour on a silent stream |
| \`reconnect\` | \`StreamReconnect\` | last; the service ends the connection, which happens after an hour at the latest |
| \`error\` | \`StreamError\` | last; the stream cannot continue, for instance because the key was revoked |

A line of data has at most 48 KiB, and no raw line break of Unicode (U+0085, U+2028, U+2029).

Every frame has an \`id\`, which is a cursor. Store the id after every frame, not only after changes, together with the
work of that frame. A line \`retry:\` comes once at the start. A comment, \`: ping\`, comes every 20 seconds: a connection
that has been silent for a minute is dead.

### Reconnecting

Connect again with the last id in the header \`Last-Event-ID\`, or in \`cursor\`: after a \`reconnect\`, after \`retry_ms\`;
after a connection that breaks, after the time of \`retry:\`. The stream continues after that id, at any gateway. An event
can come twice in rare cases: drop repeats by id, since ids compare as ASCII text in the order of the stream.

An id older than retention is answered 410 \`cursor_expired\`. Read \`/v1/endorsements\` to the end, remove records from
the copy that are no longer there, and continue from the \`stream_cursor\` of that list.

### Reading

An interactive reference cannot show this answer, because it does not end. To watch the stream in a browser, sign in to the
console, if the gateway serves it, and open [Live](/console/live). That page needs no key.

A browser's \`EventSource\` cannot send an API key. Read the stream from a server, with any client of Server-Sent Events that
can send headers:
`.trim();

const CURL = `curl --no-buffer -H "Authorization: Bearer $API_KEY" "$BASE_URL/v1/stream?from=earliest"`;

/** Explains the stream with a request and the beginning of its answer. */
export const describeStream = (example: string): string =>
  [ABOUT_FRAMES, `\`\`\`\n${CURL}\n\`\`\``, `\`\`\`\n${example.trim()}\n\`\`\``].join('\n\n');
