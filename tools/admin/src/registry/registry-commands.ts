import { isId } from '@gangan/protocol';
import type { Command } from 'commander';
import { CommandError } from '../session/errors.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { addImportCommand } from './import-command.js';
import { fail } from './imports.repository.js';
import { removeUnused } from './numbers.repository.js';

export function addCommands(group: Command, session: AdminSession): void {
  addImportCommand(group, session);

  addCommand(group, 'list', 'list the imports and their states').action(async () => {
    const database = await session.database();
    const imports = await database.registryImport.findMany({ orderBy: { id: 'asc' } });
    session.list(
      imports.map(({ id, registry, mode, state, source, lines, rejected, createdAt, endedAt }) => ({
        id,
        registry,
        mode,
        state,
        source,
        lines,
        rejected,
        begun: createdAt,
        ended: endedAt,
      })),
      'There are no imports.',
    );
  });

  const example = '019a85e4-9d53-7c52-b2b1-6b6f3f0f4f6a';
  addCommand(group, 'discard', 'discard an interrupted import', [example])
    .argument('<import>', 'its id, as `registry list` shows it')
    .action(async (id: string) => {
      const database = await session.database();
      await session.confirm(`Discard the import ${id}?`);
      const registry = isId(id)
        ? await database.transaction(async (transaction) => {
            const discarded = await fail(transaction, id);
            if (discarded) await session.audit(transaction, { target: `${discarded} ${id}` });
            return discarded;
          })
        : undefined;
      if (!registry) throw new CommandError(`There is no unfinished import ${id}: see \`registry list\`.`);
      await removeUnused(database, registry);
      session.done(`The import ${id} is discarded.`, { import: id, registry });
    });
}
