import {
  AirtimeNetwork,
  buyAirtime,
  BuyAirtimeRequest,
  ContractSettings,
  findAirtime,
  listAirtime,
  listAirtimeProducts,
  ListAirtimeProductsRequest,
  ListAirtimeRequest,
  networks,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

@Controller('airtime')
@ApiTag('Airtime', 'Top up phone numbers')
export class AirtimeController {
  constructor(
    private readonly queue: QueueClient,
    private readonly settings: ContractSettings,
  ) {}

  @Post('buy')
  @Scope('airtime:write')
  @ApiOperation(buyAirtime, {
    summary: 'Buy airtime or a data bundle for a phone number',
    description:
      'Reserves the amount, or the price of the product, and responds at once with the status `pending`. The purchase is then sent to the network, and the outcome is reported to `callback`. A failed purchase is refunded. The same purchase within a minute is a `duplicate` and is refunded as well, unless the two have different `external_ref`. With the same `external_ref` it is a duplicate for a day. Purchases of a day (UTC) are limited per organisation and per recipient: beyond the limit the response is 429 `daily_limit`.',
    errors: [402],
  })
  buy(@Body() request: BuyAirtimeRequest) {
    return this.queue.send(buyAirtime, request);
  }

  @Get()
  @Scope('airtime:read')
  @ApiOperation(listAirtime, {
    summary: 'List purchases',
    description:
      'Newest first. For the next page, set `before` to `meta.pagination.next` and keep the filters. With several filters a page may have fewer purchases than `limit`, or none: continue until `next` is absent.',
  })
  list(@Query() request: ListAirtimeRequest) {
    return this.queue.send(listAirtime, request);
  }

  @Get('networks')
  @Scope('airtime:read')
  @ApiOperation([AirtimeNetwork], {
    summary: 'List networks',
    description:
      'Returns the networks for which airtime can be bought, with the minimum and maximum amount of a purchase.',
  })
  networks(): AirtimeNetwork[] {
    return networks.map((name) => {
      const { min, max } = this.settings.airtimeBounds[name];
      return { name, minimum_amount: min, maximum_amount: max };
    });
  }

  @Get('products')
  @Scope('airtime:read')
  @ApiOperation(listAirtimeProducts, {
    summary: 'List data bundles',
    description:
      'Returns the data bundles that your organisation can buy, by network and price. The price of a product never changes: a bundle with a new price has a new id. For the next page, set `after` to `meta.pagination.next` and keep the filter.',
  })
  products(@Query() request: ListAirtimeProductsRequest) {
    return this.queue.send(listAirtimeProducts, request);
  }

  @Get(':id')
  @Scope('airtime:read')
  @ApiOperation(findAirtime, {
    summary: 'Read a purchase',
    description: 'Returns its status, and whether it was refunded.',
  })
  find(@Param('id') id: string) {
    return this.queue.send(findAirtime, { id });
  }
}
