import type { Database } from '@gangan/database';
import { CommandError } from '../session/command-error.js';
import type { Registry } from './registry-line.js';
import { countImported, countServed } from './registry-tables.js';

/** All is loaded, and waits for the word of a person. */
export class LikelyLoss extends CommandError {}

/** The wrong file, or half of one, would make most of a registry vanish: that has to be wanted. */
export async function refuseLoss(
  database: Database,
  registry: Registry,
  importId: string,
  { lines, rejected }: { readonly lines: number; readonly rejected: number },
): Promise<void> {
  const refuse = (why: string): never => {
    throw new LikelyLoss(
      `${why}: nothing was replaced, and look-ups answer as before. Give the same command with --force if that is right, or \`registry discard ${importId}\`.`,
    );
  };
  if (rejected * 2 > lines) refuse(`${rejected} of ${lines} lines are bad`);
  const [before, after] = [
    await countServed(database, registry),
    await countImported(database, registry, importId),
  ];
  if (after * 2 < before) refuse(`The registry would shrink from ${before} numbers to ${after}`);
}
