import { importRegistry, type ImportWatcher, Refusal, registries, type Registry } from '@gangan/management';
import { Argument, type Command } from 'commander';
import { describeFailure } from '../session/errors.js';
import { Progress } from '../session/progress.js';
import { addCommand, type AdminSession } from '../session/session.js';
import { inspectFile, readLines } from './read-file.js';
import { RejectedLines } from './rejected-lines.js';

interface Options {
  readonly replace?: true;
  readonly restart?: true;
  readonly force?: true;
  readonly rejected?: string;
}

/** In removed numbers. */
const reportEvery = 100_000;
const maxWarnings = 20;

export function addImportCommand(group: Command, session: AdminSession): void {
  addCommand(
    group,
    'import',
    'import a CSV file: the number, and for ported numbers the operator',
    ['dnd dnd.csv', 'ported ported.csv --replace', 'ported ported.csv --rejected /tmp/bad-lines.csv'],
    `Lookups use the old data until the whole file is imported. Bad lines are reported and skipped.
After a crash, repeat the command: the import continues where it stopped.`,
  )
    .addArgument(new Argument('<registry>').choices(registries))
    .argument('<file.csv>', 'with or without a first line that names the columns')
    .option('--replace', 'replace earlier imports instead of adding to them')
    .option('--force', 'replace although most lines are bad, or less than half of the numbers would be left')
    .option('--restart', 'start again although an import of this file was interrupted')
    .option('--rejected <file>', 'file for the list of bad lines (default: <file.csv>.rejected.csv)')
    .action(async (registry: Registry, path: string, options: Options) => {
      const { replace, restart = false, force = false, rejected: rejectedPath } = options;
      const { defaultRegion: region } = session.settings;
      const access = await session.access();
      if (replace) await session.confirm(`Replace all ${registry} numbers by those of ${path}?`);
      const { bytes, ...file } = await inspectFile(path);
      const mode = replace ? 'replace' : 'merge';
      const input = { registry, mode, ...file, lines: readLines(path), restart, force, region } as const;
      const watcher = watchImport(session, rejectedPath ?? `${path}.rejected.csv`, bytes);
      const { id, lines, rejected, resumedAt, cleanUpError } = await importRegistry(access, input, watcher)
        .catch((error: unknown) => {
          if (!(error instanceof Refusal))
            session.remark('Nothing is lost: repeat the command to continue the import.');
          throw error;
        })
        .finally(() => {
          watcher.end();
        });
      if (cleanUpError !== undefined) {
        const reason = describeFailure(cleanUpError);
        session.remark(
          `Warning: old numbers could not be removed (${reason}); the next import removes them.`,
        );
      }
      session.done(
        `${lines - rejected} of ${lines} lines are in the ${registry} registry and used by lookups.`,
        { import: id, lines, rejected, resumed_at: resumedAt },
      );
    });
}

/** Shows an import on the terminal, and lists its bad lines in a file. */
function watchImport(
  session: AdminSession,
  rejectedPath: string,
  bytes: number,
): ImportWatcher & { end(): void } {
  let shown = new Progress(session.terminal, bytes, 'lines');
  let removedReported = 0;
  const unknownOperators = new Set<string>();
  const bad = new RejectedLines(rejectedPath, (line) => {
    shown.remark(line);
  });
  return {
    begun(resumedAt) {
      if (resumedAt > 0) session.remark(`Continuing after ${resumedAt.toLocaleString('en')} lines.`);
      shown = new Progress(session.terminal, bytes, 'lines', resumedAt);
    },
    rejected(line, reason) {
      bad.add(line, reason);
    },
    unknownOperator(line, operator) {
      if (unknownOperators.size >= maxWarnings || unknownOperators.has(operator)) return;
      unknownOperators.add(operator);
      shown.remark(
        `Warning: line ${line}: “${operator}” is not a known Nigerian operator; lookups return it unchanged.`,
      );
    },
    async progress(lines, read) {
      await bad.flush();
      shown.reach(lines, read);
    },
    removed(numbers) {
      if (numbers - removedReported < reportEvery) return;
      removedReported = numbers;
      shown.remark(`${numbers.toLocaleString('en')} old numbers are removed.`);
    },
    end() {
      shown.end();
    },
  };
}
