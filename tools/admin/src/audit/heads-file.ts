import { readFile } from 'node:fs/promises';
import type { AuditHead } from '@gangan/management';
import { type BackupAccess, isSealedBackup, readBackup } from '@gangan/storage';
import { CommandError, describeFailure } from '../session/errors.js';

/**
 * Reads a backup, the output of `audit heads --json`, or the log of an app, in which some lines have heads.
 * @throws CommandError if there are none
 */
export async function readHeads(path: string, access: () => Promise<BackupAccess>): Promise<AuditHead[]> {
  const isBackup = await isSealedBackup(path).catch(() => false);
  const heads = isBackup ? await readBackupHeads(path, await access()) : await readTextHeads(path);
  if (heads.length > 0) return heads;
  throw new CommandError(
    `${path} has no heads: use what \`pnpm admin audit heads --json\` prints, log lines with "audit_heads", or an encrypted backup.`,
  );
}

/** The ends of the chains when the backup was made. */
async function readBackupHeads(path: string, access: BackupAccess): Promise<AuditHead[]> {
  const parts: Buffer[] = [];
  let columns: readonly string[] = [];
  await readBackup(path, access, {
    onTable: async (table, rows) => {
      const isWanted = table.name === 'audit_chain';
      if (isWanted) ({ columns } = table);
      for await (const chunk of rows) if (isWanted) parts.push(chunk);
    },
  });
  const lines = Buffer.concat(parts).toString().split('\n').slice(0, -1);
  return lines.map((line) => {
    // None of these values has a tab or a line feed; COPY writes NULL as \N, and the \x before the hash as \\x.
    const values = line.split('\t');
    const valueOf = (column: string): string => values[columns.indexOf(column)] ?? '';
    const organisationId = valueOf('organisation_id');
    return {
      organisationId: organisationId === '\\N' ? null : organisationId,
      number: BigInt(valueOf('number')),
      hash: valueOf('hash').slice('\\\\x'.length),
    };
  });
}

async function readTextHeads(path: string): Promise<AuditHead[]> {
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

function toHead(given: unknown, path: string): AuditHead {
  const { organisation, number, hash } = (given ?? {}) as Partial<Record<string, unknown>>;
  const isHead =
    (organisation === undefined || organisation === null || typeof organisation === 'string') &&
    Number.isSafeInteger(number) &&
    typeof hash === 'string' &&
    /^[\da-f]{64}$/.test(hash);
  if (!isHead) throw new CommandError(`${path} has a head that cannot be read: ${JSON.stringify(given)}.`);
  return { organisationId: organisation ?? null, number: BigInt(number as number), hash };
}
