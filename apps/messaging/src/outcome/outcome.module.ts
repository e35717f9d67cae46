import { Module } from '@nestjs/common';
import { DeliveryMetrics } from './delivery.metrics.js';
import { OutcomeService } from './outcome.service.js';
import { RetryPolicies } from './retry/retry-policy.js';
import { UnansweredDeliveries } from './unanswered-deliveries.js';

@Module({
  providers: [OutcomeService, RetryPolicies, DeliveryMetrics, UnansweredDeliveries],
  exports: [OutcomeService, RetryPolicies, DeliveryMetrics],
})
export class OutcomeModule {}
