import {
  countPhones,
  createLookupBatch,
  findLookupBatch,
  formatLookupSources,
  listLookupBatches,
  ListLookupBatchesRequest,
  LookupBatchRequest,
  lookupPhone,
  lookupPhoneLive,
  LookupPhoneRequest,
  type LookupReply,
  PhoneLookup,
  readLookupBatchPart,
} from '@gangan/contracts';
import { currentContext, internalError } from '@gangan/protocol';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Get, Param, Post, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, map, mergeMap, type Observable, of, share } from 'rxjs';
import { BodyOrQuery } from '../http/routes/route-inputs.js';
import { csvFile } from '../http/files/csv-file.js';
import { HasPhones } from '../http/request/has-phones.js';
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
      'Returns the carrier and country of a number, whether it was ported, and whether it is on the do-not-disturb list for promotional messages; the type of the line and whether it is roaming where a provider reports them. Send the number in the query or in a JSON body; if it is in both, they must be equal. If the operator has set a price, a lookup is charged unless its result was cached.',
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
        void reply.header('x-lookup-source', formatLookupSources(from));
        return found;
      }),
    );
  }

  @Post('batch')
  @Scope('lookup:read')
  @HasPhones(countPhones)
  @ApiOperation(createLookupBatch, {
    summary: 'Look up many phone numbers',
    description:
      'Looks up at most 1,000 numbers, or all numbers of a smartlist of up to 1,000,000 contacts, and writes the results to a CSV file. Responds at once, and `GET /lookup/batch/{id}` returns the progress. In the rate limit, a request counts as one for every started 100 numbers. Each number is charged as a single lookup, and only once if it occurs several times; if the balance runs out, the batch fails and keeps the results until then.',
  })
  createBatch(@Body() request: LookupBatchRequest) {
    return this.queue.send(createLookupBatch, request);
  }

  @Get('batch')
  @Scope('lookup:read')
  @ApiOperation(listLookupBatches, {
    summary: 'List batches of lookups',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next`. By default, batches are deleted a day after they end.',
  })
  listBatches(@Query() request: ListLookupBatchesRequest) {
    return this.queue.send(listLookupBatches, request);
  }

  @Get('batch/:id')
  @Scope('lookup:read')
  @ApiOperation(findLookupBatch, { summary: 'Read a batch of lookups', description: 'Returns its progress.' })
  findBatch(@Param('id') id: string) {
    return this.queue.send(findLookupBatch, { id });
  }

  @Get('batch/:id/file')
  @Scope('lookup:read')
  @ApiOperation(readLookupBatchPart, {
    summary: 'Download the results of a batch of lookups',
    description:
      'CSV in UTF-8 with the columns phone, msisdn, operator, country, ported, dnd, line_type, roaming, source and error. Text that a spreadsheet would run as a formula is prefixed with an apostrophe. Responds 409 until the batch has ended.',
    responseType: 'text/csv',
    errors: [409],
  })
  batchFile(@Param('id') id: string, @Req() { method }: FastifyRequest): Promise<StreamableFile> {
    return csvFile(this.queue, readLookupBatchPart, { id, method, name: 'lookups.csv' });
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
