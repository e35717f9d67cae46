import { type Database, sql } from '@gangan/database';
import type { Command } from 'commander';
import { sender } from '../session/arguments.js';
import type { AdminSession } from '../session/session.js';
import type { Row } from '../session/print.js';
import { CommandError } from '../session/command-error.js';
import { findOrganisation } from '../organisations/find-organisation.js';

export function addSenderCommands(group: Command, session: AdminSession): void {
  group
    .command('list')
    .description('the registered senders of an organisation')
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin senders list acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      const rows = await database.query<Row>(sql`
        SELECT name, created_at AS registered FROM sender WHERE organisation_id = ${id} ORDER BY name`);
      session.list(rows, `${label} has registered no sender.`);
    });

  group
    .command('add')
    .description('register a sender')
    .argument('<organisation>')
    .argument('<name>', '1 to 11 characters', sender)
    .addHelpText('after', '\nExample:\n  pnpm admin senders add acme/live Acme')
    .action(async (given: string, name: string) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      await database.execute(sql`
        INSERT INTO sender (organisation_id, name) VALUES (${id}, ${name}) ON CONFLICT DO NOTHING`);
      session.done(`${label} may send as ${name}.`, { organisation: id, name });
    });

  group
    .command('remove')
    .description('forget a registered sender')
    .argument('<organisation>')
    .argument('<name>', 'of the sender')
    .addHelpText('after', '\nExample:\n  pnpm admin senders remove acme/live Acme')
    .action(async (given: string, name: string) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      await session.confirm(`Remove the sender ${name} of ${label}?`);
      const removed = await database.execute(sql`
        DELETE FROM sender WHERE organisation_id = ${id} AND name = ${name}`);
      if (removed === 0) throw new CommandError(`${label} has no sender ${name}.`);
      session.done(`${name} is removed.`, { organisation: id, name });
    });

  group
    .command('restrict')
    .description(
      'refuse messages of an organisation unless they come from its usual sender or a registered one',
    )
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin senders restrict acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      await setRestriction(database, id, true);
      const names = await sendersOf(database, id);
      session.done(`${label} may send as ${names.join(', ')} only.`, {
        organisation: id,
        registered_senders_only: true,
      });
    });

  group
    .command('free')
    .description('let an organisation send as anybody again')
    .argument('<organisation>')
    .addHelpText('after', '\nExample:\n  pnpm admin senders free acme/live')
    .action(async (given: string) => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      await setRestriction(database, id, false);
      session.done(`${label} may send as anybody.`, { organisation: id, registered_senders_only: false });
    });
}

/** The usual one first. */
async function sendersOf(database: Database, organisationId: string): Promise<string[]> {
  const rows = await database.query<{ name: string }>(sql`
    SELECT default_sender AS name, 1 AS turn FROM organisation WHERE id = ${organisationId}
    UNION ALL SELECT name, 2 FROM sender WHERE organisation_id = ${organisationId} ORDER BY turn, name`);
  return [...new Set(rows.map(({ name }) => name))];
}

async function setRestriction(
  database: Database,
  organisationId: string,
  registeredSendersOnly: boolean,
): Promise<void> {
  await database.execute(sql`
    UPDATE organisation SET registered_senders_only = ${registeredSendersOnly} WHERE id = ${organisationId}`);
}
