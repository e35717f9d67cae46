import {
  type ContactImport,
  contactImportDue,
  type ContactImportId,
  type ContactImportPage,
  type ContactTransferDue,
  contactUploadAbandoned,
  findContactImport,
  importContactsPart,
  type ImportContactsPart,
  listContactImports,
  type ListContactTransfersRequest,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { ImportRunner } from './import-runner.js';
import { ImportsService } from './imports.service.js';

@Controller()
export class ImportsHandler {
  constructor(
    private readonly service: ImportsService,
    private readonly runner: ImportRunner,
  ) {}

  @Handles(importContactsPart)
  part(request: ImportContactsPart, context: RequestContext): Promise<ContactImport> {
    return this.service.takePart(request, context);
  }

  @Handles(findContactImport)
  find(request: ContactImportId, context: RequestContext): Promise<ContactImport> {
    return this.service.find(request, context);
  }

  @Handles(listContactImports)
  list(request: ListContactTransfersRequest, context: RequestContext): Promise<ContactImportPage> {
    return this.service.list(request, context);
  }

  @Handles(contactUploadAbandoned)
  abandoned(event: ContactTransferDue, context: RequestContext): Promise<void> {
    return this.service.abandon(event, context);
  }

  @Handles(contactImportDue)
  due(): Promise<boolean> {
    return this.runner.look();
  }
}
