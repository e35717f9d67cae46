import { type Database, openCallbackSecret, openEndpointSecret } from '@gangan/database';
import type { DataSealer } from '@gangan/sealing';
import { labelOf, type Organisation, withAccount } from '../organisations/find-organisation.js';

export type Signer = ReturnType<typeof signer>;

/** The secrets that sign now, those of endpoints too, of one organisation or of all. */
export async function findSigners(
  database: Database,
  sealer: DataSealer,
  owner: Pick<Organisation, 'id'> | undefined,
): Promise<Signer[]> {
  const where = {
    OR: [{ retiresAt: null }, { retiresAt: { gt: new Date() } }],
    ...(owner && { organisationId: owner.id }),
  };
  const orderBy = { id: 'desc' } as const;
  const ofEndpoint = { endpoint: { include: withAccount } };
  const [secrets, endpointSecrets] = await Promise.all([
    database.callbackSecret.findMany({ where, include: withAccount, orderBy }),
    database.callbackEndpointSecret.findMany({ where, include: ofEndpoint, orderBy }),
  ]);
  return [
    ...secrets.map((row) => signer(row, () => openCallbackSecret(sealer, row))),
    ...endpointSecrets.map((row) => signer(row.endpoint, () => openEndpointSecret(sealer, row))),
  ];
}

/** The secret is undefined if it cannot be opened. */
function signer({ organisation }: { organisation: Parameters<typeof labelOf>[0] }, open: () => string) {
  const label = labelOf(organisation);
  try {
    return { organisation: label, secret: open() };
  } catch {
    return { organisation: label, secret: undefined };
  }
}
