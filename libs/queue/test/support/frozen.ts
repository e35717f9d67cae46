interface Connection {
  query(text: string): Promise<{ rows: unknown[] }>;
}

/** Stops the server process of this connection while the action runs: the connection stays open without any answer. */
export async function frozen(connection: Connection, action: () => Promise<unknown>): Promise<void> {
  const { rows } = await connection.query('SELECT pg_backend_pid() AS pid');
  const [{ pid }] = rows as [{ pid: number }];
  process.kill(pid, 'SIGSTOP');
  try {
    await action();
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}
