import {
  lookupPhone,
  lookupPhoneLive,
  LookupPhoneRequest,
  type LookupReply,
  PhoneLookup,
} from '@gangan/contracts';
import { currentContext, internalError } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { map, mergeMap, type Observable, of } from 'rxjs';
import { Scope } from '../http/access.js';
import { BodyOrQuery } from '../http/merged-fields.js';
import { Answers, DescribedIn } from '../openapi/answers.js';
import { SharedAnswers } from './shared-answers.js';
import { sourceHeader } from './source-header.js';

@Controller('lookup')
@DescribedIn('Lookup', 'What is known about a phone number')
export class LookupController {
  private readonly live = new SharedAnswers<LookupReply>();

  constructor(private readonly queue: QueueClient) {}

  @Get('phone')
  @Scope('lookup:read')
  @Answers(PhoneLookup, {
    summary: 'Look a phone number up',
    description:
      'Tells the carrier and the country of a number, whether it was ported, and whether its owner wants no promotional messages. The number stands in the query, or in a JSON body although the method is GET; both must agree. Where the operator has set a price, a look-up costs it, unless the answer was known from an earlier one.',
    refuses: [402],
    headers: ['X-Lookup-Source'],
  })
  phone(
    @BodyOrQuery() request: LookupPhoneRequest,
    @Req() { method }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Observable<PhoneLookup | undefined> {
    // Nobody would see what was paid for.
    if (method === 'HEAD') return of(undefined);
    // Made here, where it is known who asks.
    const question = this.queue.send(lookupPhoneLive, request);
    const askers = `${currentContext()?.organisationId ?? ''} ${request.phone}`;
    return this.queue.send(lookupPhone, request).pipe(
      mergeMap((known): Observable<LookupReply> =>
        known.found ? of(known) : this.live.of(askers, question),
      ),
      map(({ found, ...from }) => {
        if (!found) throw internalError();
        void reply.header('x-lookup-source', sourceHeader(from));
        return found;
      }),
    );
  }
}
