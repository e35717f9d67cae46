import {
  type ContactImport,
  contactImportDue,
  type ContactImportPage,
  type ContactImportProblem,
  type CsvDelimiter,
  defaultTransferPageSize,
  type FilePart,
  type FilePartId,
  formatTimestamp,
  type ImportContactsPart,
  type ListContactTransfersRequest,
  type RecordId,
} from '@gangan/contracts';
import { type ContactImport as StoredImport, readPage } from '@gangan/database';
import { Announcer } from '@gangan/leases';
import { isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { TablesRepository } from '../tables/tables.repository.js';
import { importNotEnded, noRejectedFile, noSuchImport } from '../transfers/transfers.errors.js';
import { parseHeader } from './header.js';
import { ImportsRepository } from './imports.repository.js';
import { rejectedHeader } from './rejected-lines.js';
import { UploadsRepository } from './uploads.repository.js';

@Injectable()
export class ImportsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly imports: ImportsRepository,
    private readonly uploads: UploadsRepository,
    private readonly announcer: Announcer,
  ) {}

  async takePart(request: ImportContactsPart, context: RequestContext): Promise<ContactImport> {
    const { begins, text, last, sha256, upsert } = request;
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const id = context.operationId;
    const part = { id, tableId: table.id, begins, data: Buffer.from(text), last, sha256 };
    if (begins > 0) await this.uploads.append(part);
    else {
      const delimiter = toCharacter(request.delimiter ?? ',');
      const header = parseHeader({ text, complete: last, delimiter, upsert }, table.columns);
      const dateFormat = request.date_format ?? 'yyyy-mm-dd';
      await this.uploads.begin(part, { ...header, delimiter, dateFormat, createdAt: timeOfId(id) });
    }
    const stored = await this.imports.find(table.id, id);
    if (!stored) throw noSuchImport();
    if (last) void this.announcer.announce(contactImportDue, [{ id }], () => ({ jobId: `${id}-0` }));
    return formatImport(stored);
  }

  async abandon({ id }: RecordId, context: RequestContext): Promise<void> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    await this.uploads.abandon(table.id, id);
  }

  async find(request: RecordId, context: RequestContext): Promise<ContactImport> {
    return formatImport(await this.findStored(request, context));
  }

  /** The file of rejected lines; without any, it has only its first line. */
  async readRejectedPart(request: FilePartId, context: RequestContext): Promise<FilePart> {
    const stored = await this.findStored(request, context);
    if (!stored.endedAt) throw importNotEnded();
    // Earlier versions did not store the rejected lines.
    if (stored.rejected > 0 && stored.rejectedParts === 0) throw noRejectedFile();
    const { number } = request;
    const text = number === 0 ? rejectedHeader : await this.imports.findRejectedPart(stored.id, number);
    if (text === undefined) throw noRejectedFile();
    const bytes = Buffer.byteLength(rejectedHeader) + Number(stored.rejectedBytes);
    return { text, parts: 1 + stored.rejectedParts, bytes };
  }

  async list(
    { limit = defaultTransferPageSize, before }: ListContactTransfersRequest,
    context: RequestContext,
  ): Promise<ContactImportPage> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const { rows, pagination } = await readPage(limit, (size) => this.imports.list(table.id, before, size));
    return {
      imports: rows.map(formatImport),
      meta: { method: 'GET', resource: '/lists/contact/imports', pagination },
    };
  }

  private async findStored({ id }: RecordId, context: RequestContext): Promise<StoredImport> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const found = isId(id) && (await this.imports.find(table.id, id));
    if (!found) throw noSuchImport();
    return found;
  }
}

const toCharacter = (delimiter: CsvDelimiter): string => (delimiter === 'tab' ? '\t' : delimiter);

const formatImport = (row: StoredImport): ContactImport => ({
  id: row.id,
  state: row.state,
  columns: row.columns,
  ...(row.upsertColumnId !== null && { upsert_column_id: row.upsertColumnId }),
  bytes: Number(row.bytes),
  percent: percentDone(row),
  lines: row.lines,
  created: row.created,
  updated: row.updated,
  rejected: row.rejected,
  problems: row.problems as unknown as ContactImportProblem[],
  ...(row.endedAt && row.rejectedParts > 0 && { rejected_file: `/lists/contact/imports/${row.id}/rejected` }),
  ...(row.reason !== null && { reason: row.reason }),
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** The header alone is no progress. */
const percentDone = ({ state, lines, taken, bytes }: StoredImport): number =>
  lines === 0 && state !== 'done' ? 0 : Number((taken * 100n) / bytes);
