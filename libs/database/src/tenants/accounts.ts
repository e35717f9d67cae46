import { newId } from '@gangan/protocol';
import type { DataSealer } from '@gangan/sealing';
import type { OrganisationMode as Mode, Prisma } from '../generated/client.js';
import { newCallbackSecret, sealCallbackSecret } from './secrets.js';

/** The models of a `Database`, or of a `database.$transaction`. */
export type Models = Prisma.TransactionClient;

/** `live`: real work and money. `test`: the simulator and play money. */
export type { Mode };

export const modes: readonly Mode[] = ['live', 'test'];

/**
 * Creates a customer with both organisations, each complete except for a key and money. The live one may use its default
 * sender and registered ones only, and its callbacks are restricted.
 */
export async function createAccount(
  models: Models,
  sealer: DataSealer,
  { name, sender }: { readonly name: string; readonly sender: string },
) {
  const organisations = modes.map((mode) => ({ id: newId(), mode, callbackSecret: newCallbackSecret() }));
  const secretOf = (organisationId: string, secret: string) => {
    const { id, sealedSecret } = sealCallbackSecret(sealer, organisationId, secret);
    return { id, sealedSecret };
  };
  const { id } = await models.account.create({
    data: {
      id: newId(),
      name,
      organisations: {
        create: organisations.map(({ callbackSecret, ...organisation }) => ({
          ...organisation,
          defaultSender: sender,
          fairKeys: true,
          registeredSendersOnly: organisation.mode === 'live',
          restrictedCallbacks: organisation.mode === 'live',
          ledgerAccounts: { create: newLedgerAccounts() },
          callbackSecrets: { create: secretOf(organisation.id, callbackSecret) },
        })),
      },
    },
  });
  return { id, organisations };
}

/** Opens the accounts between which an organisation's money moves; opening them again changes nothing. */
export async function openLedgerAccounts(models: Models, organisationId: string): Promise<void> {
  const data = newLedgerAccounts().map((account) => ({ ...account, organisationId }));
  await models.ledgerAccount.createMany({ data, skipDuplicates: true });
}

/** The accounts of a new organisation. The balances of the last three are not stored but summed. */
const newLedgerAccounts = () => [
  { id: newId(), kind: 'wallet' as const, balance: 0n },
  { id: newId(), kind: 'reserved' as const, balance: 0n },
  ...(['revenue', 'loss', 'funding'] as const).map((kind) => ({ id: newId(), kind })),
];
