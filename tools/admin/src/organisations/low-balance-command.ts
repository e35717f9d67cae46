import type { Command } from 'commander';
import { atLeastOneKobo } from '../session/arguments.js';
import { Money } from '../session/print.js';
import { addCommand, type AdminSession } from '../session/session.js';

const off = 'off';
const threshold = (text: string): bigint | typeof off => (text === off ? text : atLeastOneKobo(text));

export function addLowBalanceCommand(group: Command, session: AdminSession): void {
  const description =
    'report a balance that falls below this amount to the endpoints of an organisation, as balance.low';
  addCommand(group, 'low-balance <organisation>', description, ['acme/live 5000', 'acme/live off'])
    .argument('<naira>', 'the amount, or off', threshold)
    .action(async (given: string, wanted: bigint | typeof off) => {
      const { database, id, label } = await session.organisation(given);
      const lowBalanceKobo = wanted === off ? null : wanted;
      await database.$transaction(async (models) => {
        const where = { organisationId_kind: { organisationId: id, kind: 'wallet' as const } };
        const wallet = await models.ledgerAccount.findUniqueOrThrow({ where });
        await models.ledgerAccount.update({ where, data: { lowBalanceKobo } });
        await session.audit(models, {
          organisationId: id,
          target: label,
          before: { low_balance: shown(wallet.lowBalanceKobo) },
          after: { low_balance: shown(lowBalanceKobo) },
        });
      });
      session.show({ organisation: label, low_balance: shown(lowBalanceKobo) });
    });
}

export const shown = (kobo: bigint | null): Money | typeof off => (kobo === null ? off : new Money(kobo));
