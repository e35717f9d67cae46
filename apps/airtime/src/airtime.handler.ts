import {
  airtimeDue,
  type AirtimePage,
  type AirtimePurchase,
  buyAirtime,
  type BuyAirtimeRequest,
  findAirtime,
  listAirtime,
  type ListAirtimeRequest,
  type RecordEvent,
  type RecordId,
} from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { AirtimeService } from './airtime.service.js';
import { SettlementService } from './settlement/settlement.service.js';

@Controller()
export class AirtimeHandler {
  constructor(
    private readonly service: AirtimeService,
    private readonly settlement: SettlementService,
  ) {}

  @Handles(buyAirtime)
  buy(request: BuyAirtimeRequest, context: RequestContext): Promise<AirtimePurchase> {
    return this.service.buy(request, context);
  }

  @Handles(findAirtime)
  find(request: RecordId, context: RequestContext): Promise<AirtimePurchase> {
    return this.service.find(request, context);
  }

  @Handles(listAirtime)
  list(request: ListAirtimeRequest, context: RequestContext): Promise<AirtimePage> {
    return this.service.list(request, context);
  }

  @Handles(airtimeDue)
  due({ id }: RecordEvent): Promise<void> {
    return this.settlement.settle(id);
  }
}
