/** Says in one sentence why something is not done, and what to do about it. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
