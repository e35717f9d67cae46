/** The message says why a backup was not made or not restored, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}
