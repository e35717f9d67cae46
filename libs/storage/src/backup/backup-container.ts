import { createWriteStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { SealedStreamError, type StreamSealer, UnknownKey } from '@gangan/sealing';
import { BackupError, damaged } from './backup-error.js';

/** A backup begins with this line. The content follows, compressed with gzip and sealed as a stream that is bound to it. */
const sealedFormat = 'gangan-backup-2\n';

/** Earlier versions only compressed the content. */
const gzipMagic = Buffer.from([0x1f, 0x8b]);

type Content = AsyncIterable<Buffer>;

export interface BackupAccess {
  /** Opens backups with the keys of BACKUP_KEY. */
  readonly sealer?: StreamSealer | undefined;
  /** Whether a backup that is not sealed is accepted, although anyone may have changed it. */
  readonly allowUnauthenticated?: boolean | undefined;
}

/** Whether the file begins as an encrypted backup does. */
export async function isSealedBackup(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    return (await startOf(file)).toString() === sealedFormat;
  } finally {
    await file.close();
  }
}

/** Writes a new file that only its owner can read. */
export function writeContent(path: string, sealer: StreamSealer, content: () => Content): Promise<void> {
  return pipeline(
    content,
    createGzip({ level: 4 }),
    async function* (compressed: Content) {
      yield Buffer.from(sealedFormat);
      yield* sealer.seal(compressed, sealedFormat);
    },
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  );
}

/**
 * Each part of a sealed backup is verified before `read` gets it. Only at the end is it known that nothing was cut off.
 * @throws BackupError if the file was changed or cut off, cannot be opened, or is no backup
 */
export async function readContent<T>(
  path: string,
  access: BackupAccess,
  read: (content: Content, isAuthenticated: boolean) => Promise<T>,
): Promise<T> {
  const file = await open(path).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new BackupError(`There is no file ${path}.`, { cause: error });
  });
  try {
    const isSealed = await beginsSealed(file);
    const source = isSealed ? openSealed(file, access) : openUnauthenticated(file, access);
    return await pipeline(source, createGunzip(), (content: Content) => read(content, isSealed));
  } catch (error) {
    throw explain(error, access);
  } finally {
    await file.close();
  }
}

async function beginsSealed(file: FileHandle): Promise<boolean> {
  const start = await startOf(file);
  if (start.toString() === sealedFormat) return true;
  if (start.subarray(0, gzipMagic.length).equals(gzipMagic)) return false;
  throw damaged('it does not begin like one');
}

async function startOf(file: FileHandle): Promise<Buffer> {
  const start = Buffer.alloc(sealedFormat.length);
  await file.read(start, 0, start.length, 0);
  return start;
}

function openSealed(file: FileHandle, { sealer }: BackupAccess): Content {
  if (sealer) return sealer.open(bytesOf(file, sealedFormat.length), sealedFormat);
  throw new BackupError(
    'The backup is encrypted: set BACKUP_KEY, or BACKUP_KEY_FILE, to the key of the system that made it.',
  );
}

function openUnauthenticated(file: FileHandle, { allowUnauthenticated }: BackupAccess): Content {
  if (allowUnauthenticated === true) return bytesOf(file, 0);
  throw new BackupError(
    'The backup is not encrypted, as earlier versions made it: anyone may have changed it, for example a balance. If you know who could write to it since it was made, add --allow-unauthenticated.',
  );
}

const bytesOf = (file: FileHandle, start: number): Content =>
  file.createReadStream({ start, autoClose: false });

function explain(error: unknown, { sealer }: BackupAccess): unknown {
  if (error instanceof UnknownKey)
    return new BackupError(
      `The backup was made with the key ${error.keyId}, and BACKUP_KEY has ${sealer?.openableIds.join(', ')}. Set BACKUP_KEY to the key of the system that made the backup.`,
      { cause: error },
    );
  if (error instanceof SealedStreamError)
    return new BackupError(
      `The backup is not as it was made: ${error.message}. Do not restore it; use another backup.`,
      { cause: error },
    );
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code.startsWith('Z_') ? damaged(message, error) : error;
}
