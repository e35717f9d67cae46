import { Counter, Registry } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';

@Injectable()
export class IdempotencyMetrics {
  readonly reduced: Counter<'reason'>;

  constructor(registry: Registry) {
    this.reduced = new Counter({
      name: 'gangan_http_reduced_responses_total',
      help: 'Responses of which only status and id were stored for an Idempotency-Key: quota (of the organisation) or storage_low',
      labelNames: ['reason'],
      registers: [registry],
    });
  }
}
