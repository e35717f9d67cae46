import {
  type ContactExport,
  contactExportDue,
  type ContactExportPage,
  type FilePart,
  type FilePartId,
  type ContactExportState,
  type ContactRowsQuery,
  defaultTransferPageSize,
  exportContacts,
  formatTimestamp,
  type ListContactTransfersRequest,
  type RecordId,
} from '@gangan/contracts';
import { type ContactExport as StoredExport, readPage } from '@gangan/database';
import { Announcer } from '@gangan/leases';
import { isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { QueryService } from '../query/query.service.js';
import { queryDeadline, QuerySlots } from '../query/query-slots.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { exportNotDone, noSuchExport } from '../transfers/transfers.errors.js';
import { ExportsRepository } from './exports.repository.js';

@Injectable()
export class ExportsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly queries: QueryService,
    private readonly slots: QuerySlots,
    private readonly exports: ExportsRepository,
    private readonly announcer: Announcer,
  ) {}

  async create(request: ContactRowsQuery, context: RequestContext): Promise<ContactExport> {
    const organisationId = requireOrganisationId(context);
    const deadline = queryDeadline(exportContacts);
    const table = await this.tables.findOrCreate(organisationId);
    const { filters } = await this.queries.select(table, request);
    const id = context.operationId;
    const { id: tableId, columns } = table;
    const fields = { id, tableId, filters, columns, createdAt: timeOfId(id) };
    await this.slots.run(organisationId, deadline, () => this.exports.create(fields));
    const created = await this.find({ id }, context);
    void this.announcer.announce(contactExportDue, [{ id }], () => ({ jobId: `${id}-0` }));
    return created;
  }

  async find(request: RecordId, context: RequestContext): Promise<ContactExport> {
    return formatExport(await this.findStored(request, context));
  }

  async list(
    { limit = defaultTransferPageSize, before }: ListContactTransfersRequest,
    context: RequestContext,
  ): Promise<ContactExportPage> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const { rows, pagination } = await readPage(limit, (size) => this.exports.list(table.id, before, size));
    return {
      exports: rows.map(formatExport),
      meta: { method: 'GET', resource: '/lists/contact/exports', pagination },
    };
  }

  async readPart(request: FilePartId, context: RequestContext): Promise<FilePart> {
    const { id, state, parts, bytes } = await this.findStored(request, context);
    if (state !== 'done') throw exportNotDone();
    const text = await this.exports.findPart(id, request.number);
    if (text === undefined) throw noSuchExport();
    return { text, parts, bytes: Number(bytes) };
  }

  async remove(request: RecordId, context: RequestContext): Promise<ContactExport> {
    const stored = await this.findStored(request, context);
    if (!(await this.exports.remove(stored.tableId, stored.id))) throw noSuchExport();
    return formatExport(stored);
  }

  private async findStored({ id }: RecordId, context: RequestContext): Promise<StoredExport> {
    const table = await this.tables.findOrCreate(requireOrganisationId(context));
    const found = isId(id) && (await this.exports.find(table.id, id));
    if (!found) throw noSuchExport();
    return found;
  }
}

const formatExport = (row: StoredExport): ContactExport => ({
  id: row.id,
  state: row.state as ContactExportState,
  rows: row.rows,
  ...percentDone(row),
  bytes: Number(row.bytes),
  ...(row.reason !== null && { reason: row.reason }),
  created_datetime: formatTimestamp(row.createdAt),
  ...(row.endedAt && { ended_datetime: formatTimestamp(row.endedAt) }),
});

/** Less than 100 until it is done. Absent if the number of rows is unknown. */
function percentDone({ state, rows, rowsTotal }: StoredExport): { percent?: number } {
  if (state === 'done') return { percent: 100 };
  if (rowsTotal === null) return {};
  return { percent: Math.min(99, Math.floor((rows * 100) / Math.max(rowsTotal, 1))) };
}
