/** The columns of a webhook that is resumed: its next attempt follows at once, where it stands, and no notice is due. */
export const RESUMED = `state = 'active', reason = NULL, failures = 0, failing_since = NULL, next_attempt_at = NULL,
  notice_due = false, revision = revision + 1`;
