import { type BackupAccess, readBackup } from '@gangan/storage';

/** The last entry of a chain, as it was at some time. */
export interface Head {
  /** Null: of the entries without an organisation. */
  readonly organisationId: string | null;
  readonly number: bigint;
  /** In hex. */
  readonly hash: string;
}

/** The ends of the chains when the backup was made. */
export async function readBackupHeads(path: string, access: BackupAccess): Promise<Head[]> {
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
