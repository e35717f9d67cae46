import { readFile } from 'node:fs/promises';
import { type BackupAccess, isSealedBackup } from '@gangan/storage';
import { CommandError, describeFailure } from '../session/errors.js';
import { type Head, readBackupHeads } from './backup-heads.js';

/**
 * Reads a backup, the output of `audit heads --json`, or the log of an app, in which some lines have heads.
 * @throws CommandError if there are none
 */
export async function readHeads(path: string, access: () => Promise<BackupAccess>): Promise<Head[]> {
  const isBackup = await isSealedBackup(path).catch(() => false);
  const heads = isBackup ? await readBackupHeads(path, await access()) : await readTextHeads(path);
  if (heads.length > 0) return heads;
  throw new CommandError(
    `${path} has no heads: use what \`pnpm admin audit heads --json\` prints, log lines with "audit_heads", or an encrypted backup.`,
  );
}

async function readTextHeads(path: string): Promise<Head[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read (${describeFailure(cause)}).`, { cause });
  });
  const whole = parse(text);
  const lists = Array.isArray(whole)
    ? [whole]
    : text.split('\n').map((line) => (parse(line) as { audit_heads?: unknown } | undefined)?.audit_heads);
  return lists.flatMap((list) => (Array.isArray(list) ? list.map((head) => toHead(head, path)) : []));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toHead(given: unknown, path: string): Head {
  const { organisation, number, hash } = (given ?? {}) as Partial<Record<string, unknown>>;
  const isHead =
    (organisation === undefined || organisation === null || typeof organisation === 'string') &&
    Number.isSafeInteger(number) &&
    typeof hash === 'string' &&
    /^[\da-f]{64}$/.test(hash);
  if (!isHead) throw new CommandError(`${path} has a head that cannot be read: ${JSON.stringify(given)}.`);
  return { organisationId: organisation ?? null, number: BigInt(number as number), hash };
}
