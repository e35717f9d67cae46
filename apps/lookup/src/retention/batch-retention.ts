import { Periodic } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import { BatchesRepository } from '../batches/batches.repository.js';

const intervalMs = 60_000;
/** Each may have a large file. */
const maxBatch = 5;

@Injectable()
export class BatchRetention {
  constructor(private readonly batches: BatchesRepository) {}

  /** Returns whether there may be more to delete. */
  @Periodic('deleting ended batches of lookups', intervalMs)
  async prune(): Promise<boolean> {
    return (await this.batches.prune(maxBatch)) === maxBatch;
  }
}
