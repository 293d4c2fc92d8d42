/** SQL of the answering server's run, as text. A restart changes it; a promotion does not. */
export const INSTANCE = `
  (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint || '/' || current_setting('port')`;
