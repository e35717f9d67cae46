import {
  type ContactImport,
  type ContactImportId,
  type ContactImportPage,
  type CsvDelimiter,
  type ImportContactsPart,
  type ListContactTransfersRequest,
} from '@gangan/contracts';
import { isId, requireOrganisationId, type RequestContext, timeOfId } from '@gangan/protocol';
import { Injectable } from '@nestjs/common';
import { TablesRepository } from '../tables/tables.repository.js';
import { TransferAnnouncer } from '../transfers/announcer.js';
import { transferPage } from '../transfers/transfer-page.js';
import { headerOf } from './header.js';
import { importAnswer } from './import-row.js';
import { noSuchImport } from './imports.errors.js';
import { ImportsRepository } from './imports.repository.js';

@Injectable()
export class ImportsService {
  constructor(
    private readonly tables: TablesRepository,
    private readonly repository: ImportsRepository,
    private readonly announcer: TransferAnnouncer,
  ) {}

  async takePart(request: ImportContactsPart, context: RequestContext): Promise<ContactImport> {
    const { begins, text, last, upsert, delimiter = ',' } = request;
    const table = await this.tables.of(requireOrganisationId(context));
    const id = context.operationId;
    const part = { id, tableId: table.id, begins, data: Buffer.from(text), last };
    const row = await (begins > 0
      ? this.repository.goOn(part)
      : this.repository.begin(part, {
          ...headerOf({ text, whole: last, delimiter: characterOf(delimiter), upsert }, table.columns),
          delimiter: characterOf(delimiter),
          createdAt: timeOfId(id),
        }));
    if (last) void this.announcer.announce('import', id);
    return importAnswer(row);
  }

  async abandon({ id }: ContactImportId, context: RequestContext): Promise<void> {
    const table = await this.tables.of(requireOrganisationId(context));
    await this.repository.abandon(table.id, id);
  }

  async find({ id }: ContactImportId, context: RequestContext): Promise<ContactImport> {
    const table = await this.tables.of(requireOrganisationId(context));
    const found = isId(id) && (await this.repository.find(table.id, id));
    if (!found) throw noSuchImport();
    return importAnswer(found);
  }

  async list(request: ListContactTransfersRequest, context: RequestContext): Promise<ContactImportPage> {
    const table = await this.tables.of(requireOrganisationId(context));
    const { rows, meta } = await transferPage(request, '/lists/contact/imports', (before, most) =>
      this.repository.list(table.id, before, most),
    );
    return { imports: rows.map(importAnswer), meta };
  }
}

const characterOf = (delimiter: CsvDelimiter): string => (delimiter === 'tab' ? '\t' : delimiter);
