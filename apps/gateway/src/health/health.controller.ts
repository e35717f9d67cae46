import { ApiField, BooleanField } from '@gangan/contracts';
import { AppError } from '@gangan/protocol';
import { Health, type HealthReport } from '@gangan/runtime';
import { Controller, Get } from '@nestjs/common';
import { IsObject } from 'class-validator';
import { Public } from '../http/routes/access.js';
import { ApiOperation, ApiTag } from '../openapi/decorators.js';

class HealthyAnswer implements HealthReport {
  @BooleanField('Always true: an unhealthy process responds 503', true)
  healthy: boolean;

  @IsObject()
  @ApiField('The checks', { process: 'ok', database: 'ok', queue: 'ok' })
  checks: HealthReport['checks'];
}

@Controller()
@ApiTag('Health', 'For load balancers and orchestrators')
export class HealthController {
  constructor(private readonly health: Health) {}

  @Get('healthz')
  @Public()
  @ApiOperation(HealthyAnswer, {
    summary: 'Check whether the gateway is alive',
    description: 'Responds 503 if the process should be restarted.',
  })
  live(): HealthReport {
    return requireHealthy(this.health.live());
  }

  @Get('readyz')
  @Public()
  @ApiOperation(HealthyAnswer, {
    summary: 'Check whether the gateway can serve requests',
    description:
      'Responds 503 while the gateway starts or stops, and while the database or the queue is unavailable.',
  })
  async ready(): Promise<HealthReport> {
    return requireHealthy(await this.health.ready());
  }
}

function requireHealthy(report: HealthReport): HealthReport {
  if (report.healthy) return report;
  const fields = Object.entries(report.checks)
    .filter(([, state]) => state !== 'ok')
    .map(([field, message]) => ({ field, message, type: 'unavailable' }));
  throw new AppError('unhealthy', 503, 'This process cannot serve requests now', { fields, retryAfter: 1 });
}
