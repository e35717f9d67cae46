import { parseDurations, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { type RemovedColumn, RetentionRepository } from './retention.repository.js';

const firstId = '00000000-0000-0000-0000-000000000000';
const batchSize = 500;
/** Each import or export may have a large file. */
const transferBatchSize = 5;

/** Deletes what is no longer needed. A task returns true to run again at once. */
@Injectable()
export class Retention {
  private readonly importsKeptMs: number;
  private readonly exportsKeptMs: number;
  private clearing: { readonly column: RemovedColumn; readonly after: string } | undefined;

  constructor(
    private readonly repository: RetentionRepository,
    { CONTACT_IMPORT_KEPT_FOR: imports, CONTACT_EXPORT_KEPT_FOR: exports }: ContactsConfig,
  ) {
    [this.importsKeptMs = 0] = parseDurations(imports) ?? [];
    [this.exportsKeptMs = 0] = parseDurations(exports) ?? [];
  }

  @Periodic('pruning imports and exports', 60_000)
  async pruneTransfers(): Promise<boolean> {
    const more = await this.repository.pruneImports(this.importsKeptMs, transferBatchSize);
    return (await this.repository.pruneExports(this.exportsKeptMs, transferBatchSize)) || more;
  }

  @Periodic('pruning contact queries', 60_000)
  pruneScrolls(): Promise<boolean> {
    return this.repository.pruneScrolls(batchSize);
  }

  @Periodic('summing contact tallies', 5_000)
  sumTallies(): Promise<boolean> {
    return this.repository.sumTallies(batchSize);
  }

  /** One column after the other. The position is kept in memory only: starting again does no harm. */
  @Periodic('clearing cells of removed columns', 60_000)
  async clearCells(): Promise<boolean> {
    const { column = await this.repository.findRemovedColumn(), after = firstId } = this.clearing ?? {};
    if (!column) return false;
    const next = await this.repository.clearCells(column, after, batchSize);
    this.clearing = next === undefined ? undefined : { column, after: next };
    if (next === undefined) await this.repository.deleteColumn(column);
    return true;
  }
}
