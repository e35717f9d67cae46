import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { type RemovedColumn, UpkeepRepository } from './upkeep.repository.js';

const beforeAllIds = '00000000-0000-0000-0000-000000000000';
const portion = 500;

/** What nobody waits for: ended scrolls, tallies to add up, cells of removed columns. */
@Injectable()
export class Upkeep {
  private clearing: { readonly column: RemovedColumn; readonly after: string } | undefined;

  constructor(private readonly repository: UpkeepRepository) {}

  @Periodic('pruning contact queries', 60_000)
  async pruneScrolls(): Promise<boolean> {
    return (await this.repository.deleteEndedScrolls(portion)) === portion;
  }

  @Periodic('adding up contact tallies', 5_000)
  async addUpTallies(): Promise<boolean> {
    return (await this.repository.addUpTallies(portion)) === portion;
  }

  /** One column after the other; where it stands is remembered here only, as to begin anew does no harm. */
  @Periodic('clearing cells of removed columns', 60_000)
  async clearCells(): Promise<boolean> {
    const { column = await this.repository.removedColumn(), after = beforeAllIds } = this.clearing ?? {};
    if (!column) return false;
    const next = await this.repository.clearCells(column, after, portion);
    this.clearing = next === undefined ? undefined : { column, after: next };
    if (next === undefined) await this.repository.forgetColumn(column);
    return true;
  }
}
