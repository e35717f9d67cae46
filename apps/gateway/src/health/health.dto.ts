import { ApiField } from '@gangan/contracts';
import type { HealthReport } from '@gangan/runtime';
import { IsBoolean, IsObject } from 'class-validator';

/** What both health paths answer while all is well. */
export class HealthyAnswer implements HealthReport {
  @IsBoolean()
  @ApiField('Always true: what is not healthy answers 503', true)
  healthy: boolean;

  @IsObject()
  @ApiField('What was looked at', { process: 'ok', database: 'ok', queue: 'ok' })
  checks: HealthReport['checks'];
}
