import { setDefaultRegion } from '@gangan/contracts';
import { Argument, type Command } from 'commander';
import type { Desk } from '../desk/desk.js';
import { importRegistry } from './import-registry.js';
import { type Registry, registries } from './registry-line.js';
import { listImports } from './registry.repository.js';

const mostReported = 100;
const reportEvery = 100_000;

export function addRegistryCommands(group: Command, desk: Desk): void {
  group
    .command('import')
    .description('read a CSV file: the number, and in ported numbers the operator it moved to')
    .addArgument(new Argument('<registry>').choices(registries))
    .argument('<file.csv>', 'with or without a first line that names the columns')
    .option('--replace', 'forget what was imported before, instead of adding to it')
    .addHelpText(
      'after',
      `
Look-ups answer from the old data until the whole file is there. A bad line is reported and left out.

Examples:
  pnpm admin registry import dnd dnd.csv
  pnpm admin registry import ported ported.csv --replace`,
    )
    .action(async (registry: Registry, file: string, { replace }: { replace?: true }) => {
      const { defaultRegion } = desk.settings;
      if (defaultRegion !== undefined) setDefaultRegion(defaultRegion);
      const database = await desk.database();
      if (replace) await desk.confirm(`Replace all that is known of ${registry} numbers by ${file}?`);
      let reported = 0;
      let said = 0;
      const report = await importRegistry(database, registry, replace ? 'replace' : 'merge', file, {
        rejected: (line, reason) => {
          if ((reported += 1) <= mostReported) desk.remark(`line ${line}: ${reason}`);
        },
        progress: (lines) => {
          if (lines - said >= reportEvery) desk.remark(`${(said = lines).toLocaleString('en')} lines`);
        },
      });
      if (reported > mostReported) desk.remark(`and ${reported - mostReported} more bad lines`);
      const { lines, rejected } = report;
      desk.done(`${lines - rejected} of ${lines} lines are in the ${registry} registry and serve look-ups.`, {
        import: report.id,
        lines,
        rejected,
      });
    });

  group
    .command('list')
    .description('the imports, and which of them serve')
    .addHelpText('after', '\nExample:\n  pnpm admin registry list')
    .action(async () => {
      const imports = await listImports(await desk.database());
      desk.list(
        imports.map((row) => ({ ...row, ended: row.ended ?? undefined })),
        'Nothing was imported yet.',
      );
    });
}
