import { AppError } from '@gangan/protocol';
import { Health, type HealthReport } from '@gangan/runtime';
import { Controller, Get } from '@nestjs/common';
import { Public } from '../http/access.js';
import { Answers, DescribedIn } from '../openapi/answers.js';
import { HealthyAnswer } from './health.dto.js';

@Controller()
@DescribedIn('Health', 'For load balancers and orchestrators')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('healthz')
  @Public()
  @Answers(HealthyAnswer, {
    summary: 'Whether the gateway is alive',
    description: 'Answers 503 when a restart would help.',
  })
  live(): HealthReport {
    return healthy(this.health.live());
  }

  @Get('readyz')
  @Public()
  @Answers(HealthyAnswer, {
    summary: 'Whether the gateway can serve',
    description: 'Answers 503 while the gateway starts or stops, or the database or the queue is away.',
  })
  async ready(): Promise<HealthReport> {
    return healthy(await this.health.ready());
  }
}

function healthy(report: HealthReport): HealthReport {
  if (report.healthy) return report;
  const fields = Object.entries(report.checks)
    .filter(([, state]) => state !== 'ok')
    .map(([field, message]) => ({ field, message, type: 'unavailable' }));
  throw new AppError('unhealthy', 503, 'This process cannot serve now', { fields, retryAfter: 1 });
}
