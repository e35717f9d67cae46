import { lookupPhone, LookupPhoneRequest, type PhoneLookup } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Controller, Get } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../auth/access.js';
import { BodyOrQuery } from '../http/body-or-query.js';

@Controller('lookup')
export class LookupController {
  constructor(private readonly queue: QueueClient) {}

  @Get('phone')
  @Scope('lookup:read')
  phone(@BodyOrQuery() request: LookupPhoneRequest): Observable<PhoneLookup> {
    return this.queue.send(lookupPhone, request);
  }
}
