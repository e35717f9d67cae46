import { lookupPhone, lookupPhoneLive, type LookupPhoneRequest, type LookupReply } from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { LookupService } from './lookup.service.js';

@Controller()
export class LookupHandler {
  constructor(private readonly service: LookupService) {}

  @Handles(lookupPhone)
  phone(request: LookupPhoneRequest, context: RequestContext): Promise<LookupReply> {
    return this.service.lookup(request, context);
  }

  @Handles(lookupPhoneLive)
  phoneLive(request: LookupPhoneRequest, context: RequestContext): Promise<LookupReply> {
    return this.service.lookupLive(request, context);
  }
}
