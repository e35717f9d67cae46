import { balancesOf } from '@gangan/billing';
import type { Command } from 'commander';
import type { AdminSession } from '../session/session.js';
import { Money } from '../session/money.js';
import { findOrganisation } from '../organisations/find-organisation.js';

export function addBalanceCommand(command: Command, session: AdminSession): void {
  command
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin balance acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      const { available, reserved } = await balancesOf(database, id);
      session.show({ organisation: label, balance: new Money(available), reserved: new Money(reserved) });
    });
}
