import { parseDurations, Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { ContactsConfig } from '../contacts.config.js';
import { ExportsRepository } from '../exports/exports.repository.js';
import { ImportsRepository } from '../imports/imports.repository.js';

const restMs = 60_000;
/** Each may bring a whole file with it. */
const portion = 5;

/** Forgets imports and exports whose time has passed. */
@Injectable()
export class TransferPruner {
  private readonly importsKeptMs: number;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly exports: ExportsRepository,
    { CONTACT_IMPORT_KEPT_FOR: kept }: ContactsConfig,
  ) {
    [this.importsKeptMs = 0] = parseDurations(kept) ?? [];
  }

  @Periodic('pruning imports and exports', restMs)
  async prune(): Promise<boolean> {
    const gone = [await this.imports.prune(this.importsKeptMs, portion), await this.exports.prune(portion)];
    return gone.includes(portion);
  }
}
