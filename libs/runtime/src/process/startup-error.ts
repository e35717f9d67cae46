/** A reason not to start that a person can act on: its message says what to do, and a stack would only hide it. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}

/** Turns the errors of listening on a port into sentences. */
export function explainListenError(error: unknown, port: number, variable: string): unknown {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new StartupError(
      `Port ${port} is taken by another process: stop that one, or set ${variable} to a free port`,
    );
  if (code === 'EACCES')
    return new StartupError(`This user may not listen on port ${port}: set ${variable} to a port above 1023`);
  return error;
}
