import { discardImport, listImports } from '@gangan/management';
import type { Command } from 'commander';
import { addCommand, type AdminSession } from '../session/session.js';
import { addImportCommand } from './import-command.js';

export function addCommands(group: Command, session: AdminSession): void {
  addImportCommand(group, session);

  addCommand(group, 'list', 'list the imports and their states').action(async () => {
    session.list(await listImports(await session.database()), 'There are no imports.');
  });

  const example = '019a85e4-9d53-7c52-b2b1-6b6f3f0f4f6a';
  addCommand(group, 'discard', 'discard an interrupted import', [example])
    .argument('<import>', 'its id, as `registry list` shows it')
    .action(async (id: string) => {
      await session.confirm(`Discard the import ${id}?`);
      const registry = await discardImport(await session.access(), id);
      session.done(`The import ${id} is discarded.`, { import: id, registry });
    });
}
