import { smsExpansionDue } from '@gangan/contracts';
import { Handles } from '@gangan/queue';
import { Controller } from '@nestjs/common';
import { ExpansionDesk } from './audience.runner.js';

@Controller()
export class ExpansionHandler {
  constructor(private readonly desk: ExpansionDesk) {}

  @Handles(smsExpansionDue)
  async due(): Promise<void> {
    await this.desk.look();
  }
}
