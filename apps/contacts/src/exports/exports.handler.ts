import {
  type ContactExport,
  contactExportDue,
  type ContactExportId,
  type ContactExportPage,
  type ContactExportPart,
  type ContactExportPartId,
  type ContactRowsQuery,
  exportContacts,
  findContactExport,
  listContactExports,
  type ListContactTransfersRequest,
  readContactExportPart,
  removeContactExport,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { ExportRunner } from './export-runner.js';
import { ExportsService } from './exports.service.js';

@Controller()
export class ExportsHandler {
  constructor(
    private readonly service: ExportsService,
    private readonly runner: ExportRunner,
  ) {}

  @Handles(exportContacts)
  create(request: ContactRowsQuery, context: RequestContext): Promise<ContactExport> {
    return this.service.create(request, context);
  }

  @Handles(findContactExport)
  find(request: ContactExportId, context: RequestContext): Promise<ContactExport> {
    return this.service.find(request, context);
  }

  @Handles(listContactExports)
  list(request: ListContactTransfersRequest, context: RequestContext): Promise<ContactExportPage> {
    return this.service.list(request, context);
  }

  @Handles(removeContactExport)
  remove(request: ContactExportId, context: RequestContext): Promise<ContactExport> {
    return this.service.remove(request, context);
  }

  @Handles(readContactExportPart)
  part(request: ContactExportPartId, context: RequestContext): Promise<ContactExportPart> {
    return this.service.readPart(request, context);
  }

  @Handles(contactExportDue)
  due(): Promise<boolean> {
    return this.runner.look();
  }
}
