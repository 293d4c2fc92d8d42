/** The rest of a link to the console. */
const LINK = /(?<=\/console\/(?:links|invitations)\/).*/s;
/** A text that can be one of its tokens or an API key. It is a slug instead if it has no capital and no underscore. */
const TOKEN_OR_SLUG = /[A-Za-z0-9_-]{40,}/g;

/**
 * The path of a request without secrets, for logs and traces. They are removed here, because requests that never reach
 * the console can hold one too, such as a link with a mistyped path.
 */
export const withoutSecrets = (path: string): string =>
  path.replace(LINK, '...').replace(TOKEN_OR_SLUG, (text) => (/[A-Z_]/.test(text) ? '...' : text));
