import { AppLogger, Repeating } from '@gangan/runtime';
import { type BeforeApplicationShutdown, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type RemovedColumn, UpkeepRepository } from './upkeep.repository.js';

const beforeAllIds = '00000000-0000-0000-0000-000000000000';
const portion = 500;

/** What nobody waits for: ended scrolls, tallies to add up, cells of removed columns. */
@Injectable()
export class Upkeep implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly chores: readonly Repeating[];
  private clearing: { readonly column: RemovedColumn; readonly after: string } | undefined;

  constructor(
    private readonly repository: UpkeepRepository,
    logger: AppLogger,
  ) {
    this.chores = [
      new Repeating('pruning contact queries', 60_000, () => this.pruneScrolls(), logger),
      new Repeating('adding up contact tallies', 5_000, () => this.addUpTallies(), logger),
      new Repeating('clearing cells of removed columns', 60_000, () => this.clearCells(), logger),
    ];
  }

  onApplicationBootstrap(): void {
    for (const chore of this.chores) chore.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.chores.map((chore) => chore.stop()));
  }

  async pruneScrolls(): Promise<boolean> {
    return (await this.repository.deleteEndedScrolls(portion)) === portion;
  }

  async addUpTallies(): Promise<boolean> {
    return (await this.repository.addUpTallies(portion)) === portion;
  }

  /** One column after the other; where it stands is remembered here only, as to begin anew does no harm. */
  async clearCells(): Promise<boolean> {
    const { column = await this.repository.removedColumn(), after = beforeAllIds } = this.clearing ?? {};
    if (!column) return false;
    const next = await this.repository.clearCells(column, after, portion);
    this.clearing = next === undefined ? undefined : { column, after: next };
    if (next === undefined) await this.repository.forgetColumn(column);
    return true;
  }
}
