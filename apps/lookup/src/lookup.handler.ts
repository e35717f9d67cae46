import { lookupPhone, type LookupPhoneRequest, type PhoneLookup } from '@gangan/contracts';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { LookupService } from './lookup.service.js';

@Controller()
export class LookupHandler {
  constructor(private readonly service: LookupService) {}

  @Handles(lookupPhone)
  phone(request: LookupPhoneRequest): Promise<PhoneLookup> {
    return this.service.lookup(request);
  }
}
