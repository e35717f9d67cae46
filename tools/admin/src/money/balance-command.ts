import { balancesOf } from '@gangan/billing';
import type { Command } from 'commander';
import type { Desk } from '../desk/desk.js';
import { Money } from '../desk/money.js';
import { findOrganisation } from '../organisations/find-organisation.js';

export function addBalanceCommand(command: Command, desk: Desk): void {
  command
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin balance acme/live')
    .action(async (given: string) => {
      const database = await desk.database();
      const { id, label } = await findOrganisation(database, given);
      const { available, reserved } = await balancesOf(database, id);
      desk.show({ organisation: label, balance: new Money(available), reserved: new Money(reserved) });
    });
}
