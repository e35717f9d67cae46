import { smsExpansionDue } from '@gangan/contracts';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { AudienceRunner } from './audience.runner.js';

@Controller()
export class AudienceHandler {
  constructor(private readonly runner: AudienceRunner) {}

  @Handles(smsExpansionDue)
  async due(): Promise<void> {
    await this.runner.look();
  }
}
