import { Module } from '@nestjs/common';
import { DispatchModule } from '../dispatch/dispatch.module.js';
import { BalanceThresholdService } from './balance-threshold.service.js';
import { EndpointCallbacksRepository } from './endpoint-callbacks.repository.js';
import { EndpointCallbacksService } from './endpoint-callbacks.service.js';
import { EndpointsRepository } from './endpoints.repository.js';
import { EndpointsService } from './endpoints.service.js';

@Module({
  imports: [DispatchModule],
  providers: [
    ...[EndpointsService, EndpointsRepository],
    ...[EndpointCallbacksService, EndpointCallbacksRepository, BalanceThresholdService],
  ],
  exports: [EndpointsService, EndpointCallbacksService, BalanceThresholdService],
})
export class EndpointsModule {}
