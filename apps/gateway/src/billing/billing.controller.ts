import { Balance, Ledger, LedgerQuery } from '@gangan/contracts';
import { Controller, Get, Query } from '@nestjs/common';
import { Scope } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';
import { BillingService } from './billing.service.js';

@Controller()
@ApiTag('Billing', 'The balance of your organisation and its history')
export class BillingController {
  constructor(private readonly billing: BillingService) {}

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
}
