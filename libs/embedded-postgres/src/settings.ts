/** A server for one developer's machine: modest memory, room for seven processes, reachable only from here. */
export const serverSettings = (port: number, given: Record<string, string> = {}): Record<string, string> => ({
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  jit: 'off',
  lc_messages: 'C',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // The details of an error show whole rows.
  log_error_verbosity: 'terse',
  ...given,
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  port: String(port),
});
