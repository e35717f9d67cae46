import { AppError } from '@gangan/protocol';
import { Health, type HealthReport } from '@gangan/runtime';
import { Controller, Get } from '@nestjs/common';
import { Public } from '../auth/access.js';

@Controller()
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('healthz')
  @Public()
  live(): HealthReport {
    return healthy(this.health.live());
  }

  @Get('readyz')
  @Public()
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
