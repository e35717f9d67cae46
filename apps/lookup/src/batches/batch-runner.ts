import { createHash } from 'node:crypto';
import { parsePhone, readSmartlist } from '@gangan/contracts';
import type { LookupBatch as Batch } from '@gangan/database';
import { LeasedJobRunner } from '@gangan/leases';
import { AppError, newContext, runInContext } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { AppLogger } from '@gangan/runtime';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { LookupConfig } from '../lookup.config.js';
import { LookupMetrics } from '../lookup.metrics.js';
import { LookupService } from '../lookup.service.js';
import { type ClaimedBatch, isBatchOpen } from './batch-lease.js';
import { type BatchLine, formatLines } from './batch-lines.js';
import { maxBatchNumbers, tooManyNumbers } from './batch-size.js';
import { BatchesRepository } from './batches.repository.js';

export interface SliceSize {
  /** The portion that is looked up and written together: its size, concurrency and time limit. */
  readonly numbers: number;
  readonly concurrency: number;
  readonly portionMs: number;
  /** After this many portions the next batch runs. */
  readonly portions: number;
  /** The most numbers of a whole batch. */
  readonly maxNumbers: number;
}

const defaultSize: SliceSize = {
  numbers: 500,
  concurrency: 16,
  portionMs: 10_000,
  portions: 2,
  maxNumbers: maxBatchNumbers,
};

interface BatchNumber {
  readonly phone: string;
  /** The row of the smartlist that the number is from. */
  readonly rowId: string | null;
}

/** The next numbers of a batch, and whether there may be more. */
interface NumberPage {
  readonly numbers: readonly BatchNumber[];
  readonly more: boolean;
}

@Injectable()
export class BatchJob implements OnApplicationBootstrap {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly lookups: LookupService,
    private readonly queue: QueueClient,
    private readonly metrics: LookupMetrics,
    private readonly config: LookupConfig,
  ) {}

  /** Subscribes to replies, for which the first read of a smartlist would otherwise wait. */
  onApplicationBootstrap(): Promise<void> {
    return this.queue.listen();
  }

  /** Looks up the numbers of a slice, or all that are left. @throws LeaseLostError */
  async runSlice(claimed: ClaimedBatch, signal: AbortSignal, size = defaultSize): Promise<void> {
    const batch = await this.batches.read(claimed);
    let { numbers, lastRowId } = batch;
    for (let portions = 0; portions < size.portions && !signal.aborted; portions += 1) {
      const left = size.maxNumbers - numbers;
      // At the maximum, one number is read to know whether there are more.
      const limit = Math.max(1, Math.min(size.numbers, left));
      const page = await this.readNumbers({ ...batch, numbers, lastRowId }, limit);
      if (left <= 0 && page.numbers.length > 0) return this.fail(claimed, tooManyNumbers(size.maxNumbers));
      const { lines, refusal } = await this.lookUpAll(claimed, page.numbers, signal, size);
      const last = page.numbers[lines.length - 1];
      if (last) {
        const portion = { text: formatLines(lines), numbers: lines.length, lastRowId: last.rowId };
        await this.batches.advance(claimed, portion);
        this.metrics.batchNumbers.inc(lines.length);
        numbers += lines.length;
        lastRowId = last.rowId;
      }
      if (refusal) return this.fail(claimed, refusal.message);
      if (!page.more && lines.length === page.numbers.length) {
        await this.batches.finish(claimed);
        this.metrics.batchesEnded.inc({ outcome: 'done' });
        return;
      }
    }
    await this.batches.release(claimed);
  }

  /** Lines that were written before stay, because they were charged. */
  async fail(claimed: ClaimedBatch, reason: string): Promise<void> {
    await this.batches.fail(claimed, reason);
    this.metrics.batchesEnded.inc({ outcome: 'failed' });
  }

  private async readNumbers(
    { id, organisationId, phones, list, numbers, lastRowId }: Batch,
    limit: number,
  ): Promise<NumberPage> {
    if (list === null) {
      const end = numbers + limit;
      const next = phones.slice(numbers, end).map((phone) => ({ phone, rowId: null }));
      return { numbers: next, more: end < phones.length };
    }
    const request = { list, limit, ...(lastRowId !== null && { after: lastRowId }) };
    const context = newContext({ organisationId, operationId: id, requestId: id });
    const { rows, more } = await firstValueFrom(this.queue.send(readSmartlist, request, context));
    return { numbers: rows.map(({ id: rowId, phone = '' }) => ({ phone, rowId })), more };
  }

  /**
   * Looks up the first of the numbers, in their order: when the time is over no further one is begun, and all that were
   * begun end. After a refusal (no money, a daily limit) the lines may have gaps.
   */
  private async lookUpAll(
    claimed: ClaimedBatch,
    numbers: readonly BatchNumber[],
    signal: AbortSignal,
    { concurrency, portionMs }: SliceSize,
  ): Promise<{ readonly lines: readonly BatchLine[]; readonly refusal: AppError | undefined }> {
    const lines: BatchLine[] = [];
    let refusal: AppError | undefined;
    const deadline = performance.now() + portionMs;
    const rest = numbers.entries();
    const work = async (): Promise<void> => {
      while (!refusal && !signal.aborted && performance.now() < deadline) {
        const { value, done } = rest.next();
        if (done) return;
        const [index, { phone }] = value;
        const result = await this.lookUp(claimed, phone);
        if (result instanceof AppError) refusal = result;
        else lines[index] = result;
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    // `flat` leaves gaps out.
    return { lines: lines.flat(), refusal };
  }

  /** @returns the error if the organisation cannot pay */
  private async lookUp({ id, organisationId }: ClaimedBatch, given: string): Promise<BatchLine | AppError> {
    const phone = parsePhone(given, this.config.DEFAULT_REGION);
    if (!phone) return { phone: given, error: given === '' ? 'missing' : 'phone' };
    const context = newContext({ organisationId, operationId: subjectOf(id, phone.e164), requestId: id });
    try {
      const reply = await runInContext(context, () => this.lookups.findLive(phone, context));
      return { phone: given, reply };
    } catch (error) {
      if (error instanceof AppError && (error.status === 402 || error.status === 429)) return error;
      throw error;
    }
  }
}

/** What is charged: a number that occurs twice, or is looked up again after a crash, is charged once. */
function subjectOf(batchId: string, e164: string): string {
  const hash = createHash('sha256').update(`${batchId.toLowerCase()} ${e164}`).digest();
  const middle = (0x8000 | (hash.readUInt16BE(0) & 0x3fff)).toString(16);
  return `${batchId.toLowerCase().slice(0, 18)}-${middle}-${hash.toString('hex', 2, 8)}`;
}

@Injectable()
export class BatchRunner extends LeasedJobRunner<ClaimedBatch> {
  constructor(job: BatchJob, batches: BatchesRepository, config: LookupConfig, logger: AppLogger) {
    super(
      {
        name: 'lookup batch',
        concurrency: config.LOOKUP_BATCHES_AT_A_TIME,
        maxStalls: 20,
        maxDelayMs: 60_000,
        isDue: isBatchOpen,
        describe: ({ id, organisationId }) => ({ batch: id, organisationId }),
        claimNext: () => batches.claimNext(),
        runSlice: (claimed, signal) => job.runSlice(claimed, signal),
        release: (claimed, delayMs) => batches.release(claimed, delayMs),
        fail: (claimed) => job.fail(claimed, 'An internal error occurred repeatedly'),
      },
      logger,
    );
  }
}
