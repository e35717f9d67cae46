import {
  airtimeBoundsOf,
  AirtimeNetwork,
  type AirtimePage,
  type AirtimePurchase,
  buyAirtime,
  BuyAirtimeRequest,
  findAirtime,
  listAirtime,
  ListAirtimeRequest,
  networks,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { Scope } from '../http/access.js';
import { Answers, DescribedIn } from '../openapi/answers.js';

@Controller('airtime')
@DescribedIn('Airtime', 'Top phone numbers up')
export class AirtimeController {
  constructor(private readonly queue: QueueClient) {}

  @Post('buy')
  @Scope('airtime:write')
  @Answers(buyAirtime, {
    summary: 'Buy airtime for a phone number',
    description:
      'Sets the amount aside and answers at once, always with `pending`; the network is told after that, and `callback` hears what becomes of it. What fails is refunded. The same purchase again within a minute is a `duplicate` and is refunded too, unless the two carry different `external_ref`; with the same one, it is a duplicate for a day.',
    refuses: [402],
  })
  buy(@Body() request: BuyAirtimeRequest): Observable<AirtimePurchase> {
    return this.queue.send(buyAirtime, request);
  }

  @Get()
  @Scope('airtime:read')
  @Answers(listAirtime, {
    summary: 'List purchases',
    description:
      'Newest first. To read on, ask again with `before` set to `meta.pagination.next` and the same filters.',
  })
  list(@Query() request: ListAirtimeRequest): Observable<AirtimePage> {
    return this.queue.send(listAirtime, request);
  }

  @Get('networks')
  @Scope('airtime:read')
  @Answers([AirtimeNetwork], {
    summary: 'List the networks',
    description: 'Tells which networks airtime can be bought for, and how much at once.',
  })
  networks(): AirtimeNetwork[] {
    return networks.map((name) => {
      const { least, most } = airtimeBoundsOf(name);
      return { name, minimum_amount: least, maximum_amount: most };
    });
  }

  @Get(':id')
  @Scope('airtime:read')
  @Answers(findAirtime, {
    summary: 'Read a purchase',
    description: 'Tells how far a purchase has come, and whether it was refunded.',
  })
  find(@Param('id') id: string): Observable<AirtimePurchase> {
    return this.queue.send(findAirtime, { id });
  }
}
