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
import { finalize, map, mergeMap, type Observable, of, share } from 'rxjs';
import { BodyOrQuery } from '../http/routes/route-inputs.js';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('lookup')
@ApiTag('Lookup', 'Look up phone numbers')
export class LookupController {
  private readonly live = new SharedReplies<LookupReply>();

  constructor(private readonly queue: QueueClient) {}

  @Get('phone')
  @Scope('lookup:read')
  @ApiOperation(PhoneLookup, {
    summary: 'Look up a phone number',
    description:
      'Returns the carrier and country of a number, whether it was ported, and whether it is on the do-not-disturb list for promotional messages. Send the number in the query or in a JSON body; if it is in both, they must be equal. If the operator has set a price, a lookup is charged unless its result was cached.',
    errors: [402],
    headers: ['X-Lookup-Source'],
  })
  phone(
    @BodyOrQuery() request: LookupPhoneRequest,
    @Req() { method }: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Observable<PhoneLookup | undefined> {
    // The response to HEAD has no body, so it must not be charged.
    if (method === 'HEAD') return of(undefined);
    // `send` reads the context of the request when it is called, so it is called here.
    const liveLookup = this.queue.send(lookupPhoneLive, request);
    const lookupKey = `${currentContext()?.organisationId ?? ''} ${request.phone}`;
    return this.queue.send(lookupPhone, request).pipe(
      mergeMap((known): Observable<LookupReply> =>
        known.found ? of(known) : this.live.get(lookupKey, liveLookup),
      ),
      map(({ found, ...from }) => {
        if (!found) throw internalError();
        void reply.header('x-lookup-source', formatSources(from));
        return found;
      }),
    );
  }
}

/** Concurrent requests with the same key share the reply to the first. */
export class SharedReplies<T> {
  private readonly inFlight = new Map<string, Observable<T>>();

  get(key: string, request: Observable<T>): Observable<T> {
    const running = this.inFlight.get(key);
    if (running) return running;
    const shared = request.pipe(
      finalize(() => this.inFlight.delete(key)),
      share(),
    );
    this.inFlight.set(key, shared);
    return shared;
  }
}

/** `operator=live, country=plan, ported=live, dnd=registry`, and `live=unavailable` if the provider did not respond. */
const formatSources = ({ sources, providerSilent }: Omit<LookupReply, 'found'>): string =>
  [
    ...Object.entries(sources ?? {}).map(([field, source]) => `${field}=${String(source)}`),
    ...(providerSilent ? ['live=unavailable'] : []),
  ].join(', ');
