import { Argument, type Command } from 'commander';
import type { AdminSession } from '../session/session.js';
import { explain } from '../session/explain.js';
import { CommandError } from '../session/command-error.js';
import { ImportProgress } from './import-progress.js';
import { importRegistry, type ImportWatcher } from './import-registry.js';
import { type Registry, registries } from './registry-line.js';
import { LostImport } from './registry.repository.js';
import { RejectedLines } from './rejected-lines.js';

interface Options {
  readonly replace?: true;
  readonly restart?: true;
  readonly force?: true;
  readonly rejected?: string;
}

/** Old numbers. */
const reportEvery = 100_000;
/** Names that are told of. */
const mostStrangers = 20;

const help = `
Look-ups answer from the old data until the whole file is there. A bad line is reported and left out.
After a crash, give the same command again: it goes on where it stopped.

Examples:
  pnpm admin registry import dnd dnd.csv
  pnpm admin registry import ported ported.csv --replace
  pnpm admin registry import ported ported.csv --rejected /tmp/bad-lines.csv`;

export function addImportCommand(group: Command, session: AdminSession): void {
  group
    .command('import')
    .description('read a CSV file: the number, and in ported numbers the operator it moved to')
    .addArgument(new Argument('<registry>').choices(registries))
    .argument('<file.csv>', 'with or without a first line that names the columns')
    .option('--replace', 'forget what was imported before, instead of adding to it')
    .option('--force', 'replace although most lines are bad, or less than half of the numbers would be left')
    .option('--restart', 'begin anew, although an import of this file was cut off')
    .option(
      '--rejected <file>',
      'where bad lines are listed, if there are any (default: <file.csv>.rejected.csv)',
    )
    .addHelpText('after', help)
    .action(async (registry: Registry, path: string, options: Options) => {
      const database = await session.database();
      if (options.replace)
        await session.confirm(`Replace all that is known of ${registry} numbers by ${path}?`);
      const watcher = new Watcher(session, options.rejected ?? `${path}.rejected.csv`);
      const wish = {
        registry,
        mode: options.replace ? 'replace' : 'merge',
        path,
        restart: options.restart ?? false,
        force: options.force ?? false,
        region: session.settings.defaultRegion,
      } as const;
      const report = await importRegistry(database, wish, watcher).catch((error: unknown) => {
        watcher.end();
        if (!(error instanceof CommandError || error instanceof LostImport))
          session.remark('Nothing is lost: give the same command again, and it goes on where it stopped.');
        throw error;
      });
      watcher.end();
      const { id, lines, rejected, resumedAt, leftBehind } = report;
      if (leftBehind !== undefined) {
        session.remark(
          `Warning: old numbers that serve no more are still stored (${explain(leftBehind)}); the next import removes them.`,
        );
      }
      session.done(
        `${lines - rejected} of ${lines} lines are in the ${registry} registry and serve look-ups.`,
        {
          import: id,
          lines,
          rejected,
          resumed_at: resumedAt,
        },
      );
    });
}

class Watcher implements ImportWatcher {
  private shown: ImportProgress;
  private readonly bad: RejectedLines;
  private readonly strangers = new Set<string>();
  private removedTold = 0;

  constructor(
    private readonly session: AdminSession,
    rejectedPath: string,
  ) {
    this.shown = new ImportProgress(session.terminal, 0, 0);
    this.bad = new RejectedLines(rejectedPath, (line) => {
      this.shown.remark(line);
    });
  }

  begun(resumedAt: number, bytes: number): void {
    if (resumedAt > 0) this.session.remark(`Going on after ${resumedAt.toLocaleString('en')} lines.`);
    this.shown = new ImportProgress(this.session.terminal, bytes, resumedAt);
  }

  rejected(line: number, reason: string): void {
    this.bad.add(line, reason);
  }

  strange(line: number, operator: string): void {
    if (this.strangers.size >= mostStrangers || this.strangers.has(operator)) return;
    this.strangers.add(operator);
    this.shown.remark(
      `Warning: line ${line}: “${operator}” is no Nigerian operator that airtime knows; look-ups name it as it is.`,
    );
  }

  async progress(lines: number, bytes: number): Promise<void> {
    await this.bad.flush();
    this.shown.reach(lines, bytes);
  }

  removed(numbers: number): void {
    if (numbers - this.removedTold < reportEvery) return;
    this.removedTold = numbers;
    this.shown.remark(`${numbers.toLocaleString('en')} old numbers are removed.`);
  }

  end(): void {
    this.shown.end();
  }
}
