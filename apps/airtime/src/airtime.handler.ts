import * as dto from '@gangan/contracts';
import type { RequestContext } from '@gangan/protocol';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { AirtimeService } from './airtime.service.js';
import { ProductsService } from './products/products.service.js';
import { SettlementService } from './settlement/settlement.service.js';

@Controller()
export class AirtimeHandler {
  constructor(
    private readonly airtime: AirtimeService,
    private readonly products: ProductsService,
    private readonly settlement: SettlementService,
  ) {}

  @Handles(dto.buyAirtime)
  buyAirtime(request: dto.BuyAirtimeRequest, context: RequestContext) {
    return this.airtime.buy(request, context);
  }

  @Handles(dto.findAirtime)
  findAirtime(request: dto.RecordId, context: RequestContext) {
    return this.airtime.find(request, context);
  }

  @Handles(dto.listAirtime)
  listAirtime(request: dto.ListAirtimeRequest, context: RequestContext) {
    return this.airtime.list(request, context);
  }

  @Handles(dto.listAirtimeProducts)
  listAirtimeProducts(request: dto.ListAirtimeProductsRequest, context: RequestContext) {
    return this.products.list(request, context);
  }

  @Handles(dto.airtimeDue)
  airtimeDue({ id }: dto.RecordEvent) {
    return this.settlement.settle(id);
  }
}
