/**
 * A reader may fall behind retention by this part of it: one from the oldest event begins at the edge. The topic keeps
 * more than that.
 */
export const RETENTION_GRACE = 0.05;
