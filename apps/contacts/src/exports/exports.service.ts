import {
  type ContactExport,
  type ContactExportId,
  type ContactExportPage,
  type ContactExportPart,
  type ContactExportPartId,
  type ContactRowsQuery,
  exportContacts,
  type ListContactTransfersRequest,
} from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { QueryService } from '../query/query.service.js';
import { QueryTurns, untilAnswered } from '../query/query-turns.js';
import { TablesRepository } from '../tables/tables.repository.js';
import { TransferAnnouncer } from '../transfers/announcer.js';
import { transferPage } from '../transfers/transfer-page.js';
import { exportAnswer, type ExportRow } from './export-row.js';
import { noSuchExport, notDone } from './exports.errors.js';
import { ExportsRepository } from './exports.repository.js';

@Injectable()
export class ExportsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly queries: QueryService,
    private readonly turns: QueryTurns,
    private readonly repository: ExportsRepository,
    private readonly announcer: TransferAnnouncer,
  ) {}

  async create(wish: ContactRowsQuery, context: RequestContext): Promise<ContactExport> {
    const organisationId = requireOrganisationId(context);
    const until = untilAnswered(exportContacts);
    const table = await this.tables.of(organisationId);
    const { filters } = await this.queries.select(table, wish);
    const id = context.operationId;
    const { id: tableId, columns } = table;
    const fresh = { id, tableId, filters, columns, createdAt: timeOfId(id) };
    const row = await this.turns.take(organisationId, until, () => this.repository.create(fresh));
    if (!row) throw noSuchExport();
    void this.announcer.announce('export', id);
    return exportAnswer(row);
  }

  async find(request: ContactExportId, context: RequestContext): Promise<ContactExport> {
    return exportAnswer(await this.own(request, context));
  }

  async list(request: ListContactTransfersRequest, context: RequestContext): Promise<ContactExportPage> {
    const table = await this.tables.of(requireOrganisationId(context));
    const { rows, meta } = await transferPage(request, '/lists/contact/exports', (before, most) =>
      this.repository.list(table.id, before, most),
    );
    return { exports: rows.map(exportAnswer), meta };
  }

  async readPart(request: ContactExportPartId, context: RequestContext): Promise<ContactExportPart> {
    const { id, state, parts, bytes } = await this.own(request, context);
    if (state !== 'done') throw notDone();
    const data = await this.repository.part(id, request.number);
    if (!data) throw noSuchExport();
    return { text: data.toString(), parts, bytes: Number(bytes) };
  }

  async remove({ id }: ContactExportId, context: RequestContext): Promise<ContactExport> {
    const table = await this.tables.of(requireOrganisationId(context));
    const removed = isId(id) && (await this.repository.remove(table.id, id));
    if (!removed) throw noSuchExport();
    return exportAnswer(removed);
  }

  private async own({ id }: ContactExportId, context: RequestContext): Promise<ExportRow> {
    const table = await this.tables.of(requireOrganisationId(context));
    const found = isId(id) && (await this.repository.find(table.id, id));
    if (!found) throw noSuchExport();
    return found;
  }
}
