import * as dto from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { BatchRunner } from './batches/batch-runner.js';
import { BatchesService } from './batches/batches.service.js';
import { LookupService } from './lookup.service.js';

@Controller()
export class LookupHandler {
  constructor(
    private readonly lookup: LookupService,
    private readonly batches: BatchesService,
    private readonly batchRunner: BatchRunner,
  ) {}

  @Handles(dto.lookupPhone)
  lookupPhone(request: dto.LookupPhoneRequest, context: RequestContext) {
    return this.lookup.lookup(request, context);
  }

  @Handles(dto.lookupPhoneLive)
  lookupPhoneLive(request: dto.LookupPhoneRequest, context: RequestContext) {
    return this.lookup.lookupLive(request, context);
  }

  @Handles(dto.createLookupBatch)
  createLookupBatch(request: dto.LookupBatchRequest, context: RequestContext) {
    return this.batches.create(request, context);
  }

  @Handles(dto.findLookupBatch)
  findLookupBatch(request: dto.RecordId, context: RequestContext) {
    return this.batches.find(request, context);
  }

  @Handles(dto.listLookupBatches)
  listLookupBatches(request: dto.ListLookupBatchesRequest, context: RequestContext) {
    return this.batches.list(request, context);
  }

  @Handles(dto.readLookupBatchPart)
  readLookupBatchPart(request: dto.FilePartId, context: RequestContext) {
    return this.batches.readPart(request, context);
  }

  @Handles(dto.lookupBatchDue)
  lookupBatchDue() {
    return this.batchRunner.look();
  }
}
