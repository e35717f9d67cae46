/** The message says why a backup was not made or not restored, and what to do. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

export const damaged = (reason: string, cause?: unknown): BackupError =>
  new BackupError(`The file is damaged, cut off, or not a backup: ${reason}. Use another backup.`, { cause });
