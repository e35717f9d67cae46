import {
  defaultBatchPageSize,
  type FilePart,
  type FilePartId,
  formatTimestamp,
  invalidPhoneItem,
  type ListLookupBatchesRequest,
  type LookupBatch,
  lookupBatchDue,
  type LookupBatchPage,
  type LookupBatchRequest,
  openSmartlist,
  parsePhone,
  type RecordId,
  splitRecipients,
} from '@gangan/contracts';
import { type LookupBatch as StoredBatch, readPage } from '@gangan/database';
import { Announcer } from '@gangan/leases';
import {
  AppError,
  fieldError,
  type FieldError,
  invalidRequest,
  isId,
  mapInSlices,
  notFound,
  requireOrganisationId,
  type RequestContext,
  timeOfId,
} from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Injectable } from '@nestjs/common';
import { firstValueFrom } from 'rxjs';
import { batchHeader } from './batch-lines.js';
import { LookupConfig } from '../lookup.config.js';
import { maxBatchNumbers, tooManyNumbers } from './batch-size.js';
import { BatchesRepository, type NewBatch } from './batches.repository.js';

const maxErrors = 100;

@Injectable()
export class BatchesService {
  constructor(
    private readonly batches: BatchesRepository,
    private readonly queue: QueueClient,
    private readonly announcer: Announcer,
    private readonly config: LookupConfig,
  ) {}

  /** @throws AppError 400 with the errors of the numbers or of the smartlist, or 429 */
  async create(request: LookupBatchRequest, context: RequestContext): Promise<LookupBatch> {
    const { operationId: id } = context;
    const organisationId = requireOrganisationId(context);
    const numbers = await this.numbersOf(request, context);
    await this.batches.create({ id, organisationId, createdAt: timeOfId(id), ...numbers }, batchHeader);
    const created = await this.batches.find(organisationId, id);
    void this.announcer.announce(lookupBatchDue, [{ id }], () => ({ jobId: `${id}-0` }));
    return formatBatch(created);
  }

  async find(request: RecordId, context: RequestContext): Promise<LookupBatch> {
    return formatBatch(await this.findStored(request, context));
  }

  async list(
    { limit = defaultBatchPageSize, before }: ListLookupBatchesRequest,
    context: RequestContext,
  ): Promise<LookupBatchPage> {
    const organisationId = requireOrganisationId(context);
    const { rows, pagination } = await readPage(limit, (size) =>
      this.batches.list(organisationId, before, size),
    );
    return {
      batches: rows.map(formatBatch),
      meta: { method: 'GET', resource: '/lookup/batch', pagination },
    };
  }

  async readPart(request: FilePartId, context: RequestContext): Promise<FilePart> {
    const { id, endedAt, parts, bytes } = await this.findStored(request, context);
    if (!endedAt) throw new AppError('not_done', 409, 'The batch has not ended: its file is not complete');
    const text = await this.batches.findPart(id, request.number);
    if (text === undefined) throw notFound('The batch');
    return { text, parts, bytes: Number(bytes) };
  }

  private findStored({ id }: RecordId, context: RequestContext): Promise<StoredBatch> {
    if (!isId(id)) throw notFound('The batch');
    return this.batches.find(requireOrganisationId(context), id);
  }

  private async numbersOf(
    { phones, smartlist_id: smartlistId, phone_column: column }: LookupBatchRequest,
    context: RequestContext,
  ): Promise<Pick<NewBatch, 'phones' | 'list' | 'total'>> {
    if (smartlistId === undefined) {
      const given = splitRecipients(phones ?? '');
      await this.requirePhones(given);
      return { phones: given, list: null, total: given.length };
    }
    const { list, rows, bounded } = await firstValueFrom(
      this.queue.send(
        openSmartlist,
        {
          smartlist_id: smartlistId,
          names: [],
          any_size: true,
          ...(column !== undefined && { phone_column: column }),
        },
        context,
      ),
    );
    if (rows > maxBatchNumbers) {
      const message = `smartlist_id has ${rows.toLocaleString('en')} contacts. ${tooManyNumbers(maxBatchNumbers)}`;
      throw invalidRequest([fieldError('smartlist_id', message, 'too_long')]);
    }
    return { phones: null, list, total: bounded ? null : rows };
  }

  /** @throws AppError 400 */
  private async requirePhones(given: readonly string[]): Promise<void> {
    const { DEFAULT_REGION: region } = this.config;
    const faults: FieldError[] = [];
    await mapInSlices(given, (item, index) => {
      if (parsePhone(item, region)) return;
      const { at, message, type } = invalidPhoneItem('phones', item, index);
      faults.push(fieldError(`phones.${at}`, message, type));
    });
    if (faults.length > 0) throw invalidRequest(faults.slice(0, maxErrors));
  }
}

const formatBatch = (row: StoredBatch): LookupBatch => ({
  id: row.id,
  state: row.state,
  numbers: row.numbers,
  ...percentDone(row),
  bytes: Number(row.bytes),
  ...(row.reason !== null && { reason: row.reason }),
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** Less than 100 until it is done. Absent if the size of the smartlist is unknown. */
function percentDone({ state, numbers, total }: StoredBatch): { percent?: number } {
  if (state === 'done') return { percent: 100 };
  if (total === null) return {};
  return { percent: Math.min(99, Math.floor((numbers * 100) / Math.max(total, 1))) };
}
