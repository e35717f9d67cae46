import {
  Balance,
  changeBalanceThreshold,
  ChangeBalanceThreshold,
  findBalanceThreshold,
  Ledger,
  LedgerQuery,
  PriceListing,
} from '@gangan/contracts';
import { QueueClient } from '@gangan/queue';
import { Body, Controller, Get, Patch, Query } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';
import { BillingService } from './billing.service.js';

@Controller()
@ApiTag('Billing', 'The balance of your organisation and its history')
export class BillingController {
  constructor(
    private readonly billing: BillingService,
    private readonly queue: QueueClient,
  ) {}

  @Get('balance')
  @Scope('billing:read')
  @ApiOperation(Balance, {
    summary: 'Read the balance',
    description:
      'Returns the available amount and the amount reserved for airtime purchases and lookups in progress.',
  })
  balance(): Promise<Balance> {
    return this.billing.balance();
  }

  @Get('balance/threshold')
  @Scope('callbacks:read')
  @ApiOperation(findBalanceThreshold, {
    summary: 'Read the threshold of the balance',
    description: 'Endpoints get `balance.low` when the available balance falls below it.',
  })
  threshold() {
    return this.queue.send(findBalanceThreshold, {});
  }

  @Patch('balance/threshold')
  @Scope('callbacks:write')
  @ApiOperation(changeBalanceThreshold, {
    summary: 'Change the threshold of the balance',
    description:
      'Endpoints get `balance.low` once when the available balance falls below it, and again only after it has been back at or above the threshold. A balance that is below it already is not reported.',
  })
  changeThreshold(@Body() fields: ChangeBalanceThreshold) {
    return this.queue.send(changeBalanceThreshold, fields);
  }

  @Get('ledger')
  @Scope('billing:read')
  @ApiOperation(Ledger, {
    summary: 'Read the history of the balance',
    description:
      'Lists every change of the balance, newest first. The sum of all amounts is the balance. For the next page, set `before` to `meta.pagination.next`.',
  })
  ledger(@Query() query: LedgerQuery): Promise<Ledger> {
    return this.billing.ledger(query);
  }

  @Get('prices')
  @Scope('billing:read')
  @ApiOperation(PriceListing, {
    summary: 'List prices',
    description:
      'What a message or a lookup costs: of the prices of a service, the one with the longest prefix of the number counts; of two for this prefix, the one with the `category` of the message, which is `otp` for OTPs. Messages to a number without a price get 400 `no_price`; a lookup without a price is free. A changed price applies within 30 seconds. `POST /sms/estimate` returns the cost of a message.',
  })
  prices(): Promise<PriceListing> {
    return this.billing.prices();
  }
}
