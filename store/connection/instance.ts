/** SQL of the run of the server that answers, as text. A promotion does not change it, a restart does. */
export const INSTANCE = `
  (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint || '/' || current_setting('port')`;
