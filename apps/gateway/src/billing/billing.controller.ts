import { Balance, Ledger, LedgerQuery } from '@gangan/contracts';
import { Controller, Get, Query } from '@nestjs/common';
import { Scope } from '../http/access.js';
import { Answers, DescribedIn } from '../openapi/answers.js';
import { BillingService } from './billing.service.js';

@Controller()
@DescribedIn('Billing', 'What an organisation has, and where it went')
export class BillingController {
  constructor(private readonly billing: BillingService) {}

  @Get('balance')
  @Scope('billing:read')
  @Answers(Balance, {
    summary: 'Read the balance',
    description: 'Tells what can be spent now, and what is set aside for airtime purchases under way.',
  })
  balance(): Promise<Balance> {
    return this.billing.balance();
  }

  @Get('ledger')
  @Scope('billing:read')
  @Answers(Ledger, {
    summary: 'Read the history of the balance',
    description:
      'Lists every change of the balance, newest first; all amounts together are the balance. To read on, ask again with `before` set to `meta.pagination.next`.',
  })
  ledger(@Query() query: LedgerQuery): Promise<Ledger> {
    return this.billing.ledger(query);
  }
}
