import { isId } from '@gangan/protocol';
import { Argument, type Command } from 'commander';
import type { AdminSession } from '../session/session.js';
import { CommandError } from '../session/command-error.js';
import { findOrganisation } from '../organisations/find-organisation.js';
import { addImportCommand } from './import-command.js';
import { fail, listImports, respectDnd } from './registry.repository.js';
import { removeUnused } from './registry-tables.js';

export function addRegistryCommands(group: Command, session: AdminSession): void {
  addImportCommand(group, session);

  group
    .command('list')
    .description('the imports, and which of them serve')
    .addHelpText('after', '\nExample:\n  pnpm admin registry list')
    .action(async () => {
      const imports = await listImports(await session.database());
      session.list(
        imports.map((row) => ({ ...row, ended: row.ended ?? undefined })),
        'Nothing was imported yet.',
      );
    });

  group
    .command('respect-dnd')
    .description(
      'whether SMS of an organisation are refused to numbers that want no promotion; OTPs never are',
    )
    .argument('<organisation>')
    .addArgument(new Argument('<on or off>').choices(['on', 'off']))
    .addHelpText('after', '\nExample:\n  pnpm admin registry respect-dnd acme/live on')
    .action(async (given: string, wish: 'on' | 'off') => {
      const database = await session.database();
      const { id, label } = await findOrganisation(database, given);
      await respectDnd(database, id, wish === 'on');
      session.done(`${label}: DND is ${wish === 'on' ? '' : 'not '}respected, within 10 s.`, {
        organisation: id,
        respect_dnd: wish === 'on',
      });
    });

  group
    .command('discard')
    .description('give up an import that was cut off and will not be taken up again')
    .argument('<import>', 'its id, as `registry list` shows it')
    .addHelpText('after', '\nExample:\n  pnpm admin registry discard 019a85e4-9d53-7c52-b2b1-6b6f3f0f4f6a')
    .action(async (id: string) => {
      const database = await session.database();
      await session.confirm(`Give up the import ${id}?`);
      const registry = isId(id) ? await fail(database, id) : undefined;
      if (!registry)
        throw new CommandError(`There is no unfinished import ${id}: \`registry list\` shows them.`);
      await removeUnused(database, registry);
      session.done(`The import ${id} was given up.`, { import: id, registry });
    });
}
