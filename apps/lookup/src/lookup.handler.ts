import {
  createLookupBatch,
  findLookupBatch,
  listLookupBatches,
  lookupBatchDue,
  lookupPhone,
  lookupPhoneLive,
  readLookupBatchPart,
} from '@gangan/contracts';
import { Forwards } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { BatchRunner } from './batches/batch-runner.js';
import { BatchesService } from './batches/batches.service.js';
import { LookupService } from './lookup.service.js';

@Controller()
@Forwards(lookupPhone, LookupService, (service, ...call) => service.lookup(...call))
@Forwards(lookupPhoneLive, LookupService, (service, ...call) => service.lookupLive(...call))
@Forwards(createLookupBatch, BatchesService, (batches, ...call) => batches.create(...call))
@Forwards(findLookupBatch, BatchesService, (batches, ...call) => batches.find(...call))
@Forwards(listLookupBatches, BatchesService, (batches, ...call) => batches.list(...call))
@Forwards(readLookupBatchPart, BatchesService, (batches, ...call) => batches.readPart(...call))
@Forwards(lookupBatchDue, BatchRunner, (runner) => runner.look())
export class LookupHandler {}
