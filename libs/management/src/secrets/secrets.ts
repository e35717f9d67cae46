import { type Database, rotateCallbackSecret } from '@gangan/database';
import type { DataSealer } from '@gangan/sealing';
import { countSealed, reseal, type ResealProgress, sealedTables } from '@gangan/storage';
import type { Access } from '../access.js';
import { audit } from '../audit.js';
import type { Organisation } from '../organisations/find-organisation.js';
import type { SealedAccess } from '../providers/stored-provider.js';

/** The secrets that sign the callbacks of an organisation, without the secrets themselves. */
export async function listSecrets(database: Database, { id: organisationId }: Pick<Organisation, 'id'>) {
  const secrets = await database.callbackSecret.findMany({
    where: { organisationId },
    orderBy: { id: 'asc' },
  });
  return secrets.map(({ id, createdAt: created, retiresAt: retires }) => ({
    ...{ id, created, retires },
    signs: !retires || retires > new Date(),
  }));
}

/**
 * Creates a secret. The current one signs beside it until `retiresAt`, earlier ones retire now. Only the result has it in
 * readable form.
 */
export const rotateSecret = (
  { database, principal }: Access,
  sealer: DataSealer,
  { id: organisationId, label: target }: Organisation,
  retiresAt: Date,
): Promise<string> =>
  database.transaction(async (transaction) => {
    const created = await rotateCallbackSecret(transaction, sealer, organisationId, retiresAt);
    const after = { old_secret_signs_until: retiresAt };
    await audit(transaction, principal, 'secrets rotate', { organisationId, target, after });
    return created;
  });

/** The number of stored secrets, by the key that sealed them. */
export const countSealedSecrets = (database: Database, sealer: DataSealer) =>
  ofEachTable((table) => countSealed(database, sealer, table));

/** Seals all stored secrets with the first key. It may be interrupted and repeated. */
export const resealSecrets = (
  { database, principal, sealer }: SealedAccess,
  onProgress: (stored: string, progress: Readonly<ResealProgress>) => void,
) =>
  ofEachTable(async (table) => {
    const { column: stored } = table;
    const done = await reseal(database, await sealer(), table, {
      onProgress: (progress) => {
        onProgress(stored, progress);
      },
      onFirstChange: (transaction) => audit(transaction, principal, 'secrets reseal', { target: stored }),
    });
    return { ...done };
  });

async function ofEachTable<T extends object>(
  work: (table: (typeof sealedTables)[number]) => Promise<T | undefined>,
) {
  const rows = [];
  for (const table of sealedTables) {
    const row = await work(table);
    if (row) rows.push({ stored: table.column, ...row });
  }
  return rows;
}
