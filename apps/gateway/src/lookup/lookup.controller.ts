import { lookupPhone, LookupPhoneRequest, type PhoneLookup } from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Controller, Get } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../auth/access.js';
import { BodyOrQuery } from '../http/body-or-query.js';
import { Answers, DescribedIn } from '../openapi/answers.js';

@Controller('lookup')
@DescribedIn('Lookup', 'What is known about a phone number')
export class LookupController {
  constructor(private readonly queue: QueueClient) {}

  @Get('phone')
  @Scope('lookup:read')
  @Answers(lookupPhone, {
    summary: 'Look a phone number up',
    description:
      'Tells the carrier and the country of a number, whether it was ported, and whether its owner wants no promotional messages. The number stands in the query, or in a JSON body although the method is GET; both must agree.',
  })
  phone(@BodyOrQuery() request: LookupPhoneRequest): Observable<PhoneLookup> {
    return this.queue.send(lookupPhone, request);
  }
}
